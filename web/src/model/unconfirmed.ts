// Messages that the log shows before the server has answered for them. Owns how such a message is known again: it says the
// same, came after it was written, and was not there before.

import type { TurnId } from '../gen/contracts';
import type { Outgoing } from '../protocol/outbox';
import { isItemOf, type SessionLog } from './session-log';

/** Of the newest items; a message that is being answered for is among them. */
const LOOKED_AT = 200;
/** Clocks of two machines may differ by so much. */
const SKEW = 60_000;

export class Unconfirmed {
  private before = new Map<string, ReadonlySet<TurnId>>();

  /** The turn that shows each such message. `earlier`: turns that were shown the last time. */
  turns(log: Pick<SessionLog, 'order' | 'items'>, outgoing: readonly Outgoing[], earlier: ReadonlySet<TurnId>): ReadonlyMap<string, TurnId> {
    const open = outgoing.filter(isOpen);
    this.before = new Map(open.map(({ clientMessageId: id }) => [id, this.before.get(id) ?? earlier]));
    const found = new Map<string, TurnId>();
    if (open.length === 0) return found;
    const said = saidLately(log);
    for (const entry of open) {
      const taken = new Set(found.values());
      const mine = said.find(({ turnId, text, at }) => text === entry.text && at >= entry.createdAt - SKEW
        && !taken.has(turnId) && !this.before.get(entry.clientMessageId)?.has(turnId));
      if (mine) found.set(entry.clientMessageId, mine.turnId);
    }
    return found;
  }
}

function isOpen({ delivery, wasSent }: Outgoing): boolean {
  return delivery.kind === 'sending' || (delivery.kind === 'waiting' && wasSent);
}

/** The user's messages among the newest items, oldest first. */
function saidLately({ order, items }: Pick<SessionLog, 'order' | 'items'>): { turnId: TurnId; text: string; at: number }[] {
  return order.slice(-LOOKED_AT).flatMap((id) => {
    const item = items.get(id);
    if (!isItemOf(item, 'message') || item.state.origin !== 'user' || item.state.parentCallId !== undefined) return [];
    return [{ turnId: item.turnId, text: item.state.content, at: Date.parse(item.startedAt ?? item.state.sourceTimestamp) }];
  });
}
