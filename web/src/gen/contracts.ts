// Generated from the Rust types by `./x gen`. Do not edit.

export type Abilities = { 
/**
 * The models to choose from.
 */
models: Array<ModelChoice>, 
/**
 * The commands that a prompt may begin with.
 */
commands: Array<SlashCommand>, 
/**
 * How often the agent may ask, to choose from.
 */
permissionModes: Array<Choice>, 
/**
 * Everything that can be chosen, for agents that tell it in this way.
 */
options: Array<AgentOption>, 
/**
 * What may be attached to a message.
 */
attachments: AttachmentAbilities, 
/**
 * Whether it takes a message into a turn that runs.
 */
steer: boolean, 
/**
 * Whether a session of it can be forked.
 */
fork?: boolean, };

export type AddProject = { 
/**
 * The directory.
 */
path: string, 
/**
 * Whether to make the directory if only the one it lies in is there.
 */
create?: boolean, };

export type AgentOption = { 
/**
 * What to set it by.
 */
id: string, 
/**
 * What people call it.
 */
name: string, 
/**
 * What it is for, in the agent's own word: `mode`, `model`, `thought_level` and others.
 */
category?: string, 
/**
 * The choice in force.
 */
current?: string, 
/**
 * What there is to choose.
 */
choices: Array<Choice>, };

export type AgentReport = { 
/**
 * The `cliType` of its sessions.
 */
name: string, 
/**
 * What is known of it so far.
 */
state: AgentState, 
/**
 * How it is started.
 */
launch?: Launch, 
/**
 * Its version; for a model's API, the model.
 */
version?: string, 
/**
 * Why it cannot be used, and what to do about it.
 */
problem?: string, 
/**
 * Whether it is a part of this program: always there, with no model behind it.
 */
builtIn?: boolean, 
/**
 * Whether it is logged in; absent where that is not known. An agent may work without a login, by an API key or a
 * model of the user's own.
 */
loggedIn?: boolean, 
/**
 * The command that installs it, where one is known.
 */
install?: string, 
/**
 * The command that signs its user in, where one is known.
 */
signIn?: string, };

export type AgentState = "detecting" | "usable" | "missing" | "unusable";

export type AgentView = { 
/**
 * Its process, while it runs; sessions of one agent may share it.
 */
pid?: number, 
/**
 * The model it thinks with, in its own word.
 */
model?: string, 
/**
 * How often it asks, in its own word.
 */
permissionMode?: string, 
/**
 * How full the model's context is.
 */
context?: ContextUse, 
/**
 * What it offers.
 */
abilities: Abilities, 
/**
 * Lines of it that this version does not understand.
 */
unknownLines: number, };

export type AnswerType = "integer" | "number" | "choice";

export type Approval = { 
/**
 * What to answer it by.
 */
id: string, 
/**
 * The session that waits.
 */
sessionId: SessionId, 
/**
 * Its project.
 */
projectId?: ProjectId, 
/**
 * What the session is called.
 */
title?: string, 
/**
 * The permission item as it stands in the session, with all that the approver has to see.
 */
item: Upsert, };

export type ApprovalList = { 
/**
 * The questions.
 */
approvals: Array<Approval>, };

export type AttachFile = { 
/**
 * What it is called. Of a path only the last part is kept.
 */
name: string, 
/**
 * What kind of file it is, such as `image/png`.
 */
mimeType: string, 
/**
 * Its bytes in Base64, with padding.
 */
data: string, };

export type Attachment = { 
/**
 * What to ask for its bytes by; absent where only the agent has them.
 */
id?: AttachmentId, 
/**
 * What it is called.
 */
name: string, 
/**
 * What kind of file it is.
 */
mimeType: string, 
/**
 * How long it is.
 */
bytes: number, };

export type AttachmentAbilities = { 
/**
 * Images: PNG, JPEG, GIF and WebP.
 */
images: boolean, 
/**
 * Texts of any kind, and PDF.
 */
files: boolean, };

export type AttachmentId = string;

export type BackgroundWork = { 
/**
 * How many detached tool calls are open.
 */
running: number, };

export type BrowserKey = { 
/**
 * What to send with every request as `X-Liminal-Key`.
 */
key: string, };

export type CallId = string;

export type CancelReason = "user_cancel" | "timeout" | "process_death";

