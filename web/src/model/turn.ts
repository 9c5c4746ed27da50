import type { TurnEvent, TurnId, Usage } from '../gen/contracts';

export type TurnEnd =
  | { readonly kind: 'completed' | 'cancelled'; readonly usage?: Usage }
  | { readonly kind: 'error'; readonly code: string; readonly message: string };

export type Turn = {
  readonly turnId: TurnId;
  readonly modelId?: string;
  readonly providerId?: string;
  readonly end?: TurnEnd;
};

/** The turn after a milestone; the same object if nothing is new. A turn ends once: the first end stays. */
export declare function applyTurnEvent(turn: Turn | undefined, event: TurnEvent): Turn;
/** "12.3k in · 456 out · $0.03", empty if nothing is known. */
export declare function usageText(usage: Usage | undefined): string;
/** "0.4 s", "12 s", "3 min 05 s", "1 h 02 min". */
export declare function durationText(milliseconds: number): string;
