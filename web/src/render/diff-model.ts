// What changed in a file, as hunks of numbered lines. Work and result are bounded, however large the file is.

import { diffArrays } from 'diff';
import type { Diff } from '../gen/contracts';
import { changedRanges, type Range } from './diff-inline';

export type { Range } from './diff-inline';

export type DiffLine = {
  readonly kind: 'context' | 'add' | 'remove';
  readonly text: string;
  readonly oldNumber: number | undefined;
  readonly newNumber: number | undefined;
  /** Which parts of the line changed; empty if all of it. */
  readonly ranges: readonly Range[];
};
export type Hunk = {
  readonly key: string;
  readonly oldStart: number;
  readonly newStart: number;
  readonly header: string;
  readonly changed: number;
  readonly lines: readonly DiffLine[];
};
export type DiffModel = {
  readonly path: string;
  readonly isNew: boolean;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
  /** More than 500 changed lines: hunks begin collapsed. */
  readonly isCollapsed: boolean;
  /** Too large to compare line by line: shown as one replacement. */
  readonly isCoarse: boolean;
  /** Lines left out of the hunks, because nobody reads so many. */
  readonly omitted: number;
};
export type SplitRow = { readonly left: DiffLine | undefined; readonly right: DiffLine | undefined };

const CONTEXT = 3;
const COLLAPSE = 500;
/** The search for the shortest script costs the square of this. */
const MOST_EDITS = 1_000;
const MOST_LINES = 5_000;
const LONGEST_LINE = 2_000;
/** Lines beyond these are compared as wholes. */
const MOST_INLINE = 400;

export function diffModel({ path, oldText, newText }: Diff): DiffModel {
  const [before, after] = [linesOf(oldText ?? ''), linesOf(newText)];
  const { parts, isCoarse } = compared(before, after);
  const lines = numbered(parts);
  const [added, removed] = [count(lines, 'add'), count(lines, 'remove')];
  const kept = lines.slice(0, MOST_LINES).map(shortened);
  const hunks = hunksOf(withRanges(kept)).map(hunk);
  return {
    path, isNew: oldText === undefined, added, removed, hunks, isCollapsed: added + removed > COLLAPSE, isCoarse,
    omitted: lines.length - kept.length,
  };
}

/** Every changed line with the context around it, whole, however many there are; one list for each hunk. */
export function changedLines({ oldText, newText }: Pick<Diff, 'oldText' | 'newText'>): DiffLine[][] {
  return hunksOf(numbered(compared(linesOf(oldText ?? ''), linesOf(newText)).parts));
}

/** Removed lines beside the added ones that took their place. */
export function splitRows({ lines }: Pick<Hunk, 'lines'>): SplitRow[] {
  return runsOf(lines).flatMap(({ kind, removed, added, context }) => {
    if (kind === 'context') return context.map((line) => ({ left: line, right: line }));
    const length = Math.max(removed.length, added.length);
    return Array.from({ length }, (_, index) => ({ left: removed[index], right: added[index] }));
  });
}

type Part = { readonly kind: DiffLine['kind']; readonly lines: readonly string[] };

// Equal beginnings and ends are taken off first: most edits of large files are small.
function compared(before: string[], after: string[]): { parts: Part[]; isCoarse: boolean } {
  const head = commonStart(before, after);
  const tail = commonEnd(before, after, head);
  const [left, right] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const script = left.length > 0 && right.length > 0 ? scriptOf(left, right) : replaced(left, right);
  const parts: Part[] = [
    { kind: 'context', lines: before.slice(0, head) },
    ...(script ?? replaced(left, right)),
    { kind: 'context', lines: after.slice(after.length - tail) },
  ];
  return { parts: parts.filter((part) => part.lines.length > 0), isCoarse: script === undefined };
}

function scriptOf(left: string[], right: string[]): Part[] | undefined {
  const changes = diffArrays(left, right, { maxEditLength: MOST_EDITS });
  return changes?.map(({ added, removed, value }) => ({ kind: added ? 'add' : removed ? 'remove' : 'context', lines: value }));
}

function replaced(left: string[], right: string[]): Part[] {
  return [{ kind: 'remove', lines: left }, { kind: 'add', lines: right }];
}

function commonStart(before: string[], after: string[]): number {
  const most = Math.min(before.length, after.length);
  let length = 0;
  while (length < most && before[length] === after[length]) length += 1;
  return length;
}