export type ChangeType = "created" | "updated" | "completed";

export type Choice = { 
/**
 * What to choose it by.
 */
id: string, 
/**
 * What people call it.
 */
name: string, 
/**
 * What it means.
 */
description?: string, 
/**
 * Whether the agent asks before it acts once this is chosen; absent where it makes no difference.
 */
guard?: Guard, };

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
encoding?: Encoding, 
/**
 * If everything has to be sent, only so many of the newest items; older ones are asked for by HTTP.
 */
window?: number, } | { "type": "session:unsubscribe", 
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
 * Wait if a turn is running, instead of being refused. While the queue is paused and no turn runs, the message is
 * sent at once, and the queue stays paused.
 */
queue?: boolean, 
/**
 * The sender's own id of the message: the same id is never sent twice.
 */
clientMessageId?: string, 
/**
 * Files that were uploaded for it, at most 10; a message with files need not say anything.
 */
attachments?: Array<AttachmentId>, } | { "type": "session:cancel", 
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
answers?: { [key in string]: string }, 
/**
 * Why a request is rejected, for the agent. Refused unless the request says `acceptsReason`.
 */
reason?: string, });

export type Configure = { 
/**
 * The model to think with, in the agent's own word.
 */
model?: string, 
/**
 * How often to ask, in the agent's own word.
 */
permissionMode?: string, 
/**
 * Options of the agent: the choice, by the option's id.
 */
options?: { [key in string]: string }, 
/**
 * Said by a person who knows what it means, when a choice makes the agent act without asking.
 */
confirmUnguarded?: boolean, };

export type ContextUse = { 
/**
 * The tokens in it.
 */
used: number, 
/**
 * The tokens that it holds.
 */
size: number, };

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
 * What the agent is to begin with: `model`, `permissionMode`, `extraDirectories`, and `confirmUnguarded` if that
 * makes it act without asking.
 */
providerOptions?: Record<string, unknown>, };

export type DecideTrust = { 
/**
 * Whether it may.
 */
trusted: boolean, };

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

export type EditQueued = { 
/**
 * What it is to say.
 */
message?: string, 
/**
 * Its new place, counted from 0.
 */
position?: number, };

export type Encoding = "append";

export type ErrorCode = "AGENTS_EXHAUSTED" | "AGENT_NOT_READING" | "ALREADY_ANSWERED" | "APPROVAL_NOT_FOUND" | "ATTACHMENT_NOT_FOUND" | "ATTACHMENT_NOT_TAKEN" | "ATTACHMENTS_FULL" | "BACKGROUND_ENDED" | "BODY_TOO_LARGE" | "BYPASS_NOT_ALLOWED" | "BYPASS_NOT_CONFIRMED" | "CODE_INVALID" | "CODE_USED" | "DELIVERY_UNKNOWN" | "HOST_NOT_ALLOWED" | "IDEMPOTENCY_MISMATCH" | "INTERNAL" | "INVALID_REQUEST" | "ITEM_NOT_FOUND" | "ITEM_TOO_LONG" | "LINE_TOO_LONG" | "LOGIN_REQUIRED" | "METHOD_NOT_ALLOWED" | "MODEL_UNREACHABLE" | "NOT_FORKABLE" | "NOT_FOUND" | "NOT_READY" | "NOT_STEERABLE" | "OWNER_LOST" | "ORIGIN_NOT_ALLOWED" | "PERMISSION_LAPSED" | "PROCESS_CRASH" | "PROCESS_EXIT_NO_RESULT" | "PROJECT_DIR_INVALID" | "PROJECT_EXISTS" | "PROJECT_ID_REQUIRED" | "PROJECT_NOT_FOUND" | "QUEUED_NOT_FOUND" | "QUEUE_FULL" | "RANGE_NOT_SATISFIABLE" | "REDIS_UNREACHABLE" | "REQUEST_TIMEOUT" | "RESPONSE_ERROR" | "SERVER_LOST" | "SERVER_RESTART" | "SESSION_NOT_FOUND" | "SESSION_TAKEN_OVER" | "SHUTTING_DOWN" | "SPAWN_FAILED" | "STORAGE_FULL" | "STREAM_ENDED" | "TOO_MANY_ATTEMPTS" | "TRUST_REQUIRED" | "TURN_IN_PROGRESS" | "UNAUTHORIZED" | "UNSUPPORTED_CLI_TYPE" | "UNSUPPORTED_MEDIA_TYPE" | "WRONG_STATE";

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

