// Every route of the server as a function. Owns no policy: it neither repeats nor remembers, but for the key.

import type {
  AddProject, AgentReport, AttachFile, Attachment, ApprovalList, BrowserKey, Configure, CreateSession, EditQueued, HistoryPage, ItemId, KnownProjectList, MessageAccepted, Meta, PathList,
  PermissionAnswer, Project, ProjectId, ProjectList, Queue, SearchResults, SendMessage, SessionId, SessionList, SessionOpened,
  SessionStatus,
} from '../gen/contracts';
import { type ApiOptions, Caller } from './http-call';
import { ApiProblem } from './problems';

export type { ApiOptions } from './http-call';
export { ApiProblem, Unreachable } from './problems';

export type UiState = Record<string, unknown>;

export type OutputPart = {
  readonly text: string;
  /** Bytes of the whole output, where the server tells. */
  readonly total?: number;
};

export type ExportFormat = 'md' | 'json' | 'jsonl';

/** Older than a place, newer than one, or about an item. */
export type HistoryQuery = { readonly before?: number; readonly after?: number; readonly around?: ItemId; readonly limit?: number };

export type SessionQuery = {
  readonly projectId?: ProjectId;
  readonly attention?: boolean;
  /** With `attention`, these too; separated by commas. */
  readonly sessionIds?: string;
  readonly q?: string;
  readonly archived?: boolean;
  readonly after?: string;
  readonly limit?: number;
};

type Signal = { readonly signal?: AbortSignal };
type OutputOptions = Signal & { readonly from?: number; readonly to?: number };

export type Api = {
  key(): string | undefined;
  forgetKey(): void;
  /** Turns the code of `#c=…` into a key and keeps it. The caller removes the code from the address. */
  exchange(code: string): Promise<void>;
  /** Whether the key is still good. */
  checkAccess(): Promise<'granted' | 'refused' | 'unreachable'>;
  isHealthy(): Promise<boolean>;

  meta(): Promise<Meta>;
  /** What is known of the agents now; never waits for their programs. */
  agents(): Promise<AgentReport[]>;
  /** Has every agent asked again; `agents:changed` reports the results. */
  refreshAgents(): Promise<AgentReport[]>;
  projects(): Promise<ProjectList>;
  /** Directories that agents have worked in and that are no projects yet. */
  knownProjects(): Promise<KnownProjectList>;
  addProject(body: AddProject): Promise<Project>;
  removeProject(id: ProjectId): Promise<void>;
  trustProject(id: ProjectId, trusted: boolean): Promise<Project>;
  projectFiles(id: ProjectId, query: string, options?: Signal): Promise<PathList>;
  completeDirectory(path: string, options?: Signal): Promise<PathList>;

  /** Those of a project, those that need attention, or those that match a text. */
  sessions(query: SessionQuery, options?: Signal): Promise<SessionList>;
  createSession(body: CreateSession): Promise<SessionOpened>;
  loadSession(id: SessionId): Promise<SessionOpened>;
  sessionStatus(id: SessionId): Promise<SessionStatus>;
  send(id: SessionId, body: SendMessage): Promise<MessageAccepted>;
  cancel(id: SessionId): Promise<SessionStatus>;
  /** Stops what runs in the background; a turn that runs goes on. */
  stopBackground(id: SessionId): Promise<SessionStatus>;
  /** A session that has the history so far, and goes on by itself. */
  fork(id: SessionId): Promise<SessionOpened>;
  /** Keeps a file for a message that is sent later. */
  attach(id: SessionId, body: AttachFile): Promise<Attachment>;
  attachment(id: SessionId, attachmentId: string): Promise<Blob>;
  /** Forgets a file that was not sent. */
  detach(id: SessionId, attachmentId: string): Promise<void>;
  kill(id: SessionId): Promise<SessionStatus>;
  configure(id: SessionId, body: Configure): Promise<SessionStatus>;
  rename(id: SessionId, title: string): Promise<SessionStatus>;
  /** A person has looked at what timed out. */
  markSeen(id: SessionId): Promise<SessionStatus>;
  archive(id: SessionId): Promise<SessionStatus>;
  unarchive(id: SessionId): Promise<SessionStatus>;
  deleteSession(id: SessionId): Promise<void>;

  queue(id: SessionId): Promise<Queue>;
  resumeQueue(id: SessionId): Promise<Queue>;
  editQueued(id: SessionId, queuedId: string, body: EditQueued): Promise<Queue>;
  removeQueued(id: SessionId, queuedId: string): Promise<Queue>;
  sendQueuedNow(id: SessionId, queuedId: string): Promise<MessageAccepted>;
  /** Puts one into the turn that runs. */
  steerQueued(id: SessionId, queuedId: string): Promise<void>;

  history(id: SessionId, query?: HistoryQuery): Promise<HistoryPage>;
  output(id: SessionId, itemId: ItemId, options?: OutputOptions): Promise<OutputPart>;
  exportSession(id: SessionId, format: ExportFormat): Promise<Blob>;

  approvals(): Promise<ApprovalList>;
  answer(approvalId: string, answer: PermissionAnswer): Promise<void>;
  /** The whole input of a request that was too long to be sent with it. */
  approvalInput(approvalId: string): Promise<Record<string, unknown>>;
  search(query: { q: string; sessionId?: SessionId; limit?: number }, options?: Signal): Promise<SearchResults>;
  readUiState(): Promise<UiState>;
  writeUiState(state: UiState): Promise<void>;
};