function commonEnd(before: string[], after: string[], head: number): number {
  const most = Math.min(before.length, after.length) - head;
  let length = 0;
  while (length < most && before[before.length - 1 - length] === after[after.length - 1 - length]) length += 1;
  return length;
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Changed lines and the context around them, with their numbers. */
function numbered(parts: readonly Part[]): DiffLine[] {
  const out: DiffLine[] = [];
  let [oldNumber, newNumber] = [1, 1];
  parts.forEach(({ kind, lines }, index) => {
    const shown = kind === 'context' ? shownContext(lines.length, index === 0, index === parts.length - 1) : () => true;
    lines.forEach((text, at) => {
      if (shown(at)) out.push(lineOf(kind, text, oldNumber, newNumber));
      if (kind !== 'add') oldNumber += 1;
      if (kind !== 'remove') newNumber += 1;
    });
  });
  return out;
}

function shownContext(length: number, isFirst: boolean, isLast: boolean): (at: number) => boolean {
  return (at) => (!isLast && at >= length - CONTEXT) || (!isFirst && at < CONTEXT);
}

function lineOf(kind: DiffLine['kind'], text: string, oldNumber: number, newNumber: number): DiffLine {
  return {
    kind,
    text,
    oldNumber: kind === 'add' ? undefined : oldNumber,
    newNumber: kind === 'remove' ? undefined : newNumber,
    ranges: [],
  };
}

function shortened(line: DiffLine): DiffLine {
  return line.text.length > LONGEST_LINE ? { ...line, text: `${line.text.slice(0, LONGEST_LINE)}…` } : line;
}

type LineRun = { readonly kind: 'context' | 'change'; readonly context: DiffLine[]; readonly removed: DiffLine[]; readonly added: DiffLine[] };

/** Lines that are equal, or that took each other's place, together. */
function runsOf(lines: readonly DiffLine[]): LineRun[] {
  const runs: LineRun[] = [];
  for (const line of lines) {
    const kind = line.kind === 'context' ? 'context' : 'change';
    let run = runs.at(-1);
    if (run?.kind !== kind) runs.push((run = { kind, context: [], removed: [], added: [] }));
    (line.kind === 'context' ? run.context : line.kind === 'add' ? run.added : run.removed).push(line);
  }
  return runs;
}

function withRanges(lines: readonly DiffLine[]): DiffLine[] {
  let budget = MOST_INLINE;
  return runsOf(lines).flatMap((run) => {
    const pairs = Math.min(run.removed.length, run.added.length);
    if (run.kind === 'context') return run.context;
    if (run.removed.length !== run.added.length || pairs > budget) return [...run.removed, ...run.added];
    budget -= pairs;
    const ranges = run.removed.map((line, index) => changedRanges(line.text, run.added[index]?.text ?? ''));
    return [
      ...run.removed.map((line, index) => ({ ...line, ranges: ranges[index]?.before ?? [] })),
      ...run.added.map((line, index) => ({ ...line, ranges: ranges[index]?.after ?? [] })),
    ];
  });
}

/** Lines whose numbers follow each other. */
function hunksOf(lines: readonly DiffLine[]): DiffLine[][] {
  const hunks: DiffLine[][] = [];
  let last: { old: number; new: number } | undefined;
  for (const line of lines) {
    const isNext = last && (line.oldNumber ?? last.old + 1) === last.old + 1 && (line.newNumber ?? last.new + 1) === last.new + 1;
    if (isNext) hunks.at(-1)?.push(line);
    else hunks.push([line]);
    last = { old: line.oldNumber ?? last?.old ?? 0, new: line.newNumber ?? last?.new ?? 0 };
  }
  return hunks;
}

function hunk(lines: readonly DiffLine[]): Hunk {
  const olds = lines.flatMap((line) => line.oldNumber ?? []);
  const news = lines.flatMap((line) => line.newNumber ?? []);
  const [oldStart, newStart] = [olds[0] ?? 0, news[0] ?? 0];
  const header = `@@ -${oldStart},${olds.length} +${newStart},${news.length} @@`;
  const changed = lines.filter((line) => line.kind !== 'context').length;
  return { key: `h${oldStart}-${newStart}`, oldStart, newStart, header, changed, lines };
}

function count(lines: readonly DiffLine[], kind: DiffLine['kind']): number {
  return lines.filter((line) => line.kind === kind).length;
}
