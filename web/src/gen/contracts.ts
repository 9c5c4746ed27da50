// Generated from the Rust types by `./x gen`. Do not edit.

export type AddProject = { 
/**
 * The directory.
 */
path: string, };

export type BrowserKey = { 
/**
 * What to send with every request as `X-Liminal-Key`.
 */
key: string, };

export type CallId = string;

export type CancelReason = "user_cancel" | "timeout" | "process_death";

export type ChangeType = "created" | "updated" | "completed";

export type ClientFrame = { 
/**
 * Comes back in the answer.
 */
requestId?: string, } & ({ "type": "session:subscribe", 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * The last frame applied, as `<epoch>.<seq>`; without it everything is sent.
 */
after?: string, 
/**
 * How growing texts are sent.
 */
encoding?: Encoding, } | { "type": "session:unsubscribe", 
/**
 * The session.
 */
sessionId: SessionId, } | { "type": "session:send", 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * What to tell.
 */
message: string, 
/**
 * Wait if a turn is running, instead of being refused.
 */
queue?: boolean, 
/**
 * The sender's own id of the message: the same id is never sent twice.
 */
clientMessageId?: string, } | { "type": "session:cancel", 
/**
 * The session.
 */
sessionId: SessionId, } | { "type": "session:permission", 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * The permission item.
 */
itemId: ItemId, 
/**
 * The option chosen.
 */
optionId?: string, 
/**
 * The answers, by question.
 */
answers?: { [key in string]: string }, });

export type CreateSession = { 
/**
 * Which kind of agent.
 */
cliType: string, 
/**
 * Where it works: a registered project, or a directory inside one.
 */
projectDir: string, 
/**
 * What this kind of agent takes besides.
 */
providerOptions?: Record<string, unknown>, };

export type Diff = { 
/**
 * The file.
 */
path: string, 
/**
 * The text before; absent when the file is new.
 */
oldText?: string, 
/**
 * The text after.
 */
newText: string, };

export type Encoding = "append";

export type ErrorCode = "AGENT_NOT_READING" | "ALREADY_ANSWERED" | "BODY_TOO_LARGE" | "CODE_INVALID" | "CODE_USED" | "HOST_NOT_ALLOWED" | "INTERNAL" | "INVALID_REQUEST" | "LINE_TOO_LONG" | "METHOD_NOT_ALLOWED" | "MODEL_UNREACHABLE" | "NOT_FOUND" | "ORIGIN_NOT_ALLOWED" | "PERMISSION_LAPSED" | "PROCESS_CRASH" | "PROCESS_EXIT_NO_RESULT" | "PROJECT_DIR_INVALID" | "PROJECT_ID_REQUIRED" | "PROJECT_NOT_FOUND" | "REQUEST_TIMEOUT" | "RESPONSE_ERROR" | "SERVER_RESTART" | "SESSION_NOT_FOUND" | "SPAWN_FAILED" | "STREAM_ENDED" | "TOO_MANY_ATTEMPTS" | "TURN_IN_PROGRESS" | "UNAUTHORIZED" | "UNSUPPORTED_CLI_TYPE" | "UNSUPPORTED_MEDIA_TYPE";

export type ErrorInfo = { 
/**
 * A stable word to branch on.
 */
code: string, 
/**
 * What happened and, where it is known, what to do.
 */
message: string, };

export type EventId = string;

export type EventType = "response_start" | "item_start" | "item_delta" | "item_done" | "item_error" | "item_cancelled" | "usage_update" | "response_done" | "response_error";

export type ExchangeCode = { 
/**
 * The code, from the address that the server told.
 */
code: string, };

export type FinalItem = { "type": "message" } & MessageItem | { "type": "reasoning" } & ReasoningItem | { "type": "function_call" } & FunctionCallItem | { "type": "function_call_output" } & FunctionCallOutputItem | { "type": "plan" } & Plan | { "type": "permission" } & PermissionItem;

export type FreshAddress = { 
/**
 * The page's address with a new one-time code.
 */
url: string, };

export type FunctionCallItem = { 
/**
 * The tool.
 */
name: string, 
/**
 * Joins the call to its output.
 */
callId: CallId, 
/**
 * What the tool was asked.
 */
arguments: Record<string, unknown>, 
/**
 * What else is known of the call.
 */
details?: ToolDetails, };

export type FunctionCallOutputItem = { 
/**
 * The call it belongs to.
 */
callId: CallId, 
/**
 * What the tool said.
 */
output: string, 
/**
 * Whether it failed.
 */
isError: boolean, 
/**
 * What else is known of the call by now.
 */
details?: ToolDetails, };

