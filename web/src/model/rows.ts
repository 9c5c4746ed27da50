// Makes the rows of a transcript from a session's log, and from what this page has sent and the server does not show yet.

import type { ItemId, TurnId } from '../gen/contracts';
import type { SessionView } from '../protocol/frames';
import type { Outgoing } from '../protocol/outbox';
import { outgoingKey, OutgoingRows } from './outgoing-rows';
import { kept, keptArray } from './row-identity';
import type { Row } from './row-types';
import { type MadeSection, Sections } from './sections';
import type { ItemOf, SessionLog } from './session-log';
import { Unconfirmed } from './unconfirmed';
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
  readonly log: Pick<SessionLog, 'order' | 'items' | 'turns'> & Partial<Pick<SessionLog, 'gap'>>;
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
  return pathTo(rows, itemId)[0]?.key;
}

/** The rows that an item is inside of, from the outermost to its own. */
export function pathTo(rows: readonly Row[], itemId: ItemId): readonly Row[] {
  for (const row of rows) {
    if (isOwn(row, itemId)) return [row];
    const inside = pathTo(insideOf(row), itemId);
    if (inside.length > 0) return [row, ...inside];
  }
  return [];
}

function isOwn(row: Row, itemId: ItemId): boolean {
  return ('item' in row && row.item?.id === itemId) || (row.kind === 'tool' && row.permission?.id === itemId);
}

function insideOf(row: Row): readonly Row[] {
  if (row.kind === 'tool') return row.children;
  return row.kind === 'fold' ? row.tools : [];
}

class Projector {
  private sections = new Sections();
  private outgoing = new OutgoingRows();
  /** The turns that messages of this page began: their rows keep the key that they had before the server told of them. */
  private own = new Map<TurnId, string>();
  private unconfirmed = new Unconfirmed();
  private shown: ReadonlySet<TurnId> = new Set();
  private last: Projection | undefined;

  project({ log, view, outgoing }: ProjectionInput): Projection {
    for (const { delivery, clientMessageId } of outgoing) {
      if (delivery.kind === 'accepted') this.own.set(delivery.turnId, outgoingKey(clientMessageId));
    }
    const claimed = this.unconfirmed.turns(log, outgoing, this.shown);
    const made = this.sections.update(log, view, withClaims(this.own, claimed));
    const pending = made.flatMap((section) => section.open);
    const running = made.filter((section) => section.input.turnId === view?.turn).flatMap((section) => section.input.items);
    this.shown = new Set(made.filter((section) => section.hasUserMessage).map((section) => section.input.turnId));
    const unseen = outgoing.filter(({ clientMessageId }) => !claimed.has(clientMessageId));
    const rows = [...made.flatMap((section) => withGap(section, log.gap?.next)), ...this.outgoing.update(unseen, this.shown)];
    const next: Projection = {
      rows: keptArray(this.last?.rows, rows),
      plan: made.findLast((section) => section.plan)?.plan,
      pending: keptArray(this.last?.pending, pending),
      waiting: keptWaiting(this.last?.waiting, waitingFor(view, running, pending)),
    };
    this.last = kept(this.last, next);
    return this.last;
  }
}

const GAP: Row = { kind: 'gap', key: 'gap', turnId: undefined };

/** The rows of a section, behind the gap if it begins there. */
function withGap({ input, rows }: MadeSection, next: ItemId | undefined): readonly Row[] {
  return next !== undefined && input.items[0]?.id === next ? [GAP, ...rows] : rows;
}

function withClaims(own: ReadonlyMap<TurnId, string>, claimed: ReadonlyMap<string, TurnId>): ReadonlyMap<TurnId, string> {
  if (claimed.size === 0) return own;
  return new Map([...own, ...[...claimed].map(([id, turn]): [TurnId, string] => [turn, outgoingKey(id)])]);
}

function keptWaiting(earlier: Waiting | undefined, later: Waiting | undefined): Waiting | undefined {
  return later && kept(earlier, later);
}
