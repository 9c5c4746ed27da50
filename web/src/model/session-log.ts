// What a page knows of one session: the latest state of each item, the turns, and the session's own state. Applies frames;
// knows nothing of sockets. Frames may come twice: the result is the same.

import type { HistoryPage, ItemId, SessionId, TurnId, Upsert } from '../gen/contracts';
import type {
  AppendFrame, HistoryFrame, SessionFrame, SessionView, StateFrame, SubscribedFrame, TurnFrame, UpsertFrame,
} from '../protocol/frames';
import { type Gap, gapAfter, gapBetween, type GapSide } from './gap';
import { grown } from './growing-text';
import { inserted, insertedBefore, type Place, placeOf } from './item-order';
import type { Turn } from './turn';
import { createTurnList } from './turn-list';

/** One item: a new object with each state, the same object while nothing changed. */
export type Item = {
  readonly id: ItemId;
  readonly turnId: TurnId;
  readonly state: Upsert;
  /** When its first state was told; absent if only a later one is known. */
  readonly startedAt?: string;
};

export type ItemOf<T extends Upsert['type']> = Item & { readonly state: Extract<Upsert, { type: T }> };

/** What a frame changed. */
export type Change = {
  readonly verdict: 'applied' | 'ignored' | 'gap';
  /** Everything was replaced. */
  readonly isReset: boolean;
  /** Items that are new or have a new state. */
  readonly items: readonly ItemId[];
  /** Whether items came in or moved. */
  readonly isOrderChanged: boolean;
  readonly turns: readonly TurnId[];
  readonly isViewChanged: boolean;
};

export type SessionLog = {
  readonly sessionId: SessionId;
  /** In the order of their first states. A new array when it changed. */
  readonly order: readonly ItemId[];
  readonly items: ReadonlyMap<ItemId, Item>;
  /** In the order in which they began. A new array when one changed. */
  readonly turns: readonly Turn[];
  readonly view: SessionView | undefined;
  readonly epoch: string | undefined;
  /** The newest `seq` applied. */
  readonly seq: number;
  /** `before` of the next older page; absent when everything is here. */
  readonly before: number | undefined;
  /** Where items are missing: behind a page from far back. */
  readonly gap: Gap | undefined;
  /** Whether a history has arrived. */
  readonly isLoaded: boolean;
  /** Never throws. `gap` means: what is held does not fit, subscribe again without a cursor. */
  apply(frame: SessionFrame): Change;
  /** Puts an older page in front. One of another epoch is ignored. */
  prepend(page: HistoryPage): Change;
  /** Puts a page from far back in front, in place of an earlier one; what lies between is a gap. */
  around(page: HistoryPage): Change;
  /** Puts a page into the gap, from the one side or the other. */
  fill(page: HistoryPage, side: GapSide): Change;
  /** `<epoch>.<seq>`, once there is something to resume from. */
  cursor(): string | undefined;
  /**
   * The cursor, unless a state is held that the server had not stored: a server that ended since may know nothing of it,
   * and no cursor tells that.
   */
  resumable(): string | undefined;
};

export function isTerminal(status: Upsert['status']): boolean {
  return status === 'complete' || status === 'error';
}

export function isItemOf<T extends Upsert['type']>(item: Item | undefined, type: T): item is ItemOf<T> {
  return item?.state.type === type;
}

export function createSessionLog(sessionId: SessionId): SessionLog {
  return new Log(sessionId);
}

const IGNORED: Change = {
  verdict: 'ignored', isReset: false, items: [], isOrderChanged: false, turns: [], isViewChanged: false,
};
const GAP: Change = { ...IGNORED, verdict: 'gap' };

function applied(change: Partial<Change>): Change {
  return { ...IGNORED, verdict: 'applied', ...change };
}

type Numbers = Place & { readonly seq: number };

class Log implements SessionLog {
  order: readonly ItemId[] = [];
  items = new Map<ItemId, Item>();
  view: SessionView | undefined;
  epoch: string | undefined;
  seq = 0;
  before: number | undefined;
  gap: Gap | undefined;
  isLoaded = false;
  private numbers = new Map<ItemId, Numbers>();
  private turnList = createTurnList();
  private historySeq = 0;
  /** The epoch of the history that was announced and has not come yet. */
  private announced: string | undefined;
  /** Items whose state the server's full disk has not taken yet; each comes again with a number once it is stored. */
  private unstored = new Set<ItemId>();
  /** Something is missing that no cursor brings: only a history mends it. */
  private isBroken = false;

