// The rows of one turn: its items in order, sub-agents inside the call that began them, and how the turn ended.

import type { CallId, PermissionOptionKind, TurnId } from '../gen/contracts';
import { createBackgroundTest, type Test, wasEnded } from './background';
import { folded } from './fold';
import { indexRows, kept } from './row-identity';
import type { PermissionOutcomeKind, PermissionRow, Row, ToolRow, ToolStatus } from './row-types';
import { isItemOf, isTerminal, type Item, type ItemOf } from './session-log';
import type { Turn } from './turn';

export type SectionInput = {
  readonly turnId: TurnId;
  readonly items: readonly Item[];
  readonly turn: Turn | undefined;
  /** Whether the turn runs. After it, only background work changes. */
  readonly isRunning: boolean;
  /** Whether items whose call is not loaded may belong to background work. */
  readonly loose: 'running' | 'over';
  /** Whether these are the turn's last items, so that its end is told behind them. */
  readonly isLast: boolean;
  /** The key that the page's own message has, if it began this turn. */
  readonly userKey: string | undefined;
};

const NO_FILES: readonly [] = [];

/** What was made of a section before. */
export type EarlierSection = { readonly input: SectionInput; readonly rows: readonly Row[] };

export function sectionRows(input: SectionInput, made: EarlierSection | undefined): Row[] {
  const earlier = indexRows(made?.rows ?? []);
  const isSameRun = made?.input.isRunning === input.isRunning && made.input.userKey === input.userKey && made.input.loose === input.loose;
  const rows = new Section(input, earlier, isSameRun).rows();
  return input.isLast ? [...rows, ...endRows(input.turn, earlier)] : rows;
}

/** Nothing, an end line, or an error. */
function endRows(turn: Turn | undefined, earlier: ReadonlyMap<string, Row>): Row[] {
  if (!turn?.end) return [];
  const { turnId, end } = turn;
  const row: Row = end.kind === 'error'
    ? { kind: 'error', key: `error:${turnId}`, turnId, code: end.code, message: end.message, usage: end.usage }
    : { kind: 'turn-end', key: `end:${turnId}`, turnId, status: end.kind, usage: end.usage };
  return [kept(earlier.get(row.key), row)];
}

class Section {
  private calls = new Map<CallId, ItemOf<'tool_call'>>();
  private permissions = new Map<CallId, ItemOf<'permission'>>();
  private inside = new Map<CallId, Item[]>();
  private top: Item[] = [];
  private isInBackground: Test;

  constructor(
    private input: SectionInput,
    private earlier: ReadonlyMap<string, Row>,
    /** Whether rows of before can be taken as they are, where their items are the same. */
    private isSameRun: boolean,
  ) {
    for (const item of input.items) {
      if (isItemOf(item, 'tool_call')) this.calls.set(item.state.callId, item);
      if (isItemOf(item, 'permission')) this.permissions.set(item.state.callId, item);
    }
    for (const item of input.items) this.sort(item);
    this.isInBackground = createBackgroundTest(input.items, input.loose);
  }

  rows(): Row[] {
    return this.listed(this.top);
  }

  private sort(item: Item): void {
    const parent = item.state.parentCallId;
    if (parent === undefined || !this.isRooted(parent)) this.top.push(item);
    else this.inside.set(parent, [...(this.inside.get(parent) ?? []), item]);
  }

  // A call that is not here, or that stands inside of itself, would hide its items.
  private isRooted(call: CallId): boolean {
    const seen = new Set<CallId>();
    for (let next: CallId | undefined = call; next !== undefined; next = this.calls.get(next)?.state.parentCallId) {
      if (seen.has(next)) return false;
      seen.add(next);
    }
    return this.calls.has(call);
  }

  private listed(items: readonly Item[]): Row[] {
    const rows = items.map((item) => this.unchanged(item) ?? this.changed(item)).filter((row) => row !== undefined);
    return folded(rows).map((row) => (row.kind === 'fold' ? kept(this.earlier.get(row.key), row) : row));
  }

  // Turns may be long: most rows are told apart by one look at their items.
  private unchanged(item: Item): Row | undefined {
    const row = this.isSameRun ? this.earlier.get(item.id) : undefined;
    if (!row || !('item' in row) || row.item !== item) return undefined;
    if (this.mayHaveEnded(item)) return undefined;
    if (row.kind !== 'tool') return row;
    const { callId } = row.item.state;
    return row.children.length === 0 && !this.inside.has(callId) && row.permission === this.shownPermission(callId) ? row : undefined;
  }

  // What is open after a turn ends with the background work it belongs to, without a state of its own.
  private mayHaveEnded(item: Item): boolean {
    return !this.input.isRunning && (item.state.type === 'plan' || !isTerminal(item.state.status));
  }

  private changed(item: Item): Row | undefined {
    const row = this.row(item);
    return row && kept(this.earlier.get(row.key), row);
  }

