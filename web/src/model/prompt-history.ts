import type { SessionLog } from './session-log';

export type Recall = {
  /** -1: what the user was typing; 0: the newest prompt. */
  readonly index: number;
  /** What was in the composer before. */
  readonly draft: string;
};

export declare const notRecalling: Recall;
/** What the user said, the newest first, repeated ones once. */
export declare function promptsOf(log: Pick<SessionLog, 'order' | 'items'>): string[];
/** The step of ↑ or ↓, or nothing if the key means something else here. */
export declare function recallStep(
  recall: Recall, direction: 'older' | 'newer', text: string, prompts: readonly string[],
): { readonly recall: Recall; readonly text: string } | undefined;