  constructor(readonly sessionId: SessionId) {}

  get turns(): readonly Turn[] {
    return this.turnList.all();
  }

  cursor(): string | undefined {
    if (!this.isLoaded || this.isBroken || this.announced !== undefined) return undefined;
    return `${this.epoch}.${this.seq}`;
  }

  resumable(): string | undefined {
    return this.unstored.size > 0 ? undefined : this.cursor();
  }

  apply(frame: SessionFrame): Change {
    const change = this.dispatch(frame);
    if (change.verdict === 'gap') this.isBroken = true;
    return change;
  }

  private dispatch(frame: SessionFrame): Change {
    switch (frame.type) {
      case 'session:subscribed':
        return this.subscribed(frame);
      case 'session:history':
        return this.history(frame);
      case 'session:upsert':
        return this.upsert(frame);
      case 'session:append':
        return this.append(frame);
      case 'session:turn':
        return this.turn(frame);
      case 'session:state':
        return this.state(frame);
      default:
        return IGNORED;
    }
  }

  prepend(page: HistoryPage): Change {
    if (!this.isOf(page)) return IGNORED;
    this.before = page.before;
    return this.insertPage(page, this.order[0]).change;
  }

  around(page: HistoryPage): Change {
    if (!this.isOf(page)) return IGNORED;
    this.dropIsland();
    const next = this.order[0];
    const { arriving, change } = this.insertPage(page, next);
    this.gap = gapBetween(page, next, this.before, arriving.length < page.entries.length);
    if (arriving.length > 0) this.before = page.before;
    return change;
  }

  fill(page: HistoryPage, side: GapSide): Change {
    if (!this.isOf(page) || !this.gap) return IGNORED;
    const { arriving, change } = this.insertPage(page, this.gap.next);
    this.gap = gapAfter(this.gap, side, page, arriving);
    return { ...change, isOrderChanged: true };
  }

  private isOf(page: HistoryPage): boolean {
    return page.epoch === this.epoch && this.isLoaded;
  }

  /** Puts what is new in a page in front of an item. */
  private insertPage(page: HistoryPage, next: ItemId | undefined): { arriving: ItemId[]; change: Change } {
    const arriving = page.entries.map((entry) => entry.itemId).filter((id) => !this.isPlaced(id));
    // The page tells how far the log is, not how far this one is: the cursor stays.
    const changed = page.entries.filter((entry) => this.take(entry, page.seq));
    for (const id of arriving) this.place(id, page.seq);
    const isOrderChanged = arriving.length > 0;
    if (isOrderChanged) this.order = insertedBefore(this.order, arriving, next);
    const turns = this.turnList.prepend(page.turns, next === undefined ? undefined : this.items.get(next)?.turnId);
    return { arriving, change: applied({ items: changed.map((entry) => entry.itemId), isOrderChanged, turns }) };
  }

  /** Forgets what stands in front of the gap. */
  private dropIsland(): void {
    if (!this.gap) return;
    const at = this.order.indexOf(this.gap.next);
    for (const id of this.order.slice(0, at)) {
      this.items.delete(id);
      this.numbers.delete(id);
    }
    this.order = this.order.slice(at);
    this.before = this.gap.before;
    this.gap = undefined;
  }

  private subscribed({ type: _, sessionId: __, resume, epoch, seq: ___, ...view }: SubscribedFrame): Change {
    if (resume === 'ok' && this.isLoaded && epoch !== this.epoch) return GAP;
    if (resume === 'reset') this.announced = epoch;
    this.view = view;
    return applied({ isViewChanged: true });
  }

  private history(frame: HistoryFrame): Change {
    const epoch = this.announced ?? this.epoch;
    this.announced = undefined;
    // Of the same life and not newer: everything in it is held, and more.
    const isWhole = this.isLoaded && !this.isBroken && this.unstored.size === 0;
    if (isWhole && epoch === this.epoch && frame.seq <= this.seq) return IGNORED;
    this.isBroken = false;
    this.unstored.clear();
    const earlier = this.items;
    this.epoch = epoch;
    this.seq = this.historySeq = frame.seq;
    this.before = frame.before;
    this.gap = undefined;
    this.isLoaded = true;
    this.items = new Map(frame.entries.map((entry) => [entry.itemId, sameOrNew(earlier.get(entry.itemId), entry)]));
    this.order = [...this.items.keys()];
    this.numbers = new Map(this.order.map((id) => [id, { seq: frame.seq, firstSeq: undefined, from: 'history' }]));
    this.turnList.replace(frame.turns);
    const turns = this.turns.map((turn) => turn.turnId);
    return applied({ isReset: true, items: this.order, isOrderChanged: true, turns });
  }