export type Finding = { 
/**
 * The file, from the project's directory.
 */
path: string, 
/**
 * What kind of thing it is.
 */
kind: FindingKind, 
/**
 * What it does: the command, the server, the variable.
 */
detail: string, 
/**
 * The types of agents that read it. `other` stands for every agent that is not named by any finding; such an agent
 * must be expected to read all of them.
 */
agents: Array<string>, };

export type FindingKind = "hook" | "mcp_server" | "environment" | "permission" | "setting" | "unreadable";

export type ForkSession = { 
/**
 * What it is to be called; without it, after the other one.
 */
title?: string, };

export type ForkedFrom = { 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * Its title; if it is gone, the one that it had when it was forked.
 */
title?: string, 
/**
 * It was deleted since.
 */
isGone?: boolean, };

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
 * The arguments as the model wrote them, where that is no JSON object; `arguments` then holds this text in a field.
 */
rawArguments?: string, 
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
details?: ToolDetails, 
/**
 * The call runs in the background: the end of its turn leaves it open. A later start of the same item may set this,
 * and nothing unsets it.
 */
detached?: boolean, };

export type Guard = "asks" | "may_act" | "unguarded";

export type HistoryPage = { 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * The latest state of each item.
 */
entries: Array<Upsert>, 
/**
 * The milestones of the turns on the page.
 */
turns: Array<TurnEvent>, 
/**
 * The life of the log that the numbers belong to.
 */
epoch: string, 
/**
 * The newest `seq` of the log when the page was read.
 */
seq: number, 
/**
 * Where older items go on, as `before` of the next request; absent at the beginning.
 */
before?: number, 
/**
 * Where newer items go on, as `after` of the next request; absent where there are none.
 */
after?: number, };

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

export type KnownProject = { 
/**
 * The directory.
 */
path: string, 
/**
 * Its last part.
 */
name: string, 
/**
 * How many sessions agents have kept of it.
 */
sessions: number, 
/**
 * The `cliType` of each of these agents.
 */
agents: Array<string>, 
/**
 * When an agent last worked there.
 */
lastActivity: string, };

export type KnownProjectList = { 
/**
 * The directories.
 */
projects: Array<KnownProject>, 
/**
 * There were more session files than are read at once: older directories may be missing, and counts too low.
 */
isCut?: boolean, };

export type Launch = { 
/**
 * The program.
 */
program: string, 
/**
 * Its arguments.
 */
args: Array<string>, };

export type LoadSession = { 
/**
 * Start the agent and resume the session in it before this is answered. Without it, the agent starts with the next
 * message.
 */
start?: boolean, };

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
turnId?: TurnId, 
/**
 * Where it waits, if it could not begin at once.
 */
queued?: QueuedMessage, };

export type MessageBody = { 
/**
 * Who wrote it.
 */
origin: Origin, 
/**
 * Files that came with it.
 */
attachments?: Array<Attachment>, 
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
origin: Origin, 
/**
 * Files that came with it.
 */
attachments?: Array<Attachment>, };

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

export type ModelChoice = { 
/**
 * What to choose it by.
 */
id: string, 
/**
 * What people call it.
 */
name: string, 
/**
 * What it is good for.
 */
description?: string, };

export type Origin = "user" | "agent" | "system";

export type PathList = { 
/**
 * The paths, the best first.
 */
paths: Array<string>, };

export type PayloadType = "item_upsert" | "turn_event";

export type PermissionAnswer = { 
/**
 * The option chosen.
 */
optionId?: string, 
/**
 * The answers, by question.
 */
answers?: { [key in string]: string }, 
/**
 * Why a request is rejected, for the agent. Refused unless the request says `acceptsReason`.
 */
reason?: string, };

