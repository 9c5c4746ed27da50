// Rows of messages that this page has sent and the server does not show yet.

import type { TurnId } from '../gen/contracts';
import type { Outgoing } from '../protocol/outbox';
import { kept } from './row-identity';
import type { UserRow } from './row-types';

export function outgoingKey(clientMessageId: string): string {
  return `out:${clientMessageId}`;
}

export class OutgoingRows {
  private made = new Map<string, UserRow>();

  /** `shown`: turns whose user message the log has. */
  update(outgoing: readonly Outgoing[], shown: ReadonlySet<TurnId>): UserRow[] {
    const rows = outgoing.filter((entry) => isUnseen(entry, shown)).map((entry) => {
      const row = outgoingRow(entry);
      return kept(this.made.get(row.key), row);
    });
    this.made = new Map(rows.map((row) => [row.key, row]));
    return rows;
  }
}

// Queued ones are in the server's queue, which is shown by itself.
function isUnseen({ delivery }: Outgoing, shown: ReadonlySet<TurnId>): boolean {
  if (delivery.kind === 'accepted') return !shown.has(delivery.turnId);
  return delivery.kind !== 'queued';
}

function outgoingRow(entry: Outgoing): UserRow {
  const { clientMessageId, text, files = [], createdAt, delivery } = entry;
  const turnId = delivery.kind === 'accepted' ? delivery.turnId : undefined;
  const at = new Date(createdAt).toISOString();
  return { kind: 'user', key: outgoingKey(clientMessageId), turnId, text, files, at, item: undefined, outgoing: entry };
}
