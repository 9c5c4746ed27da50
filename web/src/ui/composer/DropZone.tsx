/** Files that are dropped anywhere on a pane. Without it, a browser would leave the page for the file. */
import { createSignal, onCleanup, Show } from 'solid-js';
import { takesFiles } from '../../model/files';
import type { OpenSession } from '../../state/session';
import { toast } from '../../state/toasts';
import { filesTaken } from '../pane/abilities';
import { Icon } from '../parts/Icon';
import { take } from './Files';

export function DropZone(props: { session: OpenSession; isShown: boolean }) {
  const [isOver, setOver] = createSignal(false);
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
  const onOver = (event: DragEvent): void => {
    if (!props.isShown || !hasFiles(event)) return;
    event.preventDefault();
    setOver(takesFiles(filesTaken(props.session)));
  };
  const onLeave = (event: DragEvent): void => {
    if (event.relatedTarget === null) setOver(false);
  };
  const onDrop = (event: DragEvent): void => {
    if (!props.isShown || !hasFiles(event)) return;
    event.preventDefault();
    setOver(false);
    if (takesFiles(filesTaken(props.session))) take(props.session, [...event.dataTransfer?.files ?? []]);
    else toast({ kind: 'plain', title: 'This agent takes no files' });
  };
  addEventListener('dragover', onOver);
  addEventListener('dragleave', onLeave);
  addEventListener('drop', onDrop);
  onCleanup(() => {
    removeEventListener('dragover', onOver);
    removeEventListener('dragleave', onLeave);
    removeEventListener('drop', onDrop);
  });
  return <Show when={isOver()}><div class="drop-zone" data-testid="drop-zone" aria-hidden="true"><Icon name="clip" />Drop to attach</div></Show>;
}