export type PermissionBody = { 
/**
 * How it was settled, once it is.
 */
outcome?: PermissionOutcome, 
/**
 * The call that waits.
 */
callId: CallId, 
/**
 * The tool to be run. Empty in requests stored by earlier versions.
 */
toolName: string, 
/**
 * The MCP server that the tool belongs to.
 */
server?: string, 
/**
 * What sort of thing the tool does.
 */
kind?: ToolKind, 
/**
 * What the tool will be given: the input of the request itself, complete unless `inputTruncated` is set.
 */
input: Record<string, unknown>, 
/**
 * The input is longer than 1 MiB. `GET /api/approvals/{id}/input` returns all of it.
 */
inputTruncated?: boolean, 
/**
 * The input with which the agent had announced the call, if it was a different one.
 */
announcedInput?: Record<string, unknown>, 
/**
 * The tool that the agent had announced, if it was a different one.
 */
announcedToolName?: string, 
/**
 * The agent's own words for the request, for display only. They may not match the input.
 */
title: string, 
/**
 * The changes to files that the input asks for.
 */
diffs?: Array<Diff>, 
/**
 * The answers the agent takes.
 */
options: Array<PermissionOption>, 
/**
 * Questions to be answered in words or by choice.
 */
questions?: Array<Question>, 
/**
 * Whether a rejection can carry a reason for the agent.
 */
acceptsReason: boolean, 
/**
 * When the request is rejected automatically; absent unless the user set a time-out.
 */
deadline?: string, };

export type PermissionItem = { 
/**
 * How it was settled.
 */
outcome: PermissionOutcome, 
/**
 * The call that waits.
 */
callId: CallId, 
/**
 * The tool to be run. Empty in requests stored by earlier versions.
 */
toolName: string, 
/**
 * The MCP server that the tool belongs to.
 */
server?: string, 
/**
 * What sort of thing the tool does.
 */
kind?: ToolKind, 
/**
 * What the tool will be given: the input of the request itself, complete unless `inputTruncated` is set.
 */
input: Record<string, unknown>, 
/**
 * The input is longer than 1 MiB. `GET /api/approvals/{id}/input` returns all of it.
 */
inputTruncated?: boolean, 
/**
 * The input with which the agent had announced the call, if it was a different one.
 */
announcedInput?: Record<string, unknown>, 
/**
 * The tool that the agent had announced, if it was a different one.
 */
announcedToolName?: string, 
/**
 * The agent's own words for the request, for display only. They may not match the input.
 */
title: string, 
/**
 * The changes to files that the input asks for.
 */
diffs?: Array<Diff>, 
/**
 * The answers the agent takes.
 */
options: Array<PermissionOption>, 
/**
 * Questions to be answered in words or by choice.
 */
questions?: Array<Question>, 
/**
 * Whether a rejection can carry a reason for the agent.
 */
acceptsReason: boolean, 
/**
 * When the request is rejected automatically; absent unless the user set a time-out.
 */
deadline?: string, };

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

export type PermissionOptionKind = "allow_once" | "allow_always" | "reject_once" | "reject_always" | "other";

export type PermissionOutcome = { 
/**
 * The option that was chosen; absent if the request was never answered.
 */
optionId?: string, 
/**
 * The answers, by question.
 */
answers?: { [key in string]: string }, 
/**
 * The person's words to a rejection, or why the request was never answered.
 */
reason?: string, 
/**
 * Who settled it. Outcomes stored by earlier versions do not say, and were answers of people.
 */
by: SettledBy, };

export type PermissionRequest = { 
/**
 * The call that waits.
 */
callId: CallId, 
/**
 * The tool to be run. Empty in requests stored by earlier versions.
 */
toolName: string, 
/**
 * The MCP server that the tool belongs to.
 */
server?: string, 
/**
 * What sort of thing the tool does.
 */
kind?: ToolKind, 
/**
 * What the tool will be given: the input of the request itself, complete unless `inputTruncated` is set.
 */
input: Record<string, unknown>, 
/**
 * The input is longer than 1 MiB. `GET /api/approvals/{id}/input` returns all of it.
 */
inputTruncated?: boolean, 
/**
 * The input with which the agent had announced the call, if it was a different one.
 */
announcedInput?: Record<string, unknown>, 
/**
 * The tool that the agent had announced, if it was a different one.
 */
announcedToolName?: string, 
/**
 * The agent's own words for the request, for display only. They may not match the input.
 */
title: string, 
/**
 * The changes to files that the input asks for.
 */
diffs?: Array<Diff>, 
/**
 * The answers the agent takes.
 */
options: Array<PermissionOption>, 
/**
 * Questions to be answered in words or by choice.
 */
questions?: Array<Question>, 
/**
 * Whether a rejection can carry a reason for the agent.
 */
acceptsReason: boolean, 
/**
 * When the request is rejected automatically; absent unless the user set a time-out.
 */
deadline?: string, };

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
name: string, 
/**
 * The directory is not there now.
 */
