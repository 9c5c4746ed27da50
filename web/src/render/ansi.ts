// What a command wrote for a terminal, as coloured pieces of text. Never HTML.

import Anser, { type AnserJsonEntry } from 'anser';
import { TerminalLine } from './terminal-line';

export type AnsiSpan = {
  readonly text: string;
  /** `ansi-red`, `ansi-bold`, `ansi-background-blue`, … */
  readonly classes: string;
  /** For colours beyond the sixteen: `rgb(…)`. */
  readonly color?: string;
  readonly background?: string;
};
export type AnsiLine = readonly AnsiSpan[];

type Style = Omit<AnsiSpan, 'text'>;

/** Colours go on from line to line. */
export function ansiLines(lines: readonly string[]): AnsiLine[] {
  const text = prepared(lines.join('\n'));
  if (!text.includes('\u001b') && !CONTROL.test(text)) return text.split('\n').map(plainLine);
  const entries = new Anser().ansiToJson(text, { json: true, use_classes: true, remove_empty: true });
  const out: TerminalLine<Style>[] = [new TerminalLine<Style>()];
  for (const entry of entries) writeEntry(out, entry.content, styleOf(entry));
  return out.map((line) => line.take().map(({ text: part, style }) => ({ text: part, ...style })));
}

/** The text that is left without any sequence, for copying and searching. */
export function stripAnsi(text: string): string {
   
  return prepared(text).replace(/\u001b\[[\d;]*m/g, '').replace(/[\u0001\u0002]/g, '');
}

/** Stand for "erase to the end of the line" and "erase the line", which the reader of colours does not know. */
const ERASE_REST = '\u0001';
const ERASE_ALL = '\u0002';

 
const CONTROL = /[\r\b\u0001\u0002]/;
const PARTS = /[\r\n\b\u0001\u0002]|[^\r\n\b\u0001\u0002]+/g;
const UNSEEN = /[\u0000-\u0006\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]/g;
/** Ends strings, so it goes after them. */
const BELL = '\u0007';
/** Titles, links and other strings for the terminal itself; some are never ended. */
const STRINGS = /\u001b[\]PX^_][^\u0007\u001b\n]*(?:\u0007|\u001b\\|(?=[\n\u001b])|$)/g;
const SEQUENCE = /\u001b\[([<-?]*)([\d;:]*)[ -/]*([@-~])/g;
/** Everything else that an escape begins, also one that was cut off. */
const OTHER = /\u001b(?!\[[\d;]*m)(?:[ -/]*[0-Z\\^-~]|\[[\d;:]*)?/g;
 

function plainLine(text: string): AnsiLine {
  return text === '' ? [] : [{ text, classes: '' }];
}

// Leaves only what sets colours.
function prepared(text: string): string {
  const known = text.replace(/\r+\n/g, '\n').replace(UNSEEN, '');
  const coloured = known.includes('\u001b') ? known.replace(STRINGS, '').replace(SEQUENCE, kept).replace(OTHER, '') : known;
  return coloured.replaceAll(BELL, '');
}

function kept(_: string, mark: string, numbers: string, letter: string): string {
  if (mark !== '') return '';
  if (letter === 'm') return `\u001b[${numbers.replaceAll(':', ';')}m`;
  if (letter !== 'K') return '';
  return numbers === '' || numbers === '0' ? ERASE_REST : ERASE_ALL;
}

function writeEntry(lines: TerminalLine<Style>[], content: string, style: Style): void {
  for (const [part] of content.matchAll(PARTS)) {
    const line = lines.at(-1);
    if (part === '\n') lines.push(new TerminalLine<Style>());
    else if (part === '\r') line?.toStart();
    else if (part === '\b') line?.back();
    else if (part === ERASE_REST) line?.eraseRest();
    else if (part === ERASE_ALL) line?.eraseAll();
    else line?.write(part, style);
  }
}

function styleOf({ fg, bg, fg_truecolor, bg_truecolor, decorations }: AnserJsonEntry): Style {
  const [color, background] = [colour(fg, fg_truecolor), colour(bg, bg_truecolor)];
  const names = [color.name, background.name?.replace('ansi-', 'ansi-background-'), ...decorations.map((word) => `ansi-${word}`)];
  return {
    classes: names.filter((name) => name !== undefined).join(' '),
    ...(color.value === undefined ? {} : { color: color.value }),
    ...(background.value === undefined ? {} : { background: background.value }),
  };
}

function colour(name: string | null, truecolor: string | null): { name?: string; value?: string } {
  if (!name) return {};
  if (name === 'ansi-truecolor') return truecolor ? { value: `rgb(${truecolor})` } : {};
  const index = /^ansi-palette-(\d+)$/.exec(name)?.[1];
  return index === undefined ? { name } : { value: paletteColour(Number(index)) };
}

/** The 6 × 6 × 6 cube and the greys of terminals with 256 colours. */
function paletteColour(index: number): string {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${grey}, ${grey}, ${grey})`;
  }
  const cube = index - 16;
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  return `rgb(${level(Math.floor(cube / 36))}, ${level(Math.floor(cube / 6) % 6)}, ${level(cube % 6)})`;
}