/** The one-time code of an address, from its `#c=…`. */
export function codeOf(hash: string): string | undefined {
  return new URLSearchParams(hash.replace(/^#/, '')).get('c') || undefined;
}

export function createApi(options: ApiOptions): Api {
  const caller = new Caller(options);
  return { ...access(caller), ...projects(caller), ...sessions(caller), ...queues(caller), ...reading(caller), ...page(caller) };
}

const session = (id: SessionId, rest = '') => `api/session/${encodeURIComponent(id)}${rest}`;
const project = (id: ProjectId, rest = '') => `api/projects/${encodeURIComponent(id)}${rest}`;
const attached = (id: SessionId, of: string) => session(id, `/attachments/${encodeURIComponent(of)}`);
const queued = (id: SessionId, queuedId: string, rest = '') => session(id, `/queue/${encodeURIComponent(queuedId)}${rest}`);

function access(caller: Caller) {
  return {
    key: () => caller.key(),
    forgetKey: () => caller.forgetKey(),
    exchange: async (code: string) =>
      caller.keepKey(await caller.json<BrowserKey>('POST', 'auth/exchange', { body: { code }, isAnonymous: true })),
    checkAccess: () => caller.nothing('GET', 'api/meta').then(() => 'granted' as const, refusal),
    isHealthy: () => caller.nothing('GET', 'healthz').then(() => true, () => false),
    meta: () => caller.json<Meta>('GET', 'api/meta'),
    agents: () => caller.json<AgentReport[]>('GET', 'api/agents'),
    refreshAgents: () => caller.json<AgentReport[]>('POST', 'api/agents/refresh'),
  };
}

function projects(caller: Caller) {
  return {
    projects: () => caller.json<ProjectList>('GET', 'api/projects'),
    knownProjects: () => caller.json<KnownProjectList>('GET', 'api/projects/known'),
    addProject: (body: AddProject) => caller.json<Project>('POST', 'api/projects', { body }),
    removeProject: (id: ProjectId) => caller.nothing('DELETE', project(id)),
    trustProject: (id: ProjectId, trusted: boolean) => caller.json<Project>('POST', project(id, '/trust'), { body: { trusted } }),
    projectFiles: (id: ProjectId, q: string, { signal }: Signal = {}) =>
      caller.json<PathList>('GET', project(id, '/files'), { query: { q }, signal }),
    completeDirectory: (path: string, { signal }: Signal = {}) =>
      caller.json<PathList>('GET', 'api/fs/complete', { query: { path }, signal }),
  };
}

function sessions(caller: Caller) {
  const post = (id: SessionId, verb: string, body?: unknown) => caller.json<SessionStatus>('POST', session(id, verb), { body });
  return {
    sessions: (query: SessionQuery, { signal }: Signal = {}) => caller.json<SessionList>('GET', 'api/session/list', { query, signal }),
    createSession: (body: CreateSession) => caller.json<SessionOpened>('POST', 'api/session/create', { body }),
    loadSession: (id: SessionId) => caller.json<SessionOpened>('POST', session(id, '/load')),
    sessionStatus: (id: SessionId) => caller.json<SessionStatus>('GET', session(id, '/status')),
    send: (id: SessionId, body: SendMessage) => caller.json<MessageAccepted>('POST', session(id, '/send'), { body }),
    cancel: (id: SessionId) => post(id, '/cancel'),
    stopBackground: (id: SessionId) => post(id, '/background/stop'),
    fork: (id: SessionId) => caller.json<SessionOpened>('POST', session(id, '/fork'), { body: {} }),
    attach: (id: SessionId, body: AttachFile) => caller.json<Attachment>('POST', session(id, '/attachments'), { body }),
    attachment: async (id: SessionId, of: string) => (await caller.raw('GET', attached(id, of))).blob(),
    detach: (id: SessionId, of: string) => caller.nothing('DELETE', attached(id, of)),
    kill: (id: SessionId) => post(id, '/kill'),
    configure: (id: SessionId, body: Configure) => post(id, '/configure', body),
    rename: (id: SessionId, title: string) => post(id, '/title', { title }),
    markSeen: (id: SessionId) => post(id, '/seen'),
    archive: (id: SessionId) => post(id, '/archive'),
    unarchive: (id: SessionId) => post(id, '/unarchive'),
    deleteSession: (id: SessionId) => caller.nothing('DELETE', session(id)),
  };
}

function queues(caller: Caller) {
  return {
    queue: (id: SessionId) => caller.json<Queue>('GET', session(id, '/queue')),
    resumeQueue: (id: SessionId) => caller.json<Queue>('POST', session(id, '/queue/resume')),
    editQueued: (id: SessionId, queuedId: string, body: EditQueued) => caller.json<Queue>('PATCH', queued(id, queuedId), { body }),
    removeQueued: (id: SessionId, queuedId: string) => caller.json<Queue>('DELETE', queued(id, queuedId)),
    steerQueued: (id: SessionId, queuedId: string) => caller.nothing('POST', queued(id, queuedId, '/steer')),
    sendQueuedNow: (id: SessionId, queuedId: string) => caller.json<MessageAccepted>('POST', queued(id, queuedId, '/now')),
  };
}

function reading(caller: Caller) {
  return {
    history: (id: SessionId, query: HistoryQuery = {}) =>
      caller.json<HistoryPage>('GET', session(id, '/history'), { query }),
    output: async (id: SessionId, itemId: ItemId, { from, to, signal }: OutputOptions = {}) => {
      const path = session(id, `/items/${encodeURIComponent(itemId)}/output`);
      const range: Record<string, string> = from === undefined ? {} : { Range: `bytes=${from}-${to ?? ''}` };
      return outputPart(await caller.raw('GET', path, { headers: range, signal }));
    },
    exportSession: async (id: SessionId, format: ExportFormat) =>
      (await caller.raw('GET', session(id, '/export'), { query: { format } })).blob(),
    search: (query: Parameters<Api['search']>[0], { signal }: Signal = {}) =>
      caller.json<SearchResults>('GET', 'api/search', { query, signal }),
  };
}

function page(caller: Caller) {
  return {
    approvals: () => caller.json<ApprovalList>('GET', 'api/approvals'),
    answer: (approvalId: string, body: PermissionAnswer) =>
      caller.nothing('POST', `api/approvals/${encodeURIComponent(approvalId)}`, { body }),
    approvalInput: (approvalId: string) => caller.json<Record<string, unknown>>('GET', `api/approvals/${encodeURIComponent(approvalId)}/input`),
    readUiState: () => caller.json<UiState>('GET', 'api/ui-state'),
    writeUiState: (body: UiState) => caller.nothing('PUT', 'api/ui-state', { body }),
  };
}

function refusal(error: unknown): 'refused' | 'unreachable' {
  return error instanceof ApiProblem && error.status === 401 ? 'refused' : 'unreachable';
}

async function outputPart(response: Response): Promise<OutputPart> {
  const size = response.headers.get('Content-Range')?.split('/')[1] ?? response.headers.get('Content-Length');
  const total = Number(size ?? NaN);
  const text = await response.text();
  return Number.isFinite(total) ? { text, total } : { text };
}