isMissing?: boolean, 
/**
 * Whether what the project brings may run.
 */
trust: Trust, 
/**
 * What it brings that runs or changes what an agent does; a person decides on it.
 */
findings: Array<Finding>, };

export type ProjectId = string;

export type ProjectList = { 
/**
 * The projects.
 */
projects: Array<Project>, };

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
options: Array<QuestionOption>, 
/**
 * What an answer in words has to be; absent for any text.
 */
answerType?: AnswerType, 
/**
 * Whether the question may be left unanswered.
 */
isOptional?: boolean, };

export type QuestionOption = { 
/**
 * What it says.
 */
label: string, 
/**
 * What it means.
 */
description?: string, };

export type Queue = { 
/**
 * The messages.
 */
queue: Array<QueuedMessage>, 
/**
 * Why the queue is paused; absent while it is not.
 */
queuePaused?: QueuePause, };

export type QueuePause = "restart" | "failed" | "rejected" | "timeout" | "cancelled";

export type QueuedMessage = { 
/**
 * Its place in the queue, for editing and removing it.
 */
id: string, 
/**
 * What it says.
 */
message: string, 
/**
 * The sender's own id of it.
 */
clientMessageId?: string, 
/**
 * Files that go with it.
 */
attachments?: Array<Attachment>, 
/**
 * Why it was not sent when its turn came. The queue is then paused; resuming it tries again.
 */
failure?: ErrorInfo, };

export type ReasoningItem = { 
/**
 * The text.
 */
content: string, 
/**
 * Whose model thought so.
 */
providerId: string, };

export type Rename = { 
/**
 * The title.
 */
title: string, };

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

export type SearchHit = { 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * Its project.
 */
projectId?: ProjectId, 
/**
 * What the session is called.
 */
title?: string, 
/**
 * The item.
 */
itemId: ItemId, 
/**
 * A few words around what was found, in pieces.
 */
snippet: Array<SnippetPiece>, };

export type SearchResults = { 
/**
 * The items.
 */
hits: Array<SearchHit>, 
/**
 * How many sessions other servers keep, which were not searched: each server searches its own. Missing if none.
 */
elsewhere?: number, 
/**
 * Finished items that are not in the search index yet, so that this search could not find them. Missing if none.
 */
notIndexed?: number, };

export type SendMessage = { 
/**
 * What to tell.
 */
message: string, 
/**
 * Wait if a turn is running, instead of being refused. While the queue is paused and no turn runs, the message is
 * sent at once, and the queue stays paused.
 */
queue?: boolean, 
/**
 * The sender's own id of the message: the same id is never sent twice.
 */
clientMessageId?: string, 
/**
 * Files that were uploaded for it, at most 10; a message with files need not say anything.
 */
attachments?: Array<AttachmentId>, };

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
 * What it does.
 */
state: SessionState, 
/**
 * Whether its agent runs. An idle session may have none; its next message brings one.
 */
isAlive: boolean, 
/**
 * Its title.
 */
title?: string, 
/**
 * The turn that runs.
 */
turn?: TurnId, 
/**
 * When it began.
 */
turnStartedAt?: string, 
/**
 * Permission items that wait for an answer.
 */
pending: Array<ItemId>, 
/**
 * Messages that wait for their turn.
 */
queue: Array<QueuedMessage>, 
/**
 * Why the queue is paused: nothing in it is sent until it is resumed. Absent while it is not; an empty queue never is.
 */
queuePaused?: QueuePause, 
/**
 * A request timed out, and no person has acted in the session since.
 */
timedOut?: boolean, 
/**
 * Work that runs in the background, in a turn or after its end; absent if there is none.
 */
background?: BackgroundWork, 
/**
 * A turn runs, and its agent has been silent for long.
 */
isStalled?: boolean, 
/**
 * Another program changed the session since this one read it: what is shown is not all that the agent knows.
 */
