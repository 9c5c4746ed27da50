// The one sign that a session has in the list, and the count in the page's title.

import type { SessionSummary } from '../gen/contracts';
import type { SessionView } from '../protocol/frames';
import { backgroundCount, backgroundText } from './background';

export type Glyph = 'idle' | 'running' | 'background' | 'needs-you' | 'error' | 'unread';

export type GlyphInput = {
  readonly summary: Pick<SessionSummary, 'state' | 'pending' | 'timedOut' | 'hasFailed' | 'seq'>;
  /** Of a subscribed session: fresher than the list. */
  readonly view?: SessionView | undefined;
  /** How much background work runs, where the list does not tell. */
  readonly background?: number | undefined;
  /** The `seq` that the user has seen; absent for a session never looked at here, which counts as read. */
  readonly seenSeq?: number | undefined;
  /** Whether it is on screen. */
  readonly isShown?: boolean;
};

/** Exactly one: what asks for the user comes first. */
export function glyphOf({ summary, view, background = backgroundCount(view), seenSeq, isShown = false }: GlyphInput): Glyph {
  const state = view?.state ?? summary.state;
  const pending = view ? view.pending.length : summary.pending;
  const timedOut = view ? view.timedOut : summary.timedOut;
  if (pending > 0 || state === 'waiting' || timedOut) return 'needs-you';
  if (state === 'running' || state === 'starting' || state === 'cancelling') return 'running';
  const isNews = seenSeq === undefined || summary.seq > seenSeq;
  // A failure that was looked at and left is no news any more; while it is looked at, list and transcript say the same.
  if ((view?.failure || summary.hasFailed) && (isNews || isShown)) return 'error';
  // Background work adds to the log all the time: that it runs says more than that something is unread.
  if (background > 0) return 'background';
  return isNews && seenSeq !== undefined && !isShown ? 'unread' : 'idle';
}

const GLYPH_TEXT: Record<Exclude<Glyph, 'background'>, string> = {
  idle: 'idle', running: 'running', 'needs-you': 'needs you', error: 'failed', unread: 'unread',
};

/** `background`: how much background work runs. */
export function glyphText(glyph: Glyph, background: number): string {
  return glyph === 'background' ? backgroundText(background) : GLYPH_TEXT[glyph];
}

export function countNeedsYou(glyphs: Iterable<Glyph>): number {
  let count = 0;
  for (const glyph of glyphs) if (glyph === 'needs-you') count += 1;
  return count;
}

/** "(2) Liminal Builder". */
export function documentTitle(needsYou: number, name = 'Liminal Builder'): string {
  return needsYou > 0 ? `(${needsYou}) ${name}` : name;
}
