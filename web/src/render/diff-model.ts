import type { Diff } from '../gen/contracts';

export type Range = readonly [start: number, end: number];
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
  readonly oldStart: number; readonly newStart: number;
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

export declare function diffModel(diff: Diff): DiffModel;
export declare function splitRows(hunk: Hunk): SplitRow[];