isDiverged?: boolean, 
/**
 * Whether it was put away.
 */
isArchived?: boolean, 
/**
 * The agent acts without asking; the same as `guard: "unguarded"`.
 */
isUnguarded?: boolean, 
/**
 * Whether the agent asks before it acts, judged by the mode and the options that it reports; absent if it asks.
 */
guard?: Guard, 
/**
 * Why its agent is gone, if it did not go as wished.
 */
failure?: ErrorInfo, 
/**
 * What is known of its agent.
 */
agent: AgentView, } | { "type": "session:history", 
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
seq: number, 
/**
 * Items before this place were not sent, because a window was asked for: `before` of the next page.
 */
before?: number, } | { "type": "session:upsert", 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * Its place in the session's log; absent where there is no log, and while the disk is full: the
 * state is then sent again once it is stored.
 */
seq?: number, 
/**
 * The `seq` of the item's first state, by which items are ordered.
 */
firstSeq?: number, 
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
 * Whether its agent runs. An idle session may have none; its next message brings one.
 */
isAlive: boolean, 
/**
 * Its title.
 */
title?: string, 
/**
 * The turn that runs.
 */
turn?: TurnId, 
/**
 * When it began.
 */
turnStartedAt?: string, 
/**
 * Permission items that wait for an answer.
 */
pending: Array<ItemId>, 
/**
 * Messages that wait for their turn.
 */
queue: Array<QueuedMessage>, 
/**
 * Why the queue is paused: nothing in it is sent until it is resumed. Absent while it is not; an empty queue never is.
 */
queuePaused?: QueuePause, 
/**
 * A request timed out, and no person has acted in the session since.
 */
timedOut?: boolean, 
/**
 * Work that runs in the background, in a turn or after its end; absent if there is none.
 */
background?: BackgroundWork, 
/**
 * A turn runs, and its agent has been silent for long.
 */
isStalled?: boolean, 
/**
 * Another program changed the session since this one read it: what is shown is not all that the agent knows.
 */
isDiverged?: boolean, 
/**
 * Whether it was put away.
 */
isArchived?: boolean, 
/**
 * The agent acts without asking; the same as `guard: "unguarded"`.
 */
isUnguarded?: boolean, 
/**
 * Whether the agent asks before it acts, judged by the mode and the options that it reports; absent if it asks.
 */
guard?: Guard, 
/**
 * Why its agent is gone, if it did not go as wished.
 */
failure?: ErrorInfo, 
/**
 * What is known of its agent.
 */
agent: AgentView, } | { "type": "sessions:changed", 
/**
 * The project whose list it is.
 */
projectId?: ProjectId, } | { "type": "agents:changed", 
/**
 * All of them, as `GET /api/agents` lists them.
 */
agents: Array<AgentReport>, } | { "type": "server:storage", 
/**
 * Whether nothing can be stored: messages are refused, and what agents say is shown without a `seq`.
 */
isFull: boolean, } | { "type": "ok", 
/**
 * Which question this answers.
 */
requestId: string, 
/**
 * The turn that a message began.
 */
turnId?: TurnId, 
/**
 * Where a message waits, if a turn was running.
 */
queued?: QueuedMessage, } | { "type": "error", 
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
sessions: Array<SessionSummary>, 
/**
 * Where the list goes on, as `after` of the next request; absent at its end.
 */
next?: string, 
/**
 * What of the agents' own sessions is not in the list, and why, in words.
 */
notes?: Array<string>, };

export type SessionOpened = { 
/**
 * The session.
 */
sessionId: SessionId, 
/**
 * Its kind of agent.
 */
cliType: string, };

export type SessionSource = "made" | "found";

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
 * Its project.
 */
projectId?: ProjectId, 
/**
 * Where its agent works.
 */
directory: string, 
/**
 * The branch of the directory, if it is under version control.
 */
branch?: string, 
/**
 * The session that it was forked from, if it was.
 */
forkedFrom?: ForkedFrom, 
/**
 * Lines of its agent that nobody understood, the newest last.
 */
unknownSamples?: Array<string>, 
/**
 * What it does.
 */
state: SessionState, 
/**
 * Whether its agent runs. An idle session may have none; its next message brings one.
 */
isAlive: boolean, 
/**
 * Its title.
 */