export type FunctionCallOutputStart = { 
/**
 * The call it belongs to; without it live output cannot be shown before the item is done.
 */
callId?: CallId, };

export type FunctionCallStart = { 
/**
 * The tool.
 */
name: string, 
/**
 * Joins the call to its output.
 */
callId: CallId, 
/**
 * What else is known of the call.
 */
details?: ToolDetails, };

export type ItemCancelled = { 
/**
 * The item.
 */
itemId: ItemId, 
/**
 * Why.
 */
reason?: CancelReason, };

export type ItemDelta = { 
/**
 * The item.
 */
itemId: ItemId, 
/**
 * What is added.
 */
deltaContent: string, };

export type ItemDone = { 
/**
 * The item.
 */
itemId: ItemId, 
/**
 * The whole item, which replaces what was streamed of it.
 */
finalItem: FinalItem, };

export type ItemError = { 
/**
 * The item.
 */
itemId: ItemId, 
/**
 * Why.
 */
error: ErrorInfo, };

export type ItemId = string;

export type ItemStart = { 
/**
 * The item.
 */
itemId: ItemId, 
/**
 * Content that is there from the start.
 */
initialContent?: string, 
/**
 * The tool call whose sub-agent this item belongs to.
 */
parentCallId?: CallId, } & ({ "itemType": "message" } | { "itemType": "reasoning" } | { "itemType": "function_call" } & FunctionCallStart | { "itemType": "function_call_output" } & FunctionCallOutputStart | { "itemType": "plan" } & Plan | { "itemType": "permission" } & PermissionRequest);

export type Location = { 
/**
 * The file.
 */
path: string, 
/**
 * The line, from 1.
 */
line?: number, };

export type MessageAccepted = { 
/**
 * The turn it begins; every output of that turn carries it.
 */
turnId: TurnId, };

export type MessageBody = { 
/**
 * Who wrote it.
 */
origin: Origin, 
/**
 * The whole text so far. Last, so that it can be spliced in: see [`Emission`](crate::processor::Emission).
 */
content: string, };

export type MessageItem = { 
/**
 * The text.
 */
content: string, 
/**
 * Who wrote it.
 */
origin: Origin, };

export type Meta = { 
/**
 * The program's version, for people.
 */
version: string, 
/**
 * The version of the wire; it grows when something is taken away.
 */
protocolVersion: number, 
/**
 * What can be relied on, by name. Branch on these, never on versions.
 */
capabilities: Record<string, unknown>, };

export type Origin = "user" | "agent" | "system";

export type PayloadType = "item_upsert" | "turn_event";

export type PermissionAnswer = { 
/**
 * The option chosen.
 */
optionId?: string, 
/**
 * The answers, by question.
 */
answers?: { [key in string]: string }, };

export type PermissionBody = { 
/**
 * The answer, once there is one.
 */
outcome?: PermissionOutcome, 
/**
 * The call that waits.
 */
callId: CallId, 
/**
 * What is asked.
 */
title: string, 
/**
 * The answers the agent takes.
 */
options: Array<PermissionOption>, 
/**
 * Questions to be answered in words or by choice, where a yes or no does not do.
 */
questions?: Array<Question>, };

export type PermissionItem = { 
/**
 * The answer.
 */
outcome: PermissionOutcome, 
/**
 * The call that waits.
 */
callId: CallId, 
/**
 * What is asked.
 */
title: string, 
/**
 * The answers the agent takes.
 */
options: Array<PermissionOption>, 
/**
 * Questions to be answered in words or by choice, where a yes or no does not do.
 */
questions?: Array<Question>, };

export type PermissionOption = { 
/**
 * What to answer with.
 */
optionId: string, 
/**
 * What it says.
 */
name: string, 
/**
 * What it means.
 */
kind: PermissionOptionKind, };

export type PermissionOptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always";

export type PermissionOutcome = { 
/**
 * The option that was chosen; absent when the request was withdrawn.
 */
optionId?: string, 
/**
 * The answers, by question.
 */
answers?: { [key in string]: string }, };

export type PermissionRequest = { 
/**
 * The call that waits.
 */
callId: CallId, 
/**
 * What is asked.
 */
title: string, 
/**
 * The answers the agent takes.
 */
options: Array<PermissionOption>, 
/**
 * Questions to be answered in words or by choice, where a yes or no does not do.
 */
questions?: Array<Question>, };

