import type { Problem, QueuedMessage, SessionId, TurnId } from '../gen/contracts';
import type { Cancel, Clock, KeyValueStorage } from './environment';
import type { Connection } from './socket';

export type Delivery =
  /** No connection yet. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'accepted'; readonly turnId: TurnId }
  | { readonly kind: 'queued'; readonly queuedId: string }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  /** It may have reached the agent; only a person can decide whether to repeat it. */
  | { readonly kind: 'indeterminate'; readonly message: string };

export type Outgoing = {
  readonly clientMessageId: string;
  readonly sessionId: SessionId;
  readonly text: string;
  readonly createdAt: number;
  /** Whether it ever went out without an answer. */
  readonly wasSent: boolean;
  readonly delivery: Delivery;
};

export type OutboxOptions = {
  readonly connection: Pick<Connection, 'request' | 'state' | 'onState'>;
  readonly storage: KeyValueStorage;
  readonly clock: Clock;
  /** `crypto.randomUUID`. */
  newId(): string;
};

export type Outbox = {
  /** All sessions' entries or one's, oldest first. Delivered entries are gone. The array is the same while nothing changed. */
  entries(sessionId?: SessionId): readonly Outgoing[];
  /** Returns the `clientMessageId`. */
  send(sessionId: SessionId, text: string): string;
  /** Repeats a failed or indeterminate message under a new id, which it returns. */
  retry(clientMessageId: string): string | undefined;
  /** Takes it out; one that is being sent stays. Returns its text. */
  discard(clientMessageId: string): string | undefined;
  /** The session's log shows the user message of this turn: the entry is delivered. */
  delivered(sessionId: SessionId, turnId: TurnId): void;
  /** The server's queue: entries that left it are delivered. */
  queueIs(sessionId: SessionId, queue: readonly QueuedMessage[]): void;
  onChange(listener: (sessionId: SessionId) => void): Cancel;
  stop(): void;
};

export declare function createOutbox(options: OutboxOptions): Outbox;
export type { Problem };
