import type { SessionSummary } from '../gen/contracts';
import type { SessionView } from '../protocol/frames';

export type Glyph = 'idle' | 'running' | 'needs-you' | 'error' | 'unread';

export type GlyphInput = {
  readonly summary: Pick<SessionSummary, 'state' | 'pending' | 'hasFailed' | 'seq'>;
  /** Of a subscribed session: fresher than the list. */
  readonly view?: SessionView;
  /** The `seq` that the user has seen; absent for a session never looked at here, which counts as read. */
  readonly seenSeq?: number;
};

/** Exactly one: what asks for the user comes first. */
export declare function glyphOf(input: GlyphInput): Glyph;
/** "(2) Liminal Builder". */
export declare function documentTitle(needsYou: number, name?: string): string;
export declare function countNeedsYou(glyphs: Iterable<Glyph>): number;
