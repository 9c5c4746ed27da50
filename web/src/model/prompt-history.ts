// ↑ and ↓ in the composer: the prompts of the session, as a shell recalls its commands.

import { isItemOf, type SessionLog } from './session-log';

export type Recall = {
  /** -1: what the user was typing; 0: the newest prompt. */
  readonly index: number;
  /** What was in the composer before. */
  readonly draft: string;
};

export const notRecalling: Recall = { index: -1, draft: '' };

/** What the user said, the newest first, repeated ones once. */
export function promptsOf(log: Pick<SessionLog, 'order' | 'items'>): string[] {
  const prompts = new Set<string>();
  for (const id of log.order.toReversed()) {
    const item = log.items.get(id);
    if (!isItemOf(item, 'message') || item.state.origin !== 'user' || item.state.parentCallId !== undefined) continue;
    if (item.state.content.trim() !== '') prompts.add(item.state.content);
  }
  return [...prompts];
}

/**
 * The step of ↑ or ↓, or nothing if the key means something else here: recalling begins in an empty composer, and ends as
 * soon as a recalled prompt is changed.
 */
export function recallStep(
  recall: Recall, direction: 'older' | 'newer', text: string, prompts: readonly string[],
): { readonly recall: Recall; readonly text: string } | undefined {
  const isRecalling = recall.index >= 0 && prompts[recall.index] === text;
  if (!isRecalling && (text !== '' || direction === 'newer')) return undefined;
  const draft = isRecalling ? recall.draft : text;
  const index = (isRecalling ? recall.index : -1) + (direction === 'older' ? 1 : -1);
  if (index >= prompts.length) return undefined;
  return { recall: { index, draft }, text: prompts[index] ?? draft };
}
