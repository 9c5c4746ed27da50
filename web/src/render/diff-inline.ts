// Which parts of a line changed.

import { diffWordsWithSpace } from 'diff';

export type Range = readonly [start: number, end: number];
export type InlineRanges = { readonly before: readonly Range[]; readonly after: readonly Range[] };

const LONGEST = 500;
const MOST_EDITS = 60;
/** Lines that have less in common than this are other lines, and parts of them say nothing. */
const LEAST_COMMON = 0.3;

const NONE: InlineRanges = { before: [], after: [] };

/** Empty if all of both changed, or if they are too long to look at. */
export function changedRanges(before: string, after: string): InlineRanges {
  if (before.length > LONGEST || after.length > LONGEST) return NONE;
  const changes = diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS });
  if (!changes) return NONE;
  const out: { before: [number, number][]; after: [number, number][] } = { before: [], after: [] };
  let [left, right, common] = [0, 0, 0];
  for (const { added, removed, value } of changes) {
    if (added) join(out.after, right, right + value.length);
    else if (removed) join(out.before, left, left + value.length);
    else common += value.trim().length;
    if (!added) left += value.length;
    if (!removed) right += value.length;
  }
  const longest = Math.max(before.trim().length, after.trim().length);
  return common >= longest * LEAST_COMMON ? out : NONE;
}

function join(ranges: [number, number][], start: number, end: number): void {
  const last = ranges.at(-1);
  if (last?.[1] === start) last[1] = end;
  else ranges.push([start, end]);
}
