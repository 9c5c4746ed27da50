// Why a queue is paused, in words.

import type { QueuePause } from '../gen/contracts';
import type { SessionView } from '../protocol/frames';

const REASONS: Record<QueuePause, string> = {
  rejected: 'Queue paused: you rejected a request',
  timeout: 'Queue paused: a request timed out',
  failed: 'Queue paused: the last turn failed',
  cancelled: 'Queue paused: you stopped the turn',
  restart: 'Queue paused: the server restarted',
};

export function pauseText(view: Pick<SessionView, 'queue' | 'queuePaused'> | undefined): string | undefined {
  if (view?.queuePaused === undefined) return undefined;
  const isUnsent = view.queuePaused === 'failed' && view.queue.some((message) => message.failure);
  return isUnsent ? "Queue paused: a message couldn't be sent" : REASONS[view.queuePaused];
}
