// A session's log in sections, one per run of items of a turn. A section is made again only if something in it changed: the
// cost of a frame is that of its own turn, however long the session is.

import type { ItemId, TurnId } from '../gen/contracts';
import type { SessionView } from '../protocol/frames';
import { backgroundCount, createBackgroundTest } from './background';
import { type Group, groupsOf } from './groups';
import { keptArray } from './row-identity';
import type { Row } from './row-types';
import { type SectionInput, sectionRows } from './section';
import { isItemOf, isTerminal, type Item, type ItemOf, type SessionLog } from './session-log';
import type { Turn } from './turn';

export type MadeSection = {
  readonly input: SectionInput;
  readonly rows: readonly Row[];
  /** Permission items that wait for an answer. */
  readonly open: readonly ItemOf<'permission'>[];
  readonly plan: ItemOf<'plan'> | undefined;
  readonly hasUserMessage: boolean;
};

type Log = Pick<SessionLog, 'order' | 'items' | 'turns'> & Partial<Pick<SessionLog, 'gap'>>;

export class Sections {
  private made = new Map<string, MadeSection>();
  private order: readonly ItemId[] | undefined;
  private turns: readonly Turn[] | undefined;
  private gap: ItemId | undefined;
  private groups: Group[] = [];
  private byId = new Map<TurnId, Turn>();

  update(log: Log, view: SessionView | undefined, own: ReadonlyMap<TurnId, string>): MadeSection[] {
    if (log.order !== this.order || log.turns !== this.turns || log.gap?.next !== this.gap) this.regroup(log);
    const made = this.groups.map((group): [string, MadeSection] => [group.key, this.section(group, log, view, own)]);
    this.made = new Map(made);
    return made.map(([, section]) => section);
  }

  private regroup(log: Log): void {
    this.order = log.order;
    this.turns = log.turns;
    this.gap = log.gap?.next;
    this.byId = new Map(log.turns.map((turn) => [turn.turnId, turn]));
    this.groups = groupsOf(log);
  }

  private section({ key, turnId, ids, isLast, hasLoose }: Group, log: Log, view: SessionView | undefined, own: ReadonlyMap<TurnId, string>): MadeSection {
    const earlier = this.made.get(key);
    const turn = this.byId.get(turnId);
    const isRunning = turn ? turn.end === undefined : view?.turn === turnId;
    const items = itemsOf(ids, log.items, earlier?.input.items);
    const loose = hasLoose && backgroundCount(view) > 0 ? 'running' : 'over';
    const input: SectionInput = { turnId, items, turn, isRunning, loose, isLast, userKey: own.get(turnId) };
    return earlier && isSame(earlier.input, input) ? earlier : make(input, earlier);
  }
}

function make(input: SectionInput, earlier: MadeSection | undefined): MadeSection {
  const { items } = input;
  const top = items.filter((item) => item.state.parentCallId === undefined);
  return {
    input,
    rows: keptArray(earlier?.rows, sectionRows(input, earlier)),
    open: openRequests(input),
    plan: top.findLast((item): item is ItemOf<'plan'> => isItemOf(item, 'plan')),
    hasUserMessage: top.some((item) => isItemOf(item, 'message') && item.state.origin === 'user'),
  };
}

/** Background work may ask when no turn runs. */
function openRequests({ items, isRunning, loose }: SectionInput): ItemOf<'permission'>[] {
  const waiting = items.filter((item): item is ItemOf<'permission'> => isItemOf(item, 'permission') && !isTerminal(item.state.status));
  return isRunning || waiting.length === 0 ? waiting : waiting.filter(createBackgroundTest(items, loose));
}

function isSame(left: SectionInput, right: SectionInput): boolean {
  return left.items === right.items && left.turn === right.turn && left.isRunning === right.isRunning
    && left.loose === right.loose && left.isLast === right.isLast && left.userKey === right.userKey;
}

/** The same array as before if it holds the same items. */
function itemsOf(ids: readonly ItemId[], all: ReadonlyMap<ItemId, Item>, earlier: readonly Item[] | undefined): readonly Item[] {
  if (earlier?.length === ids.length && ids.every((id, index) => all.get(id) === earlier[index])) return earlier;
  return ids.map((id) => all.get(id)).filter((item) => item !== undefined);
}
