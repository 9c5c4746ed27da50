// Messages on their way to the server. Each has an id of its own, under which the server takes it once, so it is repeated
// until it is answered. What waits outlives a reload.

import type { QueuedMessage, SessionId, TurnId } from '../gen/contracts';
import type { OwnFile } from '../model/files';
import type { Cancel, Clock, KeyValueStorage } from './environment';
import type { OkFrame } from './frames';
import { readOutgoing, removeOutgoing, writeOutgoing } from './outbox-storage';
import { ApiProblem, Unreachable } from './problems';
import { type Connection, Refused } from './socket';
import type { Uploads } from './uploads';

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
  readonly files?: readonly OwnFile[];
  readonly createdAt: number;
  /** Whether it ever went out, so that the server may have it. */
  readonly wasSent: boolean;
  readonly delivery: Delivery;
};

export type OutboxOptions = {
  readonly connection: Pick<Connection, 'request' | 'state' | 'onState'>;
  readonly storage: KeyValueStorage;
  readonly clock: Clock;
  readonly uploads: Uploads;
  /** A new id, different from all others: a UUID. */
  newId(): string;
};

export type Outbox = {
  /** All entries or one session's, oldest first. Delivered ones are gone. The array is the same while nothing changed. */
  entries(sessionId?: SessionId): readonly Outgoing[];
  /** Returns the `clientMessageId`. */
  send(sessionId: SessionId, text: string, files?: readonly OwnFile[]): string;
  /** Repeats a failed or indeterminate message under a new id, which it returns. */
  retry(clientMessageId: string): string | undefined;
  /** Takes out one that has not gone out, failed or is indeterminate, and returns it. */
  discard(clientMessageId: string): Outgoing | undefined;
  /** The session's log shows the user message of this turn: the entry is delivered. */
  delivered(sessionId: SessionId, turnId: TurnId): void;
  /** The server's queue: entries that left it are delivered or were removed by somebody. */
  queueIs(sessionId: SessionId, queue: readonly QueuedMessage[]): void;
  onChange(listener: (sessionId: SessionId) => void): Cancel;
  stop(): void;
};

/** Before the same message is offered again to a server that does not take it now. */
const PAUSE = 1_000;

export function createOutbox(options: OutboxOptions): Outbox {
  return new StoredOutbox(options);
}

class StoredOutbox implements Outbox {
  private all = new Map<string, Outgoing>();
  private lists = new Map<SessionId | undefined, readonly Outgoing[]>();
  private inFlight = new Set<SessionId>();
  private listeners = new Set<(sessionId: SessionId) => void>();
  private stopListening: Cancel;

  constructor(private options: OutboxOptions) {
    for (const entry of readOutgoing(options.storage, options.clock.now())) this.all.set(entry.clientMessageId, entry);
    this.stopListening = options.connection.onState((state) => state.kind === 'open' && this.pumpAll());
    this.pumpAll();
  }

  entries(sessionId?: SessionId): readonly Outgoing[] {
    const known = this.lists.get(sessionId);
    if (known) return known;
    const list = [...this.all.values()].filter((entry) => sessionId === undefined || entry.sessionId === sessionId);
    this.lists.set(sessionId, list);
    return list;
  }

  send(sessionId: SessionId, text: string, files: readonly OwnFile[] = []): string {
    const clientMessageId = this.options.newId();
    const createdAt = this.options.clock.now();
    this.put({ clientMessageId, sessionId, text, ...(files.length > 0 ? { files } : {}), createdAt, wasSent: false, delivery: { kind: 'waiting' } });
    this.pump(sessionId);
    return clientMessageId;
  }

  retry(clientMessageId: string): string | undefined {
    const entry = this.all.get(clientMessageId);
    if (entry?.delivery.kind !== 'failed' && entry?.delivery.kind !== 'indeterminate') return undefined;
    this.remove(entry);
    return this.send(entry.sessionId, entry.text, entry.files);
  }

  discard(clientMessageId: string): Outgoing | undefined {
    const entry = this.all.get(clientMessageId);
    if (!entry || !isDiscardable(entry)) return undefined;
    this.remove(entry);
    return entry;
  }

  delivered(sessionId: SessionId, turnId: TurnId): void {
    for (const entry of this.entries(sessionId)) {
      if (entry.delivery.kind === 'accepted' && entry.delivery.turnId === turnId) this.remove(entry);
    }
  }

  queueIs(sessionId: SessionId, queue: readonly QueuedMessage[]): void {
    const waiting = new Set(queue.map((message) => message.id));
    for (const entry of this.entries(sessionId)) {
      if (entry.delivery.kind === 'queued' && !waiting.has(entry.delivery.queuedId)) this.remove(entry);
    }
  }

