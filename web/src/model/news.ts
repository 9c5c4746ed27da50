// What a change of a session's sign means to somebody who looks elsewhere.

import type { Glyph } from './status';

/** `continues`: the turn is done, and background work runs. */
export type News = 'done' | 'continues' | 'background-over' | 'needs-you' | 'error';

export const NEWS_TEXT: Record<News, string> = {
  done: 'The turn is done',
  continues: 'The turn is done; work continues in the background',
  'background-over': 'The background work has ended',
  'needs-you': 'Waits for your answer',
  error: 'The turn failed',
};

/** A session that is seen for the first time is no news. */
export function newsOf(before: Glyph | undefined, after: Glyph): News | undefined {
  if (before === undefined || before === after) return undefined;
  switch (after) {
    case 'needs-you':
    case 'error':
      return after;
    case 'background':
      return before === 'running' ? 'continues' : undefined;
    case 'idle':
    case 'unread':
      if (before === 'running') return 'done';
      return before === 'background' ? 'background-over' : undefined;
    case 'running':
      return undefined;
  }
}
