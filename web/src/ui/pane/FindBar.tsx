/** Looks for words in the session, by the server's index. */
import { createEffect, createSignal, on, onCleanup, onMount } from 'solid-js';
import type { SearchHit } from '../../gen/contracts';
import { setFinding } from '../../state/screen';
import { api, reason } from '../../state/services';
import type { OpenSession } from '../../state/session';
import { setTarget, target } from '../../state/tabs';
import { toastError } from '../../state/toasts';
import { Icon } from '../parts/Icon';
import { clearMarks, markWords } from './marks';

const PAUSE = 150;

export function FindBar(props: { session: OpenSession }) {
  const [query, setQuery] = createSignal('');
  const [hits, setHits] = createSignal<readonly SearchHit[]>();
  const [at, setAt] = createSignal(0);
  let field!: HTMLInputElement;
  onMount(() => field.focus());
  // Rows come and go while somebody scrolls, and each is to show what was found.
  let isDue = false;
  const markSoon = (): void => {
    if (isDue || !hits()?.length) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      if (hits()?.length) markWords(query());
    });
  };
  const rows = new MutationObserver(markSoon);
  onMount(() => {
    const transcript = field.closest('.pane')?.querySelector('.transcript');
    if (transcript) rows.observe(transcript, { childList: true, subtree: true, characterData: true });
  });
  onCleanup(() => rows.disconnect());
  onCleanup(clearMarks);

  createEffect(on(query, (words) => {
    const asked = new AbortController();
    const timer = setTimeout(() => void look(words.trim(), asked.signal), PAUSE);
    onCleanup(() => {
      clearTimeout(timer);
      asked.abort();
    });
  }));
  const look = async (words: string, signal: AbortSignal): Promise<void> => {
    if (!words) return void setHits(undefined);
    try {
      const found = await api.search({ q: words, sessionId: props.session.id, limit: 200 }, { signal });
      setHits(found.hits);
      go(0);
    } catch (error) {
      if (!signal.aborted) toastError('The session could not be searched', reason(error));
    }
  };
  const go = (index: number): void => {
    const all = hits() ?? [];
    if (all.length === 0) return clearMarks();
    const next = (index + all.length) % all.length;
    setAt(next);
    setTarget({ sessionId: props.session.id, itemId: all[next]?.itemId ?? '' });
  };
  // Once the place is shown, which may have to be fetched.
  createEffect(on(target, (wanted) => {
    if (!wanted && hits()?.length) requestAnimationFrame(() => markWords(query()));
  }, { defer: true }));
  const close = (): void => {
    setFinding(undefined);
  };
  const count = (): string => {
    const all = hits();
    if (all === undefined) return '';
    return all.length === 0 ? 'Nothing found' : `${at() + 1} of ${all.length}`;
  };
  return (
    <search class="find-bar" data-testid="find-bar">
      <Icon name="search" />
      <input
        ref={field} class="quiet-field grow" type="search" aria-label="Find in session" placeholder="Find in session" value={query()}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(at() + (event.shiftKey ? -1 : 1));
          if (event.key === 'Escape') close();
        }}
      />
      <span class="faint" role="status" data-testid="find-count">{count()}</span>
      <button type="button" class="icon-button small" aria-label="Previous" disabled={!hits()?.length} onClick={() => go(at() - 1)}><Icon name="up" /></button>
      <button type="button" class="icon-button small" aria-label="Next" disabled={!hits()?.length} onClick={() => go(at() + 1)}><Icon name="down" /></button>
      <button type="button" class="icon-button small" aria-label="Close" onClick={close}><Icon name="close" /></button>
    </search>
  );
}