  onChange(listener: (sessionId: SessionId) => void): Cancel {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  stop(): void {
    this.stopListening();
    this.listeners.clear();
  }

  private pumpAll(): void {
    for (const sessionId of new Set([...this.all.values()].map((entry) => entry.sessionId))) this.pump(sessionId);
  }

  // One at a time in each session, so that they arrive in the order in which they were written.
  private pump(sessionId: SessionId): void {
    if (this.inFlight.has(sessionId) || this.options.connection.state().kind !== 'open') return;
    const entry = this.entries(sessionId).find(({ delivery }) => delivery.kind === 'waiting');
    if (!entry) return;
    this.inFlight.add(sessionId);
    const sent: Outgoing = { ...entry, wasSent: true, delivery: { kind: 'sending' } };
    this.put(sent);
    void this.deliver(sent).then((delivery) => {
      this.inFlight.delete(sessionId);
      this.settle(sent, delivery);
      if (delivery?.kind === 'waiting') this.options.clock.after(PAUSE, () => this.pump(sessionId));
      else this.pump(sessionId);
    });
  }

  private deliver(entry: Outgoing): Promise<Delivery | undefined> {
    if (!entry.files?.some((file) => file.id === undefined)) return this.ask(entry);
    return this.upload(entry, entry.files).then((ready) => this.ask(ready), notUploaded);
  }

  // The ids are kept before the message goes out: repeated under its own, it must be the same message.
  private async upload(entry: Outgoing, files: readonly OwnFile[]): Promise<Outgoing> {
    const { uploads } = this.options;
    const kept = await Promise.all(files.map(async (file) => ({ ...file, id: await uploads.upload(entry.sessionId, file) })));
    const ready = { ...entry, files: kept };
    if (this.all.has(entry.clientMessageId)) this.put(ready);
    return ready;
  }

  private ask({ sessionId, text, clientMessageId, files = [] }: Outgoing): Promise<Delivery | undefined> {
    const attachments = files.flatMap(({ id }) => (id === undefined ? [] : [id]));
    const message = { type: 'session:send' as const, sessionId, message: text, queue: true, clientMessageId };
    return this.options.connection.request(attachments.length > 0 ? { ...message, attachments } : message).then(answered, refused);
  }

  private settle({ clientMessageId }: Outgoing, delivery: Delivery | undefined): void {
    const entry = this.all.get(clientMessageId);
    if (!entry) return;
    if (delivery?.kind !== 'waiting' && delivery?.kind !== 'failed') entry.files?.forEach((file) => this.options.uploads.forget(file));
    if (delivery) this.put({ ...entry, delivery });
    else this.remove(entry);
  }

  private put(entry: Outgoing): void {
    this.all.set(entry.clientMessageId, entry);
    writeOutgoing(this.options.storage, entry);
    this.changed(entry.sessionId);
  }

  private remove(entry: Outgoing): void {
    this.all.delete(entry.clientMessageId);
    removeOutgoing(this.options.storage, entry);
    this.changed(entry.sessionId);
  }

  private changed(sessionId: SessionId): void {
    this.lists.clear();
    for (const listener of [...this.listeners]) listener(sessionId);
  }
}

function isDiscardable({ delivery, wasSent }: Outgoing): boolean {
  return delivery.kind === 'failed' || delivery.kind === 'indeterminate' || (delivery.kind === 'waiting' && !wasSent);
}

/** Nothing: it is taken, and there is no more to tell. */
function answered({ turnId, queued }: OkFrame): Delivery | undefined {
  if (turnId !== undefined) return { kind: 'accepted', turnId };
  return queued && { kind: 'queued', queuedId: queued.id };
}

function notUploaded(error: unknown): Delivery {
  if (error instanceof Unreachable || (error instanceof ApiProblem && error.status >= 500)) return { kind: 'waiting' };
  const code = error instanceof ApiProblem ? error.code : 'ATTACHMENT_NOT_FOUND';
  return { kind: 'failed', code, message: error instanceof Error ? error.message : String(error) };
}

function refused(error: unknown): Delivery {
  // No answer: the same id is sent again with the next connection.
  if (!(error instanceof Refused)) return { kind: 'waiting' };
  const { code, instance } = error.problem;
  if (code === 'SHUTTING_DOWN') return { kind: 'waiting' };
  // The session tells what is known of it, in this turn: there it is shown, and can be sent again.
  if (code === 'DELIVERY_UNKNOWN' && instance !== undefined) return { kind: 'accepted', turnId: instance };
  if (code === 'DELIVERY_UNKNOWN') return { kind: 'indeterminate', message: error.message };
  return { kind: 'failed', code, message: error.message };
}
