// What a request asks to do, in parts that can be read: commands, files, changes and other values. Made from the
// request's own input only; every value of it is in exactly one part, so nothing is left out.

import type { Diff } from '../gen/contracts';

export type AskedPart =
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'change'; readonly diff: Diff }
  | { readonly kind: 'value'; readonly name: string; readonly text: string };

export type Input = Readonly<Record<string, unknown>>;
export type Asked = { readonly input: Input; readonly diffs?: readonly Diff[] | undefined };

export function partsOf({ input, diffs = [] }: Asked): AskedPart[] {
  const taken = new Set<string>();
  const take = (name: string): string | undefined => {
    const value = input[name];
    if (typeof value !== 'string') return undefined;
    taken.add(name);
    return value;
  };
  const told = [...commandParts(input, taken), ...fileParts(input, take), ...editParts(input, taken)];
  const hasChange = told.some((part) => part.kind !== 'command');
  const changes: AskedPart[] = hasChange ? [] : diffs.map((diff) => ({ kind: 'change', diff }));
  const values = Object.entries(input).filter(([name]) => !taken.has(name)).map(([name, value]): AskedPart => ({ kind: 'value', name, text: valueText(value) }));
  return [...told, ...changes, ...values];
}

/** One line that names the request, where there is room for no more. */
export function subjectOf(asked: Asked): string {
  const [part] = partsOf(asked);
  if (!part) return '';
  if (part.kind === 'file') return part.path;
  return part.kind === 'change' ? part.diff.path : part.text;
}

export function commandText(command: unknown): string | undefined {
  if (typeof command === 'string') return command;
  if (Array.isArray(command) && command.every((word) => typeof word === 'string')) return command.map(quoted).join(' ');
  return undefined;
}

/** Words of a command line, so that ["sh", "-c", "a b"] does not look like four of them. */
function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : JSON.stringify(word);
}

function commandParts(input: Input, taken: Set<string>): AskedPart[] {
  for (const name of ['command', 'cmd']) {
    const text = commandText(input[name]);
    if (text === undefined) continue;
    taken.add(name);
    return [{ kind: 'command', text }];
  }
  return [];
}

type Take = (name: string) => string | undefined;

const PATHS = ['file_path', 'filePath', 'notebook_path', 'path'];

function pathIn(input: Input): string | undefined {
  return PATHS.find((name) => typeof input[name] === 'string');
}

/** A whole file, or one replacement in it. */
function fileParts(input: Input, take: Take): AskedPart[] {
  const pathName = pathIn(input);
  if (pathName === undefined) return [];
  if (typeof input['old_string'] === 'string' && typeof input['new_string'] === 'string') {
    const diff = { path: take(pathName) ?? '', oldText: take('old_string') ?? '', newText: take('new_string') ?? '' };
    return [{ kind: 'change', diff }];
  }
  if (typeof input['content'] !== 'string') return [];
  return [{ kind: 'file', path: take(pathName) ?? '', text: take('content') ?? '' }];
}

/** Several replacements in one file. An edit with anything beside its two texts stays as it came. */
function editParts(input: Input, taken: Set<string>): AskedPart[] {
  const pathName = pathIn(input);
  const edits = input['edits'];
  if (pathName === undefined || taken.has(pathName) || !Array.isArray(edits) || edits.length === 0 || !edits.every(isPlainEdit)) return [];
  const path = String(input[pathName]);
  taken.add(pathName);
  taken.add('edits');
  return edits.map((edit) => ({ kind: 'change', diff: { path, oldText: edit.old_string, newText: edit.new_string } }));
}

function isPlainEdit(edit: unknown): edit is { old_string: string; new_string: string } {
  if (typeof edit !== 'object' || edit === null || Object.keys(edit).length !== 2) return false;
  const { old_string: before, new_string: after } = edit as Record<string, unknown>;
  return typeof before === 'string' && typeof after === 'string';
}

/** JSON up to this length stays on one line. */
const SHORT = 80;

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  const compact = JSON.stringify(value);
  return compact.length <= SHORT ? compact : JSON.stringify(value, null, 2);
}
