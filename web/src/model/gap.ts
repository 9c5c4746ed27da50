// What lies between a page from far back and the newest items, and is not here. Owns how such a gap opens, shrinks from
// either side and closes.

import type { HistoryPage, ItemId } from '../gen/contracts';

export type Gap = {
  /** The first item behind it. */
  readonly next: ItemId;
  /** `after` of the page that goes on behind the last item in front of it. */
  readonly after: number;
  /** `before` of the page that ends in front of `next`. */
  readonly before: number;
};

/** From which side it is filled. */
export type GapSide = 'older' | 'newer';

/** The gap between a page and what is held, if they do not touch. */
export function gapBetween(page: HistoryPage, next: ItemId | undefined, before: number | undefined, isTouching: boolean): Gap | undefined {
  if (isTouching || next === undefined || before === undefined || page.after === undefined) return undefined;
  return { next, after: page.after, before };
}

/** What is left of it behind a page. `arriving`: what of the page was not held. */
export function gapAfter(gap: Gap, side: GapSide, page: HistoryPage, arriving: readonly ItemId[]): Gap | undefined {
  const isMet = arriving.length < page.entries.length;
  const [first] = arriving;
  if (isMet || first === undefined) return undefined;
  if (side === 'older') return page.after === undefined ? undefined : { ...gap, after: page.after };
  return page.before === undefined ? undefined : { ...gap, next: first, before: page.before };
}
