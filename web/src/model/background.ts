// Background work: tool calls that the end of their turn leaves open, and what belongs to them. Owns which items may still
// change after a turn, and how running work is counted and named.

import type { CallId } from '../gen/contracts';
import type { SessionView } from '../protocol/frames';
import { isItemOf, isTerminal, type Item, type ItemOf } from './session-log';

export type Test = (item: Item) => boolean;

/** `loose`: whether items whose call is not loaded count as background work. */
export function createBackgroundTest(items: readonly Item[], loose: 'running' | 'over' = 'over'): Test {
  const calls = new Map<CallId, ItemOf<'tool_call'>>();
  for (const item of items) if (isItemOf(item, 'tool_call')) calls.set(item.state.callId, item);
  if (loose === 'over' && ![...calls.values()].some(isRunningDetached)) return () => false;
  return (item) => {
    const seen = new Set<Item>();
    let next: Item | undefined = item;
    // A call may stand inside itself.
    while (next && !seen.has(next)) {
      if (isRunningDetached(next)) return true;
      seen.add(next);
      const parent: CallId | undefined = next.state.parentCallId;
      if (parent === undefined) return false;
      if (!calls.has(parent)) return loose === 'running';
      next = calls.get(parent);
    }
    return false;
  };
}

function isRunningDetached(item: Item): boolean {
  return isItemOf(item, 'tool_call') && item.state.detached === true && !isTerminal(item.state.status);
}

/** Whether a call was ended before it had finished: stopped, or its agent is gone. That is no failure of the tool. */
export function wasEnded({ status, errorCode }: Item['state']): boolean {
  return status === 'error' && errorCode === 'BACKGROUND_ENDED';
}

type Told = Pick<SessionView, 'background'> | undefined;

export function backgroundCount(told: Told): number {
  return told?.background?.running ?? 0;
}

/** Whether a turn runs, or is about to. Background work may wait for an answer without one. */
export function hasTurn(view: Pick<SessionView, 'state' | 'turn' | 'background'> | undefined): boolean {
  switch (view?.state) {
    case 'starting':
    case 'running':
    case 'cancelling':
      return true;
    case 'waiting':
      return view.turn !== undefined || backgroundCount(view) === 0;
    case 'idle':
    case 'closed':
    case undefined:
      return false;
  }
}

/** "2 tasks". */
export function tasksText(count: number): string {
  return count === 1 ? '1 task' : `${count} tasks`;
}

export function backgroundText(count: number): string {
  return `Running in the background: ${tasksText(count)}`;
}
