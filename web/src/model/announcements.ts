// What is said to those who do not see the page when a session's state changes. Requests for permission speak for themselves.

import type { SessionView } from '../protocol/frames';
import { backgroundCount, backgroundText, hasTurn } from './background';

type View = Pick<SessionView, 'state' | 'turn' | 'background'>;

export function announcementOf(before: View | undefined, after: View | undefined, hasFailed: boolean): string | undefined {
  if (!before || !after) return undefined;
  if (after.state === 'running' && !hasTurn(before)) return 'The agent works';
  if (hasTurn(before) && before.state !== 'starting' && !hasTurn(after) && after.state !== 'closed') return turnEnd(after, hasFailed);
  const isOver = backgroundCount(before) > 0 && backgroundCount(after) === 0;
  return isOver && !hasTurn(after) ? 'The background work has ended' : undefined;
}

function turnEnd(after: View, hasFailed: boolean): string {
  const end = hasFailed ? 'The turn failed' : 'The turn is done';
  const count = backgroundCount(after);
  return count > 0 ? `${end}. ${backgroundText(count)}` : end;
}