export type Plan = { 
/**
 * The tasks in order.
 */
entries: Array<PlanEntry>, };

export type PlanBody = { 
/**
 * The tasks in order.
 */
entries: Array<PlanEntry>, };

export type PlanEntry = { 
/**
 * What is to be done.
 */
content: string, 
/**
 * How far it is.
 */
status: PlanStatus, 
/**
 * How much it matters.
 */
priority?: PlanPriority, };

export type PlanPriority = "high" | "medium" | "low";

export type PlanStatus = "pending" | "in_progress" | "completed";

export type Problem = { 
/**
 * A URI that names the kind of problem.
 */
type: string, 
/**
 * The kind of problem in words.
 */
title: string, 
/**
 * The HTTP status.
 */
status: number, 
/**
 * The word to branch on.
 */
code: ErrorCode, 
/**
 * What happened here, and what to do.
 */
detail?: string, 
/**
 * What the problem is about.
 */
instance?: string, };

export type Project = { 
/**
 * The project.
 */
id: ProjectId, 
/**
 * Its directory.
 */
path: string, 
/**
 * What people call it.
 */
name: string, };

export type ProjectId = string;

export type Question = { 
/**
 * What is asked; answers are given by this text.
 */
question: string, 
/**
 * A word or two for a heading.
 */
header?: string, 
/**
 * Whether several answers may be chosen.
 */
multiSelect: boolean, 
/**
 * The suggested answers.
 */
options: Array<QuestionOption>, };

export type QuestionOption = { 
/**
 * What it says.
 */
label: string, 
/**
 * What it means.
 */
description?: string, };

export type QueuedMessage = { 
/**
 * Its place in the queue, for editing and removing it.
 */
id: string, 
/**
 * What it says.
 */
message: string, };

export type ReasoningItem = { 
/**
 * The text.
 */
content: string, 
/**
 * Whose model thought so.
 */
providerId: string, };

export type ResponseDone = { 
/**
 * How.
 */
status: ResponseStatus, 
/**
 * The source's own word for why the answer ended.
 */
finishReason?: string, 
/**
 * Why it failed, when it did.
 */
error?: ErrorInfo, 
/**
 * What it cost.
 */
usage?: Usage, };

export type ResponseError = { 
/**
 * Why.
 */
error: ErrorInfo, };

export type ResponseStart = { 
/**
 * The model that answers.
 */
modelId: string, 
/**
 * Who offers it.
 */
providerId: string, };

export type ResponseStatus = "completed" | "cancelled" | "error";

export type Resume = "ok" | "reset";

export type SendMessage = { 
/**
 * What to tell.
 */
message: string, 
/**
 * Wait if a turn is running, instead of being refused.
 */
queue?: boolean, 
/**
 * The sender's own id of the message: the same id is never sent twice.
 */
clientMessageId?: string, };

export type ServerMessage = { "type": "session:subscribed", 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * Whether the cursor could be used.
 */
resume: Resume, 
/**
 * The life of the log that `seq` belongs to.
 */
epoch: string, 
/**
 * The newest `seq`.
 */
seq: number, 
/**
 * What the session does.
 */
state: SessionState, 
/**
 * The turn that runs.
 */
turn?: TurnId, 
/**
 * Permission items that wait for an answer.
 */
pending: Array<ItemId>, 
/**
 * Messages that wait for their turn.
 */
queue: Array<QueuedMessage>, } | { "type": "session:history", 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * The latest state of each item, in the order in which they first appeared.
 */
entries: Array<Upsert>, 
/**
 * The milestones of the turns.
 */
turns: Array<TurnEvent>, 
/**
 * The newest `seq` in it.
 */
seq: number, } | { "type": "session:upsert", 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * Its place in the session's log; absent where there is no log.
 */
seq?: number, 
/**
 * The state.
 */
payload: Upsert, } | { "type": "session:turn", 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * Its place in the session's log; absent where there is no log.
 */
seq?: number, 
/**
 * The milestone.
 */
payload: TurnEvent, } | { "type": "session:append", 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * Its place in the session's log.
 */
seq: number, 
/**
 * The item.
 */
itemId: ItemId, 
/**
 * How many UTF-16 units of the text the client already holds.
 */
base: number, 
/**
 * What follows them.
 */
text: string, } | { "type": "session:state", 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * What it does.
 */
state: SessionState, 
/**
 * Its title.
 */
title?: string, 
/**
 * Permission items that wait for an answer.
 */
pending: Array<ItemId>, 
/**
 * Messages that wait for their turn.
 */
queue: Array<QueuedMessage>, } | { "type": "sessions:changed", 
/**
 * The project whose list it is.
 */
projectId?: ProjectId, } | { "type": "ok", 
/**
 * Which question this answers.
 */
requestId: string, 
/**
 * The turn that a message began.
 */
turnId?: TurnId, } | { "type": "error", 
/**
 * Which question this answers.
 */
requestId?: string, 
/**
 * Why.
 */
problem: Problem, };

