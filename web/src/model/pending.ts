// Requests that wait for an answer. A request of background work may be older than what is loaded: turns go on without it.

import type { Approval, ItemId, SessionId } from '../gen/contracts';
import type { SessionView } from '../protocol/frames';
import { isItemOf, type Item, type ItemOf } from './session-log';

export type PendingInput = {
  readonly sessionId: SessionId;
  readonly view: Pick<SessionView, 'pending'> | undefined;
  /** Those of the loaded items, oldest first. */
  readonly loaded: readonly ItemOf<'permission'>[];
  readonly isLoaded: (id: ItemId) => boolean;
  /** Of all sessions. They may be old: the session itself says which of them wait. */
  readonly approvals: readonly Approval[];
};

/** All requests of a session that wait. Those that are not loaded come last: none may take the place of one being read. */
export function pendingRequests({ sessionId, view, loaded, isLoaded, approvals }: PendingInput): readonly ItemOf<'permission'>[] {
  const missing = new Set(view?.pending.filter((id) => !isLoaded(id)));
  if (missing.size === 0) return loaded;
  const others = approvals.filter((approval) => approval.sessionId === sessionId && missing.has(approval.item.itemId));
  return [...loaded, ...others.map(itemOf).filter((item) => isItemOf(item, 'permission'))];
}

function itemOf({ item }: Approval): Item {
  return { id: item.itemId, turnId: item.turnId, state: item };
}
