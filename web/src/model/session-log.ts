import type { HistoryPage, ItemId, SessionId, TurnId, Upsert } from '../gen/contracts';
import type { SessionFrame, SessionView } from '../protocol/frames';
import type { Turn } from './turn';

/** One item: a new object with each state, the same object while nothing changed. */
export type Item = {
  readonly id: ItemId;
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
  /** Whether a history has arrived. */
  readonly isLoaded: boolean;
  /** Never throws. `gap` means: what is held does not fit, subscribe again without a cursor. */
  apply(frame: SessionFrame): Change;
  /** Puts an older page in front. One of another epoch is ignored. */
  prepend(page: HistoryPage): Change;
  /** `<epoch>.<seq>`, once there is something to resume from. */
  cursor(): string | undefined;
};

export declare function createSessionLog(sessionId: SessionId): SessionLog;
export declare function isTerminal(status: Upsert['status']): boolean;