export type SessionId = string;

export type SessionList = { 
/**
 * The newest first.
 */
sessions: Array<SessionSummary>, };

export type SessionOpened = { 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * Its kind of agent.
 */
cliType: string, };

export type SessionState = "starting" | "idle" | "running" | "cancelling" | "waiting" | "closed";

export type SessionStatus = { 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * Its kind of agent.
 */
cliType: string, 
/**
 * Whether its agent runs.
 */
isAlive: boolean, 
/**
 * What it does.
 */
state: SessionState, };

export type SessionSummary = { 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * Its kind of agent.
 */
cliType: string, 
/**
 * Its project.
 */
projectId: ProjectId, 
/**
 * What it is about.
 */
title?: string, 
/**
 * What it does.
 */
state: SessionState, 
/**
 * When something last happened in it.
 */
updatedAt: string, };

export type StreamBMessage = { 
/**
 * This emission.
 */
eventId: string, 
/**
 * When it went out, in milliseconds since the epoch.
 */
timestamp: number, 
/**
 * The turn, from which the stream's key is made.
 */
turnId: TurnId, 
/**
 * What the payload is.
 */
payloadType: PayloadType, 
/**
 * A [`UiUpsert`] or [`UiTurnEvent`] as JSON text.
 */
payload: string, };

export type StreamEvent = { "type": "response_start" } & ResponseStart | { "type": "item_start" } & ItemStart | { "type": "item_delta" } & ItemDelta | { "type": "item_done" } & ItemDone | { "type": "item_error" } & ItemError | { "type": "item_cancelled" } & ItemCancelled | { "type": "usage_update" } & UsageUpdate | { "type": "response_done" } & ResponseDone | { "type": "response_error" } & ResponseError;

export type StreamEventEnvelope = { 
/**
 * This event.
 */
eventId: EventId, 
/**
 * When it happened.
 */
timestamp: string, 
/**
 * The turn it belongs to.
 */
turnId: TurnId, 
/**
 * The session it belongs to.
 */
sessionId: SessionId, 
/**
 * Equal to the payload's type.
 */
type: EventType, 
/**
 * What happened.
 */
payload: StreamEvent, };

export type ThinkingBody = { 
/**
 * Whose model thought so.
 */
providerId: string, 
/**
 * The whole text so far. Last, as in a message.
 */
content: string, };

export type ToolCallBody = { 
/**
 * The tool.
 */
toolName: string, 
/**
 * What it was asked; may be empty until the call is complete.
 */
toolArguments: Record<string, unknown>, 
/**
 * Joins the call to its output.
 */
callId: CallId, 
/**
 * Whether the tool failed.
 */
toolOutputIsError?: boolean, 
/**
 * What the tool said so far. Last, as in a message.
 */
toolOutput?: string, 
/**
 * What sort of thing the tool does.
 */
kind?: ToolKind, 
/**
 * The call in words.
 */
title?: string, 
/**
 * The files it touches.
 */
locations?: Array<Location>, 
/**
 * What it changed.
 */
diffs?: Array<Diff>, };

export type ToolDetails = { 
/**
 * What sort of thing the tool does.
 */
kind?: ToolKind, 
/**
 * The call in words.
 */
title?: string, 
/**
 * The files it touches.
 */
locations?: Array<Location>, 
/**
 * What it changed.
 */
diffs?: Array<Diff>, };

export type ToolKind = "read" | "edit" | "execute" | "search" | "fetch" | "think" | "other";

export type TurnEvent = { "type": "turn_started", 
/**
 * The turn.
 */
turnId: TurnId, 
/**
 * Its session.
 */
sessionId: SessionId, 
/**
 * The model that answers.
 */
modelId: string, 
/**
 * Who offers it.
 */
providerId: string, } | { "type": "turn_complete", 
/**
 * The turn.
 */
turnId: TurnId, 
/**
 * Its session.
 */
sessionId: SessionId, 
/**
 * Whether it ran to its end.
 */
status: TurnStatus, 
/**
 * What it cost.
 */
usage?: Usage, } | { "type": "turn_error", 
/**
 * The turn.
 */
turnId: TurnId, 
/**
 * Its session.
 */
sessionId: SessionId, 
/**
 * What went wrong, for programs.
 */
errorCode: string, 
/**
 * What went wrong, for people.
 */
errorMessage: string, };

