/** A command to run in a terminal, with a button that copies it. */
import { createSignal, Show } from 'solid-js';
import { announce } from '../../state/screen';
import { toastError } from '../../state/toasts';
import { Icon } from './Icon';

export function CopyCommand(props: { command: string }) {
  return <div class="command"><code>{props.command}</code><CopyButton text={() => props.command} label={`Copy ${props.command}`} /></div>;
}

/** Copies a text and says so, to eyes and ears. */
export function CopyButton(props: { text: () => string | Promise<string>; label: string; isSmall?: boolean }) {
  const [isDone, setDone] = createSignal(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await props.text());
      announce('Copied');
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    } catch (error) {
      toastError('Nothing was copied', error);
    }
  };
  return (
    <button type="button" class="icon-button small" data-testid="copy" aria-label={props.label} title={isDone() ? 'Copied' : props.label} onClick={() => void copy()}>
      <Show when={isDone()} fallback={<Icon name="copy" />}><Icon name="check" class="ok-icon" /></Show>
    </button>
  );
}
