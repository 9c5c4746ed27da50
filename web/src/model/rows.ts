import type { ItemId, TurnId, Usage } from '../gen/contracts';
import type { SessionView } from '../protocol/frames';
import type { Delivery, Outgoing } from '../protocol/outbox';
import type { Item, ItemOf, SessionLog } from './session-log';
import type { Waiting } from './waiting';

export type ToolStatus = 'pending' | 'needs-approval' | 'running' | 'ok' | 'error' | 'cancelled';

type Base = { readonly key: string; readonly turnId: TurnId | undefined };

export type UserRow = Base & {
  readonly kind: 'user';
  readonly text: string;
  readonly at: string | undefined;
  /** Only while the server does not show it yet. */
  readonly outgoing?: { readonly clientMessageId: string; readonly delivery: Delivery };
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
/** An answered question or request; those that wait are in `pending` of the projection. */
export type PermissionRow = Base & {
  readonly kind: 'permission';
  readonly item: ItemOf<'permission'>;
  readonly outcome: 'allowed' | 'rejected' | 'answered' | 'withdrawn' | 'lapsed';
  /** The name of the option chosen. */
  readonly chosen: string | undefined;
};
export type PlanRow = Base & { readonly kind: 'plan'; readonly item: ItemOf<'plan'> };
export type TurnEndRow = Base & {
  readonly kind: 'turn-end';
  readonly status: 'completed' | 'cancelled';
  readonly usage: Usage | undefined;
};
export type ErrorRow = Base & { readonly kind: 'error'; readonly code: string; readonly message: string };

export type Row =
  | UserRow | AgentRow | NoteRow | ThinkingRow | ToolRow | FoldRow | PermissionRow | PlanRow | TurnEndRow | ErrorRow;

export type Projection = {
  /** A row is the same object as long as nothing in it changed; the array is, if no row changed. */
  readonly rows: readonly Row[];
  /** The newest plan, for the dock. */
  readonly plan: ItemOf<'plan'> | undefined;
  /** Permission items that wait for an answer, oldest first. */
  readonly pending: readonly ItemOf<'permission'>[];
  readonly waiting: Waiting | undefined;
};

export type ProjectionInput = {
  readonly log: Pick<SessionLog, 'order' | 'items' | 'turns'>;
  readonly view: SessionView | undefined;
  readonly outgoing: readonly Outgoing[];
};

/** Keeps what it made, to give the same rows again. One per session. */
export declare function createProjector(): (input: ProjectionInput) => Projection;
/** Which row shows an item, for deep links and search: the key of the top-level row. */
export declare function rowKeyOf(rows: readonly Row[], itemId: ItemId): string | undefined;
export type { Item };