export type TurnId = string;

export type TurnStatus = "completed" | "cancelled";

export type UiItemType = "message" | "reasoning" | "tool_call" | "tool_output" | "error" | "plan" | "permission";

export type UiTurnEvent = { "type": "turn_started", 
/**
 * The turn.
 */
turnId: TurnId, 
/**
 * Its thread.
 */
threadId: SessionId, 
/**
 * The model that answers.
 */
modelId: string, 
/**
 * Who offers it.
 */
providerId: string, } | { "type": "turn_completed", 
/**
 * The turn.
 */
turnId: TurnId, 
/**
 * Its thread.
 */
threadId: SessionId, 
/**
 * How it ended.
 */
status: UiTurnStatus, 
/**
 * What it cost.
 */
usage?: UiUsage, } | { "type": "turn_error", 
/**
 * The turn.
 */
turnId: TurnId, 
/**
 * Its thread.
 */
threadId: SessionId, 
/**
 * Why.
 */
error: ErrorInfo, };

export type UiTurnStatus = "complete" | "error" | "aborted";

export type UiUpsert = { 
/**
 * Always `item_upsert`.
 */
type: PayloadType, 
/**
 * The turn it belongs to.
 */
turnId: TurnId, 
/**
 * The thread it belongs to: a session in every other format.
 */
threadId: SessionId, 
/**
 * The item.
 */
itemId: ItemId, 
/**
 * What it is.
 */
itemType: UiItemType, 
/**
 * How far it is.
 */
changeType: ChangeType, 
/**
 * The whole text so far; empty for tools and errors.
 */
content: string, 
/**
 * Who wrote a message.
 */
origin?: Origin, 
/**
 * Whose model thought so.
 */
providerId?: string, 
/**
 * The tool.
 */
toolName?: string, 
/**
 * What it was asked.
 */
toolArguments?: Record<string, unknown>, 
/**
 * Joins call and output.
 */
callId?: CallId, 
/**
 * What the tool said: parsed if it is a JSON object or array, else as text.
 */
toolOutput?: unknown, 
/**
 * Whether the tool did what it was asked.
 */
success?: boolean, 
/**
 * What went wrong, for programs.
 */
errorCode?: string, 
/**
 * What went wrong, for people.
 */
errorMessage?: string, };

export type UiUsage = { 
/**
 * Tokens the model read.
 */
promptTokens: number, 
/**
 * Tokens the model wrote.
 */
completionTokens: number, 
/**
 * Both.
 */
totalTokens: number, };

export type Upsert = { 
/**
 * The turn it belongs to.
 */
turnId: TurnId, 
/**
 * The session it belongs to.
 */
sessionId: SessionId, 
/**
 * The item.
 */
itemId: ItemId, 
/**
 * When its source told what is new in it.
 */
sourceTimestamp: string, 
/**
 * When it went out.
 */
emittedAt: string, 
/**
 * How far the item is.
 */
status: UpsertStatus, 
/**
 * What went wrong, for programs; only with status `error`.
 */
errorCode?: string, 
/**
 * What went wrong, for people; only with status `error`.
 */
errorMessage?: string, 
/**
 * The tool call whose sub-agent this item belongs to.
 */
parentCallId?: CallId, } & ({ "type": "message" } & MessageBody | { "type": "thinking" } & ThinkingBody | { "type": "tool_call" } & ToolCallBody | { "type": "plan" } & PlanBody | { "type": "permission" } & PermissionBody);

export type UpsertStatus = "create" | "update" | "complete" | "error";

export type Usage = { 
/**
 * Tokens the model read.
 */
inputTokens: number, 
/**
 * Tokens the model wrote.
 */
outputTokens: number, 
/**
 * Tokens read from the model's cache.
 */
cacheReadInputTokens?: number, 
/**
 * Tokens written to the model's cache.
 */
cacheCreationInputTokens?: number, 
/**
 * The price in US dollars, where the source tells it.
 */
costUsd?: number, };

export type UsageUpdate = { 
/**
 * The counts so far.
 */
usage: Usage, };
