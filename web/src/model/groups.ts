// A session's items in groups, one per run of items of a turn. What a sub-agent does stands with the call that began it,
// however many turns have begun since: background work goes on while others run.

import type { CallId, ItemId, TurnId } from '../gen/contracts';
import type { Item, SessionLog } from './session-log';
import type { Turn } from './turn';

export type Group = {
  readonly key: string;
  readonly turnId: TurnId;
  readonly ids: ItemId[];
  /** Whether it is the turn's last one. */
  isLast: boolean;
  /** Whether it has items whose call is not loaded. */
  hasLoose: boolean;
};

type Log = Pick<SessionLog, 'order' | 'items' | 'turns'> & Partial<Pick<SessionLog, 'gap'>>;

export function groupsOf(log: Log): Group[] {
  return withSilentTurns(new Grouping(log).groups(), log.turns);
}

class Grouping {
  private made: Group[] = [];
  private parts = new Map<TurnId, number>();
  /** Where calls and turns stand, on this side of the gap. */
  private calls = new Map<string, Group>();
  private turns = new Map<TurnId, Group>();
  /** The run that the next item may continue. */
  private current: Group | undefined;

  constructor(private log: Pick<Log, 'order' | 'items' | 'gap'>) {}

  groups(): Group[] {
    for (const id of this.log.order) {
      const item = this.log.items.get(id);
      if (id === this.log.gap?.next) this.leaveBehind();
      if (item) this.add(item);
    }
    const lasts = new Map(this.made.map((group) => [group.turnId, group]));
    for (const group of lasts.values()) group.isLast = true;
    return this.made;
  }

  private leaveBehind(): void {
    this.current = undefined;
    this.calls.clear();
    this.turns.clear();
  }

  private add(item: Item): void {
    const { turnId } = item;
    const { parentCallId: parent } = item.state;
    const around = parent === undefined ? undefined : this.calls.get(callKey(turnId, parent));
    const group = around ?? (parent === undefined ? this.run(turnId) : this.loose(turnId));
    if (parent !== undefined && !around) group.hasLoose = true;
    group.ids.push(item.id);
    if (item.state.type === 'tool_call') this.calls.set(callKey(turnId, item.state.callId), group);
  }

  private run(turnId: TurnId): Group {
    if (this.current?.turnId === turnId) return this.current;
    this.current = this.begin(turnId, this.made.length);
    return this.current;
  }

  // Its call is older than what is loaded. It must not cut the turn that runs meanwhile in two: requests would lose their calls.
  private loose(turnId: TurnId): Group {
    if (this.current === undefined) return this.run(turnId);
    return this.turns.get(turnId) ?? this.begin(turnId, this.made.indexOf(this.current));
  }

  private begin(turnId: TurnId, at: number): Group {
    const part = this.parts.get(turnId) ?? 0;
    this.parts.set(turnId, part + 1);
    const group: Group = { key: `${turnId}#${part}`, turnId, ids: [], isLast: false, hasLoose: false };
    this.made.splice(at, 0, group);
    this.turns.set(turnId, group);
    return group;
  }
}

function callKey(turnId: TurnId, callId: CallId): string {
  return `${turnId}\n${callId}`;
}

/** Turns that ended before they said anything get a group of their own, in front of the next turn that did. */
function withSilentTurns(groups: readonly Group[], turns: readonly Turn[]): Group[] {
  const shown = new Set(groups.map((group) => group.turnId));
  const silent = new Map<TurnId | undefined, Group[]>();
  let next: TurnId | undefined;
  for (const { turnId, end } of turns.toReversed()) {
    if (shown.has(turnId)) next = turnId;
    else if (end) silent.set(next, [{ key: `${turnId}#0`, turnId, ids: [], isLast: true, hasLoose: false }, ...(silent.get(next) ?? [])]);
  }
  const before = (group: Group) => (group.key.endsWith('#0') ? (silent.get(group.turnId) ?? []) : []);
  return [...groups.flatMap((group) => [...before(group), group]), ...(silent.get(undefined) ?? [])];
}