  private upsert({ seq, firstSeq, payload }: UpsertFrame): Change {
    // What is told between the announcement of a history and the history is in the history.
    if (this.announced !== undefined) return IGNORED;
    this.saw(seq);
    const { itemId } = payload;
    const isNew = !this.items.has(itemId) || this.isPlacedAnew(itemId, seq);
    if (!this.take(payload, seq)) return IGNORED;
    if (seq === undefined) this.unstored.add(itemId);
    else this.unstored.delete(itemId);
    if (isNew) this.insert(itemId, firstSeq ?? seq);
    return applied({ items: [itemId], isOrderChanged: isNew });
  }

  /** Whether an item that was shown before it was stored gets its place now. */
  private isPlacedAnew(id: ItemId, seq: number | undefined): boolean {
    const place = this.numbers.get(id);
    return seq !== undefined && this.unstored.has(id) && place?.from === 'live' && place.firstSeq === undefined;
  }

  private append({ seq, itemId, base, text }: AppendFrame): Change {
    if (this.announced !== undefined) return IGNORED;
    const item = this.items.get(itemId);
    if (!item) return GAP;
    if (seq <= (this.numbers.get(itemId)?.seq ?? 0)) return IGNORED;
    const state = grown(item.state, base, text);
    if (!state) return GAP;
    this.saw(seq);
    return this.take(state, seq) ? applied({ items: [itemId] }) : IGNORED;
  }

  private turn({ seq, payload }: TurnFrame): Change {
    if (this.announced !== undefined) return IGNORED;
    this.saw(seq);
    return this.turnList.apply(payload, seq) ? applied({ turns: [payload.turnId] }) : IGNORED;
  }

  private state({ type: _, sessionId: __, ...view }: StateFrame): Change {
    this.view = view;
    return applied({ isViewChanged: true });
  }

  /** Takes a state if it is newer than what is held. Whether it did. */
  private take(state: Upsert, seq: number | undefined): boolean {
    const held = this.items.get(state.itemId);
    const numbers = this.numbers.get(state.itemId);
    if (seq !== undefined && numbers && seq <= numbers.seq) return false;
    if (numbers && seq !== undefined) this.numbers.set(state.itemId, { ...numbers, seq });
    if (held && isTerminal(held.state.status) && !isTerminal(state.status)) return false;
    if (!numbers) this.numbers.set(state.itemId, { ...placeOf(undefined, 0), seq: seq ?? 0 });
    this.items.set(state.itemId, successor(held, state));
    return true;
  }

  private insert(id: ItemId, firstSeq: number | undefined): void {
    const place = placeOf(firstSeq, this.historySeq);
    this.numbers.set(id, { seq: this.numbers.get(id)?.seq ?? 0, ...place });
    const others = this.order.filter((other) => other !== id);
    this.order = inserted(others, id, place, (other) => this.numbers.get(other));
  }

  /** Whether a list or its own number gave the item its place for good. */
  private isPlaced(id: ItemId): boolean {
    const from = this.numbers.get(id)?.from;
    return from === 'history' || from === 'live';
  }

  private place(id: ItemId, seq: number): void {
    const numbers = this.numbers.get(id);
    this.numbers.set(id, { seq: numbers?.seq ?? seq, firstSeq: numbers?.firstSeq, from: 'history' });
  }

  private saw(seq: number | undefined): void {
    if (seq !== undefined && seq > this.seq) this.seq = seq;
  }
}

function successor(held: Item | undefined, state: Upsert): Item {
  const startedAt = state.startedAt ?? held?.startedAt ?? (state.status === 'create' && !held ? state.sourceTimestamp : undefined);
  return { id: state.itemId, turnId: state.turnId, state, ...(startedAt === undefined ? {} : { startedAt }) };
}

// The rows of a page that was only away for a moment stay as they are.
function sameOrNew(held: Item | undefined, state: Upsert): Item {
  if (held && JSON.stringify(held.state) === JSON.stringify(state)) return held;
  return successor(held, state);
}
