/** Looks for words in the session, by the server's index. */
import { createEffect, createSignal, on, onCleanup, onMount } from 'solid-js';
import type { SearchResults } from '../../gen/contracts';
import { notIndexedText } from '../../model/search';
import { findStart, setFinding } from '../../state/screen';
import { api, reason } from '../../state/services';
import type { OpenSession } from '../../state/session';
import { setTarget, target } from '../../state/tabs';
import { toastError } from '../../state/toasts';
import { Icon } from '../parts/Icon';
import { clearMarks, markWords } from './marks';

const PAUSE = 150;

export function FindBar(props: { session: OpenSession }) {
  const [query, setQuery] = createSignal(findStart()?.words ?? '');
  const [results, setResults] = createSignal<SearchResults>();
  const [at, setAt] = createSignal(0);
  const hits = () => results()?.hits;
  const current = (): string | undefined => hits()?.[at()]?.itemId;
  let field!: HTMLInputElement;
  onMount(() => field.focus());
  // Asked for again while it is open: another hit was chosen elsewhere.
  createEffect(on(findStart, (start) => { if (start) setQuery(start.words); }, { defer: true }));
  /** The hit to bring into view as soon as its words are there: a card is opened and its body may have to be fetched. */
  let unseen: string | undefined;
  const mark = (): void => {
    if (!hits()?.length) return;
    const first = markWords(query(), current());
    if (!first || unseen !== current()) return;
    unseen = undefined;
    bringIntoView(first);
  };
  // Rows come and go while somebody scrolls, and each is to show what was found.
  let isDue = false;
  const markSoon = (): void => {
    if (isDue || !hits()?.length) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      mark();
    });
  };
  const rows = new MutationObserver((changes) => { if (changes.some(({ target: changed }) => isInTranscript(changed))) markSoon(); });
  onMount(() => {
    // The transcript itself comes when the session is loaded.
    const pane = field.closest('.pane');
    if (pane) rows.observe(pane, { childList: true, subtree: true, characterData: true });
  });
  onCleanup(() => rows.disconnect());
  onCleanup(clearMarks);

  createEffect(on([query, findStart], ([words, start]) => {
    const asked = new AbortController();
    const timer = setTimeout(() => void look(words.trim(), start, asked.signal), PAUSE);
    onCleanup(() => {
      clearTimeout(timer);
      asked.abort();
    });
  }));
  const look = async (words: string, start: ReturnType<typeof findStart>, signal: AbortSignal): Promise<void> => {
    if (!words) return void setResults(undefined);
    try {
      const found = await api.search({ q: words, sessionId: props.session.id, limit: 200 }, { signal });
      setResults(found);
      const wanted = start?.words === words ? found.hits.findIndex((hit) => hit.itemId === start.itemId) : 0;
      go(Math.max(0, wanted));
    } catch (error) {
      if (!signal.aborted) toastError('The session could not be searched', reason(error));
    }
  };
  const go = (index: number): void => {
    const all = hits() ?? [];
    if (all.length === 0) return clearMarks();
    const next = (index + all.length) % all.length;
    setAt(next);
    unseen = current();
    setTarget({ sessionId: props.session.id, itemId: all[next]?.itemId ?? '' });
  };
  // Once the place is shown, which may have to be fetched.
  createEffect(on(target, (wanted) => {
    if (!wanted && hits()?.length) requestAnimationFrame(mark);
  }, { defer: true }));
  const close = (): void => {
    setFinding(undefined);
  };
  const count = (): string => {
    const all = hits();
    if (all === undefined) return '';
    const found = all.length === 0 ? 'Nothing found' : `${at() + 1} of ${all.length}`;
    const rest = results()?.notIndexed;
    return rest ? `${found} · ${notIndexedText(rest)}` : found;
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

/** Other parts of a pane change every second. */
function isInTranscript(node: Node): boolean {
  const element = node instanceof Element ? node : node.parentElement;
  return !element?.closest('.pane-foot, .pane-head, .find-bar');
}

/** Scrolls the transcript, and output that scrolls by itself, no further than is needed. */
function bringIntoView(range: Range): void {
  const output = range.startContainer.parentElement?.closest('.output pre, .raw pre');
  if (output) scrollTo(output, range, 0);
  const transcript = range.startContainer.parentElement?.closest('.transcript');
  if (transcript) scrollTo(transcript, range, 56);
}

function scrollTo(scroller: Element, range: Range, margin: number): void {
  const [view, words] = [scroller.getBoundingClientRect(), range.getBoundingClientRect()];
  if (words.top < view.top + margin) scroller.scrollTop += words.top - view.top - margin;
  else if (words.bottom > view.bottom - margin) scroller.scrollTop += words.bottom - view.bottom + margin;
}
