// Makes the rows of a transcript from a session's log, and from what this page has sent and the server does not show yet.

import type { ItemId, TurnId } from '../gen/contracts';
import type { SessionView } from '../protocol/frames';
import type { Outgoing } from '../protocol/outbox';
import { indexRows, kept, keptArray } from './row-identity';
import type { Row, UserRow } from './row-types';
import { endRows, type SectionInput, sectionRows } from './section';
import { isItemOf, isTerminal, type Item, type ItemOf, type SessionLog } from './session-log';
import type { Turn } from './turn';
import { type Waiting, waitingFor } from './waiting';

export type * from './row-types';

export type Projection = {
  /** A row is the same object as long as nothing in it changed; the array is, if no row changed. */
  readonly rows: readonly Row[];
  /** The newest plan, for the dock. */
  readonly plan: ItemOf<'plan'> | undefined;
  /** Permission items that wait for an answer, oldest first. */
  readonly pending: readonly ItemOf<'permission'>[];
  readonly waiting: Waiting | undefined;
};

export type ProjectionInput = {
  readonly log: Pick<SessionLog, 'order' | 'items' | 'turns'>;
  readonly view: SessionView | undefined;
  readonly outgoing: readonly Outgoing[];
};

/** Keeps what it made, to give the same rows again. One per session. */
export function createProjector(): (input: ProjectionInput) => Projection {
  const projector = new Projector();
  return (input) => projector.project(input);
}

/** Which row shows an item, for deep links and search: the key of the top-level row. */
export function rowKeyOf(rows: readonly Row[], itemId: ItemId): string | undefined {
  return rows.find((row) => shows(row, itemId))?.key;
}

function shows(row: Row, itemId: ItemId): boolean {
  if ('item' in row && row.item?.id === itemId) return true;
  if (row.kind === 'tool') return row.permission?.id === itemId || row.children.some((child) => shows(child, itemId));
  return row.kind === 'fold' && row.tools.some((tool) => shows(tool, itemId));
}

type Made = { readonly input: SectionInput; readonly rows: readonly Row[] };

class Projector {
  private made = new Map<string, Made>();
  private outgoingRows = new Map<string, Row>();
  /** The turns that messages of this page began: their rows keep the key that they had before the server told of them. */
  private own = new Map<TurnId, string>();
  private last: Projection | undefined;

  project(input: ProjectionInput): Projection {
    for (const { delivery, clientMessageId } of input.outgoing) {
      if (delivery.kind === 'accepted') this.own.set(delivery.turnId, outgoingKey(clientMessageId));
    }
    const items = input.log.order.map((id) => input.log.items.get(id)).filter((item) => item !== undefined);
    const sections = this.sections(items, input);
    const rows = [...this.rowsOf(sections, input.log.turns), ...this.outgoing(items, input.outgoing)];
    const pending = items.filter((item) => isWaiting(item, input));
    const running = items.filter((item) => item.state.turnId === input.view?.turn);
    const next: Projection = {
      rows: keptArray(this.last?.rows, rows),
      plan: items.findLast((item) => isItemOf(item, 'plan') && item.state.parentCallId === undefined) as ItemOf<'plan'> | undefined,
      pending: keptArray(this.last?.pending, pending),
      waiting: keptWaiting(this.last?.waiting, waitingFor(input.view, running, pending)),
    };
    this.last = kept(this.last, next);
    return this.last;
  }

  private sections(items: readonly Item[], { log, view }: ProjectionInput): SectionInput[] {
    const turns = new Map(log.turns.map((turn) => [turn.turnId, turn]));
    const groups = grouped(items);
    const lasts = new Map(groups.map((group, index) => [group[0]?.state.turnId, index]));
    return groups.map((group, index) => {
      const turnId = group[0]?.state.turnId ?? '';
      const turn = turns.get(turnId);
      return {
        turnId, items: group, turn, isRunning: isRunning(turn, turnId, view),
        isLast: lasts.get(turnId) === index, userKey: this.own.get(turnId),
      };
    });
  }

