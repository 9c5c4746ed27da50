// What is shown of a command's output: its beginning and its end. The cost of a long output is one look for line ends, and
// that of a long line is nothing.

export type OutputLine = {
  readonly text: string;
  /** Characters of it that are not shown. */
  readonly cut: number;
};
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

const HEAD = 200;
const TAIL = 300;
const LONGEST_LINE = 2_000;

export function outputModel(text: string): OutputModel {
  const index = lineIndex(text);
  const { count } = index;
  const isShort = count <= HEAD + TAIL;
  const head = shownLines(index, 0, isShort ? count : HEAD);
  const tail = isShort ? [] : shownLines(index, count - TAIL, count);
  const hiddenLines = count - head.length - tail.length;
  const isWhole = hiddenLines === 0 && [...head, ...tail].every((line) => line.cut === 0);
  return { head, hiddenLines, tail, totalLines: count, length: text.length, exitCode: exitCodeOf(text), isWhole };
}

/** "Show all (30,000 lines, 1.2 MB)". */
export function showAllText({ totalLines, length }: OutputModel): string {
  const lines = totalLines === 1 ? '1 line' : `${totalLines.toLocaleString('en-US')} lines`;
  return `Show all (${lines}, ${sizeText(length)})`;
}

export type LineIndex = { readonly count: number; line(index: number): string };

/** The lines of a text for a virtual list, without cutting it apart. A line end at the very end begins no line. */
export function lineIndex(text: string): LineIndex {
  const starts = text === '' ? [] : [0];
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const line = (index: number) => {
    const start = starts[index];
    if (start === undefined) return '';
    const end = starts[index + 1] ?? (text.endsWith('\n') ? text.length : text.length + 1);
    return text.slice(start, end - 1).replace(/\r$/, '');
  };
  return { count: starts.length, line };
}

function shownLines(index: LineIndex, from: number, to: number): OutputLine[] {
  return Array.from({ length: to - from }, (_, offset) => shownLine(index.line(from + offset)));
}

function shownLine(line: string): OutputLine {
  if (line.length <= LONGEST_LINE) return { text: line, cut: 0 };
  // A progress bar writes over itself: what stands there in the end is what comes last.
  const last = line.slice(-LONGEST_LINE);
  const at = last.indexOf('\r');
  const text = at >= 0 ? last.slice(at + 1) : wholeCharacters(line.slice(0, LONGEST_LINE));
  return { text, cut: line.length - text.length };
}

function wholeCharacters(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}

// Agents tell it in the first line.
function exitCodeOf(text: string): number | undefined {
  const code = /^(?:Process exited with |Command exited with )?exit code:? (-?\d+)\b/i.exec(text.slice(0, 80))?.[1];
  return code === undefined ? undefined : Number(code);
}

function sizeText(length: number): string {
  if (length < 1000) return `${length} B`;
  if (length < 1_000_000) return `${Math.round(length / 1000)} KB`;
  return `${(length / 1_000_000).toFixed(1)} MB`;
}
