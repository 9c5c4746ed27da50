// One turn, made of its milestones, and how its cost and its time are told.

import type { TurnEvent, TurnId, Usage } from '../gen/contracts';

export type TurnEnd =
  | { readonly kind: 'completed' | 'cancelled'; readonly usage: Usage | undefined }
  | { readonly kind: 'error'; readonly code: string; readonly message: string; readonly usage: Usage | undefined };

export type Turn = {
  readonly turnId: TurnId;
  readonly modelId?: string;
  readonly providerId?: string;
  readonly end?: TurnEnd;
};

/** The turn after a milestone; the same object if nothing is new. A turn ends once: the first end stays. */
export function applyTurnEvent(turn: Turn | undefined, event: TurnEvent): Turn {
  const known = turn ?? { turnId: event.turnId };
  switch (event.type) {
    case 'turn_started':
      if (known.modelId !== undefined) return known;
      return { ...known, modelId: event.modelId, providerId: event.providerId };
    case 'turn_complete':
      return known.end ? known : { ...known, end: { kind: event.status, usage: event.usage } };
    case 'turn_error':
      return known.end ? known : { ...known, end: { kind: 'error', code: event.errorCode, message: event.errorMessage, usage: event.usage } };
    default:
      return known;
  }
}

/** "12.3k tokens in · 456 out · $0.03", empty if nothing is known. */
export function usageText(usage: Usage | undefined): string {
  if (!usage) return '';
  const read = usage.inputTokens + (usage.cacheReadInputTokens ?? 0) + (usage.cacheCreationInputTokens ?? 0);
  const parts = [`${countText(read)} ${read === 1 ? 'token' : 'tokens'} in`, `${countText(usage.outputTokens)} out`];
  if (usage.costUsd !== undefined) parts.push(costText(usage.costUsd));
  return parts.join(' · ');
}

export function countText(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${trimmed(count / 1000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

/** "0.4 s", "12 s", "3 min 05 s", "1 h 02 min". */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${padded(whole % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${padded(minutes % 60)} min`;
}

function costText(dollars: number): string {
  if (dollars > 0 && dollars < 0.01) return '<$0.01';
  return `$${dollars.toFixed(2)}`;
}

function trimmed(value: number): string {
  return value < 99.95 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value));
}

function padded(value: number): string {
  return String(value).padStart(2, '0');
}
