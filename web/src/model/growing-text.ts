// The one text of an item that grows: what is said, or what a tool put out.

import type { Upsert } from '../gen/contracts';

/** The text so far, or nothing for items that have none. */
export function growingText(state: Upsert): string | undefined {
  switch (state.type) {
    case 'message':
    case 'thinking':
      return state.content;
    case 'tool_call':
      return state.toolOutput ?? '';
    default:
      return undefined;
  }
}

/** The state with `text` behind the first `base` UTF-16 units, or nothing if so many are not held. */
export function grown(state: Upsert, base: number, text: string): Upsert | undefined {
  const held = growingText(state);
  if (held === undefined || held.length < base) return undefined;
  // Joining is free in every engine, cutting copies: texts that only grow are never cut.
  const next = held.length === base ? held + text : held.slice(0, base) + text;
  if (state.type === 'message' || state.type === 'thinking') return { ...state, status: 'update', content: next };
  if (state.type === 'tool_call') return { ...state, status: 'update', toolOutput: next };
  return undefined;
}
