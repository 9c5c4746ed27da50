import type { SessionId } from '../gen/contracts';
import type { Change, SessionLog } from '../model/session-log';
import type { Cancel } from './environment';
import type { Connection } from './socket';

export type CaughtUp = {
  readonly sessionId: SessionId;
  readonly updates: number;
  readonly isReset: boolean;
};

export type SubscriptionOptions = {
  readonly connection: Connection;
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

export declare function createSubscriptions(options: SubscriptionOptions): Subscriptions;
