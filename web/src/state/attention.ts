/** Sessions that need attention, however far down their lists they are, and those that have a tab. Owns the newest answer. */
import { createStore, reconcile } from 'solid-js/store';
import type { SessionSummary } from '../gen/contracts';
import { api } from './services';
import { tabs } from './tabs';

const MOST = 1000;

const [attention, setAttention] = createStore<SessionSummary[]>([]);
export { attention };

/** Answers may overtake each other; an older one than the last that was taken is dropped. */
let asked = 0;
let taken = 0;

export async function refreshAttention(): Promise<void> {
  const number = asked += 1;
  const { sessions } = await api.sessions({ attention: true, sessionIds: tabs().order.join(), limit: MOST });
  if (number < taken) return;
  taken = number;
  setAttention(reconcile(sessions, { key: 'sessionId' }));
}

export function patchAttention(sessionId: string, change: Partial<SessionSummary>): void {
  setAttention((session) => session.sessionId === sessionId, change);
}

export function dropAttention(sessionId: string): void {
  setAttention((all) => all.filter((session) => session.sessionId !== sessionId));
}
