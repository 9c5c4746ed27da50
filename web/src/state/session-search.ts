/** Sessions of all projects that match a text, asked of the server when typing pauses. */
import { createEffect, createSignal, on, onCleanup } from 'solid-js';
import type { SessionSummary } from '../gen/contracts';
import { Unreachable } from '../protocol/problems';
import { api } from './services';
import { toastError } from './toasts';

const PAUSE = 120;
/** More than these nobody reads; another word narrows them. */
const MOST = 200;

export interface SessionSearch {
  /** What was found last. It may be for an earlier text, so callers filter it. */
  found: () => readonly SessionSummary[];
  /** Whether the answer for the current text is still to come. */
  isPending: () => boolean;
}

export function createSessionSearch(text: () => string): SessionSearch {
  const [found, setFound] = createSignal<readonly SessionSummary[]>([]);
  const [isPending, setPending] = createSignal(false);
  createEffect(on(() => text().trim(), (q) => {
    setPending(q !== '');
    if (q === '') return void setFound([]);
    const asked = new AbortController();
    const look = async (): Promise<void> => {
      try {
        setFound((await api.sessions({ q, limit: MOST }, { signal: asked.signal })).sessions);
      } catch (error) {
        if (asked.signal.aborted) return;
        // A lost connection is shown by itself.
        if (!(error instanceof Unreachable)) toastError('Sessions could not be searched', error);
      }
      setPending(false);
    };
    const timer = setTimeout(() => void look(), PAUSE);
    onCleanup(() => {
      clearTimeout(timer);
      asked.abort();
    });
  }));
  return { found, isPending };
}
