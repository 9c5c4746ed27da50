// The rows that a transcript is made of. Rows are data: a component shows each kind.

import type { Attachment, TurnId, Usage } from '../gen/contracts';
import type { Outgoing } from '../protocol/outbox';
import type { OwnFile } from './files';
import type { ItemOf } from './session-log';

/** `ended`: background work that was stopped, or whose agent is gone. */
export type ToolStatus = 'pending' | 'needs-approval' | 'needs-answer' | 'running' | 'ok' | 'error' | 'cancelled' | 'ended';

type Base = { readonly key: string; readonly turnId: TurnId | undefined };

export type UserRow = Base & {
  readonly kind: 'user';
  readonly text: string;
  readonly files: readonly (Attachment | OwnFile)[];
  readonly at: string | undefined;
  /** The server's item, once it shows it. */
  readonly item: ItemOf<'message'> | undefined;
  /** Only while the server does not show it yet. */
  readonly outgoing: Outgoing | undefined;
};
export type AgentRow = Base & { readonly kind: 'agent'; readonly item: ItemOf<'message'>; readonly isStreaming: boolean };
/** What the program itself says in the conversation. */
export type NoteRow = Base & { readonly kind: 'note'; readonly item: ItemOf<'message'> };
export type ThinkingRow = Base & {
  readonly kind: 'thinking';
  readonly item: ItemOf<'thinking'>;
  readonly isStreaming: boolean;
  readonly durationMs: number | undefined;
};
export type ToolRow = Base & {
  readonly kind: 'tool';
  readonly item: ItemOf<'tool_call'>;
  readonly status: ToolStatus;
  readonly durationMs: number | undefined;
  /** The newest request for permission of this call. */
  readonly permission: ItemOf<'permission'> | undefined;
  /** What its sub-agent does. */
  readonly children: readonly Row[];
};
export type FoldRow = Base & { readonly kind: 'fold'; readonly summary: string; readonly tools: readonly ToolRow[] };
export type PermissionOutcomeKind = 'allowed' | 'rejected' | 'answered' | 'withdrawn' | 'lapsed';
/** An answered question, or a request whose call is not shown; those that wait are in `pending` of the projection. */
export type PermissionRow = Base & {
  readonly kind: 'permission';
  readonly item: ItemOf<'permission'>;
  readonly outcome: PermissionOutcomeKind;
  /** The name of the option chosen. */
  readonly chosen: string | undefined;
};
export type PlanRow = Base & {
  readonly kind: 'plan';
  readonly item: ItemOf<'plan'>;
  /** Whether its agent works on it; nothing is in progress otherwise. */
  readonly isRunning: boolean;
};
export type TurnEndRow = Base & {
  readonly kind: 'turn-end';
  readonly status: 'completed' | 'cancelled';
  readonly usage: Usage | undefined;
};
export type ErrorRow = Base & {
  readonly kind: 'error';
  readonly code: string;
  readonly message: string;
  /** What the turn cost until it failed. */
  readonly usage: Usage | undefined;
};

/** Items that are not here. */
export type GapRow = Base & { readonly kind: 'gap' };

export type Row =
  | GapRow | UserRow | AgentRow | NoteRow | ThinkingRow | ToolRow | FoldRow | PermissionRow | PlanRow | TurnEndRow | ErrorRow;
