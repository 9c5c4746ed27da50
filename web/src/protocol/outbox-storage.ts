// Outgoing messages across reloads. Each has its own key: windows that share a storage do not overwrite each other's.

import type { KeyValueStorage } from './environment';
import type { Delivery, Outgoing } from './outbox';

const PREFIX = 'liminal:outbox:';

/** Nobody expects a page to say today what it was told yesterday. */
const LONGEST = 12 * 60 * 60 * 1000;

/** What is still to be sent, oldest first. */
export function readOutgoing(storage: KeyValueStorage, now: number): Outgoing[] {
  const keys = storage.keys().filter((key) => key.startsWith(PREFIX));
  const entries = keys.map((key) => parsed(storage.get(key))).filter((entry) => entry !== undefined);
  const sorted = entries.sort((a, b) => a.createdAt - b.createdAt);
  return sorted.map((entry) => ({ ...entry, delivery: revived(entry, now) }));
}

/** The server has those that it answered for: they need not outlive the page. */
export function writeOutgoing(storage: KeyValueStorage, entry: Outgoing): void {
  if (entry.delivery.kind === 'accepted' || entry.delivery.kind === 'queued') removeOutgoing(storage, entry);
  else storage.set(PREFIX + entry.clientMessageId, JSON.stringify(entry));
}

export function removeOutgoing(storage: KeyValueStorage, entry: Outgoing): void {
  storage.remove(PREFIX + entry.clientMessageId);
}

function revived({ delivery, wasSent, createdAt }: Outgoing, now: number): Delivery {
  if (delivery.kind !== 'waiting' && delivery.kind !== 'sending') return delivery;
  if (now - createdAt < LONGEST) return { kind: 'waiting' };
  if (wasSent) return { kind: 'indeterminate', message: 'it was sent long ago, and no answer came' };
  return { kind: 'failed', code: 'REQUEST_TIMEOUT', message: 'it waited too long for a connection, and was not sent' };
}

function parsed(text: string | undefined): Outgoing | undefined {
  try {
    const value = JSON.parse(text ?? '') as Partial<Outgoing> | null;
    const isWhole = typeof value?.clientMessageId === 'string' && typeof value.sessionId === 'string'
      && typeof value.text === 'string' && typeof value.createdAt === 'number' && typeof value.delivery?.kind === 'string';
    return isWhole ? (value as Outgoing) : undefined;
  } catch {
    return undefined;
  }
}
