// Which sessions this page follows, and from where. Subscribes again after each reconnect with the cursor of the last frame
// applied, and without one where what is held does not fit.

import type { ServerMessage, SessionId } from '../gen/contracts';
import { type Change, createSessionLog, type SessionLog } from '../model/session-log';
import type { Cancel } from './environment';
import { type ClientMessage, isSessionFrame, type SessionFrame } from './frames';
import { type Connection, Refused } from './socket';

export type CaughtUp = {
  readonly sessionId: SessionId;
  /** Items and turns that changed while the page was away. */
  readonly updates: number;
  readonly isReset: boolean;
};

export type SubscriptionOptions = {
  readonly connection: Pick<Connection, 'request' | 'state' | 'onState' | 'onFrame'>;
  /** How many of the newest items come with a reset. */
  readonly window: number;
  onChange(sessionId: SessionId, change: Change, log: SessionLog): void;
  /** After a reconnect, once everything missed has been applied. Not told for the first subscription. */
  onCaughtUp?(event: CaughtUp): void;
  onRefused?(sessionId: SessionId, error: Error): void;
};

export type Subscriptions = {
  /** Subscribes with the first use; the last `Cancel` unsubscribes and forgets the log. */
  acquire(sessionId: SessionId): Cancel;
  log(sessionId: SessionId): SessionLog | undefined;
  /** `<epoch>.<seq>` of the last frame applied. */
  cursor(sessionId: SessionId): string | undefined;
  stop(): void;
};

export function createSubscriptions(options: SubscriptionOptions): Subscriptions {
  return new Registry(options);
}

type Entry = {
  readonly log: SessionLog;
  users: number;
  /** A subscription was sent on this socket and not answered yet. */
  isAsked: boolean;
  wasLive: boolean;
  /** What is still to come of what was missed. */
  missed: { readonly until: number; updates: number } | undefined;
};

class Registry implements Subscriptions {
  private entries = new Map<SessionId, Entry>();
  private stops: Cancel[];

  constructor(private options: SubscriptionOptions) {
    const { connection } = options;
    this.stops = [
      connection.onFrame((frame) => this.receive(frame)),
      connection.onState((state) => state.kind === 'open' && this.subscribeAll()),
    ];
  }

  acquire(sessionId: SessionId): Cancel {
    const entry = this.entries.get(sessionId) ?? this.begin(sessionId);
    entry.users += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.release(sessionId, entry);
      isHeld = false;
    };
  }

  log(sessionId: SessionId): SessionLog | undefined {
    return this.entries.get(sessionId)?.log;
  }

  cursor(sessionId: SessionId): string | undefined {
    return this.log(sessionId)?.cursor();
  }

  stop(): void {
    for (const stop of this.stops) stop();
    this.entries.clear();
  }

  private begin(sessionId: SessionId): Entry {
    const entry: Entry = { log: createSessionLog(sessionId), users: 0, isAsked: false, wasLive: false, missed: undefined };
    this.entries.set(sessionId, entry);
    this.subscribe(entry);
    return entry;
  }

  private release(sessionId: SessionId, entry: Entry): void {
    entry.users -= 1;
    if (entry.users > 0 || this.entries.get(sessionId) !== entry) return;
    this.entries.delete(sessionId);
    this.ask({ type: 'session:unsubscribe', sessionId });
  }

  private subscribeAll(): void {
    for (const entry of this.entries.values()) this.subscribe(entry);
  }

  private subscribe(entry: Entry): void {
    if (this.options.connection.state().kind !== 'open') return;
    entry.isAsked = true;
    entry.missed = undefined;
    const { sessionId } = entry.log;
    const after = entry.log.resumable();
    const { window } = this.options;
    this.ask(
      { type: 'session:subscribe', sessionId, encoding: 'append', window, ...(after === undefined ? {} : { after }) },
      (error) => this.entries.get(sessionId) === entry && this.options.onRefused?.(sessionId, error),
    );
  }

  // A lost connection needs no word here: everything is subscribed again with the next one.
  private ask(message: ClientMessage, refused?: (error: Error) => void): void {
    if (this.options.connection.state().kind !== 'open') return;
    this.options.connection.request(message).catch((error: unknown) => {
      if (error instanceof Refused) refused?.(error);
    });
  }

  private receive(frame: ServerMessage): void {
    if (!isSessionFrame(frame)) return;
    const entry = this.entries.get(frame.sessionId);
    if (!entry) return;
    if (frame.type === 'session:subscribed') entry.isAsked = false;
    const change = entry.log.apply(frame);
    if (change.verdict === 'gap') this.startOver(entry);
    if (change.verdict === 'applied') this.options.onChange(frame.sessionId, change, entry.log);
    this.count(entry, frame, change);
  }

  private startOver(entry: Entry): void {
    if (entry.isAsked) return;
    this.ask({ type: 'session:unsubscribe', sessionId: entry.log.sessionId });
    this.subscribe(entry);
  }

  private count(entry: Entry, frame: SessionFrame, change: Change): void {
    if (frame.type === 'session:subscribed' && frame.resume === 'ok') entry.missed = { until: frame.seq, updates: 0 };
    if (change.isReset) this.caughtUp(entry, change.items.length, true);
    if (!entry.missed) return;
    entry.missed.updates += change.items.length + change.turns.length;
    if (entry.log.seq >= entry.missed.until) this.caughtUp(entry, entry.missed.updates, false);
  }

  private caughtUp(entry: Entry, updates: number, isReset: boolean): void {
    const { wasLive } = entry;
    entry.wasLive = true;
    entry.missed = undefined;
    if (wasLive) this.options.onCaughtUp?.({ sessionId: entry.log.sessionId, updates, isReset });
  }
}