title?: string, 
/**
 * The turn that runs.
 */
turn?: TurnId, 
/**
 * When it began.
 */
turnStartedAt?: string, 
/**
 * Permission items that wait for an answer.
 */
pending: Array<ItemId>, 
/**
 * Messages that wait for their turn.
 */
queue: Array<QueuedMessage>, 
/**
 * Why the queue is paused: nothing in it is sent until it is resumed. Absent while it is not; an empty queue never is.
 */
queuePaused?: QueuePause, 
/**
 * A request timed out, and no person has acted in the session since.
 */
timedOut?: boolean, 
/**
 * Work that runs in the background, in a turn or after its end; absent if there is none.
 */
background?: BackgroundWork, 
/**
 * A turn runs, and its agent has been silent for long.
 */
isStalled?: boolean, 
/**
 * Another program changed the session since this one read it: what is shown is not all that the agent knows.
 */
isDiverged?: boolean, 
/**
 * Whether it was put away.
 */
isArchived?: boolean, 
/**
 * The agent acts without asking; the same as `guard: "unguarded"`.
 */
isUnguarded?: boolean, 
/**
 * Whether the agent asks before it acts, judged by the mode and the options that it reports; absent if it asks.
 */
guard?: Guard, 
/**
 * Why its agent is gone, if it did not go as wished.
 */
failure?: ErrorInfo, 
/**
 * What is known of its agent.
 */
agent: AgentView, };

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
 * Where its agent works.
 */
directory: string, 
/**
 * What it does.
 */
state: SessionState, 
/**
 * Whether its agent runs.
 */
isAlive: boolean, 
/**
 * Who made it.
 */
source: SessionSource, 
/**
 * How many questions of it wait for an answer.
 */
pending: number, 
/**
 * Work that runs in the background, in a turn or after its end; absent if there is none.
 */
background?: BackgroundWork, 
/**
 * A request timed out, and no person has acted in the session since.
 */
timedOut?: boolean, 
/**
 * Its last turn failed.
 */
hasFailed?: boolean, 
/**
 * Whether it was put away.
 */
isArchived?: boolean, 
/**
 * The newest `seq` of its log, to tell whether there is something unread; 0 while it was never opened here.
 */
seq: number, 
/**
 * When something last happened in it.
 */
updatedAt: string, };

export type SettledBy = "user" | "timeout" | "agent" | "restart";

export type SlashCommand = { 
/**
 * Its word, without the slash.
 */
name: string, 
/**
 * What it does.
 */
description: string, 
/**
 * What to write behind it.
 */
argumentHint?: string, };

export type SnippetPiece = { 
/**
 * Its words.
 */
text: string, 
/**
 * Whether it is what was looked for.
 */
isMatch: boolean, };

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
payload: string, 
/**
 * The trace of the event that it comes from.
 */
traceContext?: TraceContext, };

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
 * The distributed trace it belongs to.
 */
traceContext?: TraceContext, 
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
 * The call runs, or ran, in the background: it may change after the end of its turn, and so may the items that name it
 * as their `parentCallId`.
 */
detached?: boolean, 
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
diffs?: Array<Diff>, 
/**
 * How the command ended that it ran, where the agent tells it beside the output.
 */
exitCode?: number, };

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
diffs?: Array<Diff>, 
/**
 * How the command ended that it ran, where the agent tells it beside the output.
 */
exitCode?: number, };

export type ToolKind = "read" | "edit" | "execute" | "search" | "fetch" | "think" | "other";

export type TraceContext = { 
/**
 * The header `traceparent`.
 */
traceparent: string, 
/**
 * The header `tracestate`.
 */
tracestate?: string, };

export type Trust = "unknown" | "trusted" | "untrusted";

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
errorMessage: string, 
/**
 * What it cost until then, where that is known.
 */
usage?: Usage, };

export type TurnId = string;

export type TurnStatus = "completed" | "cancelled";

export type UiItemType = "message" | "reasoning" | "tool_call" | "tool_output" | "error" | "plan" | "permission";

export type UiToolArguments = Record<string, unknown> | string;

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
toolArguments?: UiToolArguments, 
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
 * When its source told of it first; a log tells it with the later states of thoughts and tool calls, so that
 * whoever saw only these knows how long it took.
 */
startedAt?: string, 
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
