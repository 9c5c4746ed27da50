/** How much background work sessions have. Owns what open sessions tell of it, which is newer than the lists. */
import { createStore } from 'solid-js/store';
import type { BackgroundWork } from '../gen/contracts';

/** Lists of servers that do not tell it lack `background`. */
export type Listed = { readonly sessionId: string; readonly background?: BackgroundWork };

const [open, setOpen] = createStore<Record<string, number | undefined>>({});

export function backgroundOf(session: Listed): number {
  return open[session.sessionId] ?? session.background?.running ?? 0;
}

/** Nothing for a session that is no longer open. */
export function noteBackground(sessionId: string, count: number | undefined): void {
  setOpen(sessionId, count);
}
