/** How a tool call is put into words: its icon, its title and its arguments. Knows no elements. */
import type { Diff, ToolKind } from '../../gen/contracts';
import type { ToolRow, ToolStatus } from '../../model/rows';
import type { IconName } from '../parts/Icon';

export const KIND_ICONS: Record<ToolKind, IconName> = {
  read: 'file', edit: 'edit', execute: 'terminal', search: 'search', fetch: 'globe', think: 'brain', other: 'tool',
};

export const STATUS_WORDS: Record<ToolStatus, string> = {
  pending: 'pending', 'needs-approval': 'needs approval', 'needs-answer': 'waiting for you', running: 'running', ok: 'done', error: 'failed', cancelled: 'cancelled', ended: 'ended',
};

const VERBS: Record<ToolKind, string> = { read: 'Read', edit: 'Edit', execute: 'Run', search: 'Search', fetch: 'Fetch', think: 'Think', other: '' };

type Given = { toolArguments: Record<string, unknown>; title: string | undefined; diffs: readonly Diff[] | undefined };

/** What was allowed, if it differs from what the call was announced with; then its title is of no worth either. */
export function givenTo({ item, permission }: ToolRow): Given {
  if (permission?.state.announcedInput) return { toolArguments: permission.state.input, title: undefined, diffs: permission.state.diffs };
  return { toolArguments: item.state.toolArguments, title: item.state.title, diffs: item.state.diffs };
}

/** The arguments that say what a call is about, the most telling first. */
const TELLING = ['command', 'file_path', 'path', 'notebook_path', 'pattern', 'query', 'url', 'description', 'prompt'];

const SUB_AGENTS = ['Task', 'Agent'];

export interface ToolWords {
  verb: string;
  subject: string;
  isCode: boolean;
}

/** "Run `npm test`", "Edit src/main.rs". */
export function wordsOf(row: ToolRow, directory: string | undefined): ToolWords {
  const { toolName, kind, locations } = row.item.state;
  const { toolArguments, title, diffs } = givenTo(row);
  if (row.children.length > 0 || SUB_AGENTS.includes(toolName)) return { verb: 'Sub-agent', subject: firstLine(title ?? text(toolArguments['description']) ?? ''), isCode: false };
  const verb = (kind && VERBS[kind]) || toolName;
  if (kind === 'execute') return { verb, subject: firstLine(commandOf(toolArguments) ?? title ?? toolName), isCode: true };
  const place = locations?.[0]?.path ?? diffs?.[0]?.path ?? text(toolArguments['file_path']) ?? text(toolArguments['path']);
  if ((kind === 'read' || kind === 'edit') && place) return { verb, subject: shortPath(place, directory), isCode: true };
  const subject = title ?? TELLING.map((name) => text(toolArguments[name])).find((value) => value !== undefined) ?? '';
  return { verb, subject: firstLine(withoutVerb(subject, verb)), isCode: kind === 'search' };
}

/** Many agents say in the title what the verb says already. */
function withoutVerb(subject: string, verb: string): string {
  if (subject === verb) return '';
  return subject.startsWith(`${verb} `) ? subject.slice(verb.length + 1) : subject;
}

export function commandOf(given: Record<string, unknown>): string | undefined {
  const command = given['command'];
  if (Array.isArray(command)) return command.map(String).join(' ');
  return text(command) ?? text(given['cmd']);
}

export interface Argument {
  name: string;
  value: string;
  isLong: boolean;
}

/** The arguments as people read them; what is shown elsewhere, as a diff or a command, is left out. */
export function argumentsOf(row: ToolRow): Argument[] {
  const { toolArguments, diffs } = givenTo(row);
  const { kind } = row.item.state;
  const isShown = (name: string): boolean =>
    (kind === 'execute' && (name === 'command' || name === 'cmd')) || ((diffs?.length ?? 0) > 0 && /^(old_string|new_string|content|edits|changes)$/.test(name));
  return Object.entries(toolArguments).filter(([name]) => !isShown(name)).map(([name, found]) => {
    const value = typeof found === 'string' ? found : JSON.stringify(found, null, 2);
    return { name: name.replace(/_/g, ' '), value, isLong: value.length > 120 || value.includes('\n') };
  });
}

export function shortPath(path: string, directory: string | undefined): string {
  return directory && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function firstLine(value: string): string {
  const line = value.trimStart().split('\n', 1)[0] ?? '';
  return line.length < value.trim().length ? `${line} …` : line;
}
