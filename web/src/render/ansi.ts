export type AnsiSpan = {
  readonly text: string;
  /** `ansi-red`, `ansi-bold`, `ansi-background-blue`, … */
  readonly classes: string;
  /** For colours beyond the sixteen: `rgb(…)`. */
  readonly color?: string;
  readonly background?: string;
};
export type AnsiLine = readonly AnsiSpan[];

export declare function ansiLines(lines: readonly string[]): AnsiLine[];
export declare function stripAnsi(text: string): string;