  private rowsOf(sections: readonly SectionInput[], turns: readonly Turn[]): Row[] {
    const made = new Map<string, Made>();
    const silent = silentTurns(sections, turns);
    const parts = new Map<TurnId, number>();
    const rows = sections.flatMap((section) => {
      const part = parts.get(section.turnId) ?? 0;
      parts.set(section.turnId, part + 1);
      const key = `${section.turnId}#${part}`;
      const entry = this.make(key, section);
      made.set(key, entry);
      const before = part === 0 ? this.ends(silent.get(section.turnId) ?? [], made) : [];
      return [...before, ...entry.rows];
    });
    rows.push(...this.ends(silent.get(undefined) ?? [], made));
    this.made = made;
    return rows;
  }

  private make(key: string, input: SectionInput): Made {
    const earlier = this.made.get(key);
    const merged = kept(earlier?.input, input);
    if (earlier && merged === earlier.input) return earlier;
    return { input, rows: sectionRows(input, indexRows(earlier?.rows ?? [])) };
  }

  // Turns that ended before they said anything.
  private ends(turns: readonly Turn[], made: Map<string, Made>): Row[] {
    return turns.flatMap((turn) => {
      const key = `${turn.turnId}#end`;
      const input = { turnId: turn.turnId, items: [], turn, isRunning: false, isLast: true, userKey: undefined };
      const rows = endRows(turn, indexRows(this.made.get(key)?.rows ?? []));
      made.set(key, { input, rows });
      return rows;
    });
  }

  private outgoing(items: readonly Item[], outgoing: readonly Outgoing[]): Row[] {
    const shown = new Set(items.filter(isOwnMessage).map((item) => item.state.turnId));
    const rows = outgoing.filter((entry) => isUnseen(entry, shown)).map((entry) => {
      const row = outgoingRow(entry);
      return kept(this.outgoingRows.get(row.key), row);
    });
    this.outgoingRows = new Map(rows.map((row) => [row.key, row]));
    return rows;
  }
}

// Items of one turn that follow each other.
function grouped(items: readonly Item[]): Item[][] {
  const groups: Item[][] = [];
  for (const item of items) {
    const group = groups.at(-1);
    if (group?.[0]?.state.turnId === item.state.turnId) group.push(item);
    else groups.push([item]);
  }
  return groups;
}

/** Ended turns without items, by the turn in front of whose items they stand. */
function silentTurns(sections: readonly SectionInput[], turns: readonly Turn[]): Map<TurnId | undefined, Turn[]> {
  const shown = new Set(sections.map((section) => section.turnId));
  const silent = new Map<TurnId | undefined, Turn[]>();
  let next: TurnId | undefined;
  for (const turn of turns.toReversed()) {
    if (shown.has(turn.turnId)) next = turn.turnId;
    else if (turn.end) silent.set(next, [turn, ...(silent.get(next) ?? [])]);
  }
  return silent;
}

function isRunning(turn: Turn | undefined, turnId: TurnId, view: SessionView | undefined): boolean {
  return turn ? turn.end === undefined : view?.turn === turnId;
}

function isWaiting(item: Item, { log, view }: ProjectionInput): item is ItemOf<'permission'> {
  if (!isItemOf(item, 'permission') || isTerminal(item.state.status)) return false;
  return isRunning(log.turns.find((turn) => turn.turnId === item.state.turnId), item.state.turnId, view);
}

function isOwnMessage(item: Item): boolean {
  return isItemOf(item, 'message') && item.state.origin === 'user' && item.state.parentCallId === undefined;
}

// Queued ones are in the server's queue, which is shown by itself.
function isUnseen({ delivery }: Outgoing, shown: ReadonlySet<TurnId>): boolean {
  if (delivery.kind === 'accepted') return !shown.has(delivery.turnId);
  return delivery.kind !== 'queued';
}

function outgoingRow(entry: Outgoing): UserRow {
  const { clientMessageId, text, createdAt, delivery } = entry;
  const turnId = delivery.kind === 'accepted' ? delivery.turnId : undefined;
  const at = new Date(createdAt).toISOString();
  return { kind: 'user', key: outgoingKey(clientMessageId), turnId, text, at, item: undefined, outgoing: entry };
}

function outgoingKey(clientMessageId: string): string {
  return `out:${clientMessageId}`;
}

function keptWaiting(earlier: Waiting | undefined, later: Waiting | undefined): Waiting | undefined {
  return later && kept(earlier, later);
}