  private row(item: Item): Row | undefined {
    const base = { key: item.id, turnId: item.state.turnId };
    if (isItemOf(item, 'message')) return this.messageRow(item);
    if (isItemOf(item, 'tool_call')) return this.toolRow(item);
    if (isItemOf(item, 'permission')) return this.permissionRow(item);
    if (isItemOf(item, 'plan')) return { kind: 'plan', ...base, item, isRunning: this.isLive(item) };
    if (!isItemOf(item, 'thinking') || isBlank(item)) return undefined;
    return { kind: 'thinking', ...base, item, isStreaming: this.isOpen(item), durationMs: duration(item) };
  }

  private messageRow(item: ItemOf<'message'>): Row | undefined {
    const { origin, content, turnId, parentCallId } = item.state;
    const base = { key: item.id, turnId };
    if (origin === 'user') {
      const key = parentCallId === undefined ? (this.input.userKey ?? item.id) : item.id;
      return { ...base, kind: 'user', key, text: content, files: item.state.attachments ?? NO_FILES, at: item.state.sourceTimestamp, item, outgoing: undefined };
    }
    if (isBlank(item)) return undefined;
    if (origin === 'system') return { kind: 'note', ...base, item };
    return { kind: 'agent', ...base, item, isStreaming: this.isOpen(item) };
  }

  private toolRow(item: ItemOf<'tool_call'>): ToolRow {
    const { turnId, callId } = item.state;
    const permission = this.permissions.get(callId);
    const children = this.listed(this.inside.get(callId) ?? []);
    const status = this.toolStatus(item, permission);
    const shown = this.shownPermission(callId);
    return { kind: 'tool', key: item.id, turnId, item, status, durationMs: duration(item), permission: shown, children };
  }

  // Questions have rows of their own.
  private shownPermission(callId: CallId): ItemOf<'permission'> | undefined {
    const permission = this.permissions.get(callId);
    return permission?.state.questions?.length ? undefined : permission;
  }

  private toolStatus(item: ItemOf<'tool_call'>, permission: ItemOf<'permission'> | undefined): ToolStatus {
    const { state } = item;
    if (state.status === 'complete') return state.toolOutputIsError ? 'error' : 'ok';
    if (state.status === 'error') return wasEnded(state) ? 'ended' : 'error';
    if (!this.isLive(item)) return 'cancelled';
    if (permission && this.isOpen(permission)) return permission.state.questions?.length ? 'needs-answer' : 'needs-approval';
    return state.status === 'create' && Object.keys(state.toolArguments).length === 0 ? 'pending' : 'running';
  }

  // The card of a call tells the outcome of its newest request; earlier ones stay as rows.
  private permissionRow(item: ItemOf<'permission'>): PermissionRow | undefined {
    if (this.isOpen(item)) return undefined;
    const { callId, turnId, questions } = item.state;
    if (!questions?.length && this.calls.has(callId) && this.permissions.get(callId) === item) return undefined;
    return { kind: 'permission', key: item.id, turnId, item, ...permissionOutcome(item) };
  }

  private isOpen(item: Item): boolean {
    return !isTerminal(item.state.status) && this.isLive(item);
  }

  /** Whether states may still come. */
  private isLive(item: Item): boolean {
    return this.input.isRunning || this.isInBackground(item);
  }
}

/** What an option of an unknown kind stands for is not known; it was chosen. */
const OUTCOMES: Partial<Record<PermissionOptionKind, PermissionOutcomeKind>> = {
  allow_once: 'allowed', allow_always: 'allowed', reject_once: 'rejected', reject_always: 'rejected',
};

/** What became of a request that no longer waits. */
export function permissionOutcome(
  item: ItemOf<'permission'>,
): { outcome: PermissionOutcomeKind; chosen: string | undefined } {
  const { status, outcome, options, errorCode } = item.state;
  if (status === 'error') {
    // Requests of earlier versions have no outcome.
    const isTimeout = outcome ? outcome.by === 'timeout' : errorCode === 'PERMISSION_LAPSED';
    return { outcome: isTimeout ? 'lapsed' : 'withdrawn', chosen: undefined };
  }
  const option = options.find((candidate) => candidate.optionId === outcome?.optionId);
  const kind = option && (OUTCOMES[option.kind] ?? 'answered');
  if (kind !== 'rejected' && Object.keys(outcome?.answers ?? {}).length > 0) return { outcome: 'answered', chosen: undefined };
  if (kind) return { outcome: kind, chosen: option.name };
  return { outcome: 'withdrawn', chosen: undefined };
}

function isBlank(item: ItemOf<'message'> | ItemOf<'thinking'>): boolean {
  return item.state.status === 'complete' && item.state.content.trim() === '';
}

function duration(item: Item): number | undefined {
  if (item.startedAt === undefined || !isTerminal(item.state.status)) return undefined;
  const milliseconds = Date.parse(item.state.sourceTimestamp) - Date.parse(item.startedAt);
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined;
}
