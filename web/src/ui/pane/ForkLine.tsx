/** What a session was forked from, in one line; a way back as long as that is there. */
import { createEffect, on, Show } from 'solid-js';
import { titleOf } from '../../model/list';
import { find } from '../../state/catalog';
import { sessionPath } from '../../state/place';
import type { OpenSession } from '../../state/session';
import { open } from '../../state/tabs';
import { Icon } from '../parts/Icon';

export function ForkLine(props: { session: OpenSession }) {
  const from = () => props.session.status()?.forkedFrom;
  const listed = () => find(from()?.sessionId ?? '');
  // The list hears of new titles at once; why something left it, only the server knows.
  createEffect(on(() => listed() !== undefined, (isListed, wasListed) => {
    if (wasListed && !isListed) props.session.refreshStatus();
  }));
  const title = (): string => titleOf({ title: listed()?.title ?? from()?.title ?? '' });
  const follow = (event: MouseEvent): void => {
    const id = from()?.sessionId;
    if (!id || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(id);
  };
  return (
    <Show when={from()}>
      {(source) => (
        <div class="band quiet" data-testid="forked-from" data-gone={source().isGone ?? false}>
          <Icon name="fork" />
          <Show when={!source().isGone} fallback={<span class="truncate" title={title()}>Forked from a session that was deleted, “{title()}”</span>}>
            <span class="truncate">Forked from <a href={sessionPath(source().sessionId)} title={title()} onClick={follow}>{title()}</a></span>
          </Show>
        </div>
      )}
    </Show>
  );
}
