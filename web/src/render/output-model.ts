export type OutputLine = { readonly text: string; /** Characters that were cut off its end. */ readonly cut: number };
export type OutputModel = {
  readonly head: readonly OutputLine[];
  readonly hiddenLines: number;
  readonly tail: readonly OutputLine[];
  readonly totalLines: number;
  /** UTF-16 units. */
  readonly length: number;
  readonly exitCode: number | undefined;
  /** Whether all of it is shown. */
  readonly isWhole: boolean;
};
export declare function outputModel(text: string): OutputModel;
/** "Show all (30,000 lines, 1.2 MB)". */
export declare function showAllText(model: OutputModel): string;
/** The lines of a text for a virtual list, without cutting it apart. */
export declare function lineIndex(text: string): { readonly count: number; line(index: number): string };
