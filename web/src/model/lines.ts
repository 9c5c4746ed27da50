// Lines of a text that may be too long to show at once. What is left out is counted.

/** The sign of a change; "⋯" stands for unchanged lines that are not shown. */
export type Sign = '' | '+' | '−' | ' ' | '⋯';
export type Line = { readonly number: number | undefined; readonly sign: Sign; readonly text: string };
export type Folded = { readonly head: readonly Line[]; readonly hidden: number; readonly tail: readonly Line[] };
export type Clipped = { readonly head: string; readonly hidden: number; readonly tail: string };

const MOST = 40;
const HEAD = 24;
const TAIL = 12;
const LONGEST = 1_000;
const LINE_HEAD = 600;
const LINE_TAIL = 300;

export function linesOf(text: string, sign: Sign = ''): Line[] {
  const lines = text.split('\n');
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  const isNumbered = lines.length > 1;
  return lines.map((line, index) => ({ number: isNumbered ? index + 1 : undefined, sign, text: line }));
}

export function folded(lines: readonly Line[]): Folded {
  if (lines.length <= MOST) return { head: lines, hidden: 0, tail: [] };
  return { head: lines.slice(0, HEAD), hidden: lines.length - HEAD - TAIL, tail: lines.slice(-TAIL) };
}

export function clipped(text: string): Clipped {
  if (text.length <= LONGEST) return { head: text, hidden: 0, tail: '' };
  return { head: text.slice(0, LINE_HEAD), hidden: text.length - LINE_HEAD - LINE_TAIL, tail: text.slice(-LINE_TAIL) };
}

/** Whether a part of these lines is left out at first. */
export function isLong(lines: readonly Line[]): boolean {
  return lines.length > MOST || lines.some((line) => line.text.length > LONGEST);
}
