// The turns of a session in the order in which they began, from milestones that may come twice or out of order.

import type { TurnEvent, TurnId } from '../gen/contracts';
import { applyTurnEvent, type Turn } from './turn';

type Entry = { readonly turn: Turn; readonly seq: number };

export type TurnList = {
  /** A new array when something changed. */
  all(): readonly Turn[];
  /** Whether it changed anything. Without a `seq` it is as new as can be. */
  apply(event: TurnEvent, seq: number | undefined): boolean;
  replace(events: readonly TurnEvent[]): void;
  /** Turns of an older page, in front of one or of all; returns those that changed. */
  prepend(events: readonly TurnEvent[], next?: TurnId): TurnId[];
};

export function createTurnList(): TurnList {
  let entries: Entry[] = [];
  let turns: readonly Turn[] = [];

  const store = (next: Entry[]) => {
    entries = next;
    turns = next.map((entry) => entry.turn);
  };

  const apply = (event: TurnEvent, seq: number | undefined): boolean => {
    const index = entries.findLastIndex((entry) => entry.turn.turnId === event.turnId);
    const held = entries[index];
    const turn = applyTurnEvent(held?.turn, event);
    const place = Math.min(held?.seq ?? Infinity, seq ?? Infinity);
    if (held && turn === held.turn && place === held.seq) return false;
    store(settled(index < 0 ? entries : entries.toSpliced(index, 1), { turn, seq: place }, index));
    return !held || turn !== held.turn;
  };

  return {
    all: () => turns,
    apply,
    replace: (events) => store(gathered(events)),
    prepend(events, next) {
      const older = gathered(events);
      const known = new Set(entries.map((entry) => entry.turn.turnId));
      const fresh = older.filter((entry) => !known.has(entry.turn.turnId));
      const at = Math.max(0, entries.findIndex((entry) => entry.turn.turnId === next));
      if (fresh.length > 0) store(entries.toSpliced(at, 0, ...fresh));
      const changed = events.filter((event) => known.has(event.turnId) && apply(event, undefined));
      return [...fresh.map((entry) => entry.turn.turnId), ...changed.map((event) => event.turnId)];
    },
  };
}

// Turns of a history have no number: they come before all that have one.
const FROM_HISTORY = -1;

function gathered(events: readonly TurnEvent[]): Entry[] {
  const turns = new Map<TurnId, Turn>();
  for (const event of events) turns.set(event.turnId, applyTurnEvent(turns.get(event.turnId), event));
  return [...turns.values()].map((turn) => ({ turn, seq: FROM_HISTORY }));
}

function settled(entries: readonly Entry[], entry: Entry, index: number): Entry[] {
  if (entry.seq === FROM_HISTORY) return entries.toSpliced(index, 0, entry);
  const place = entries.findLastIndex((other) => other.seq <= entry.seq) + 1;
  return entries.toSpliced(place, 0, entry);
}
