import type {
  ApprovalList, Configure, CreateSession, EditQueued, HistoryPage, ItemId, MessageAccepted, Meta, PathList, PermissionAnswer,
  Problem, Project, ProjectId, ProjectList, Queue, SearchResults, SendMessage, SessionId, SessionList, SessionOpened, SessionStatus,
} from '../gen/contracts';
import type { KeyValueStorage } from './environment';

/** The server answered with an error. */
export declare class ApiProblem extends Error {
  readonly problem: Problem;
  constructor(problem: Problem);
  get code(): Problem['code'];
  get status(): number;
}
/** No answer came. */
export declare class Unreachable extends Error {}

export type AgentReport = {
  readonly name: string;
  readonly launch?: { readonly program: string; readonly args: readonly string[] };
  readonly version?: string;
  readonly problem?: string;
};

export type UiState = Record<string, unknown>;

export type OutputPart = {
  readonly text: string;
  /** Bytes of the whole output, where the server tells. */
  readonly total?: number;
};

export type ExportFormat = 'md' | 'json' | 'jsonl';

export type ApiOptions = {
  /** Addresses are resolved against it: `document.baseURI`. */
  readonly base: string;
  readonly storage: KeyValueStorage;
  fetch(url: string, init: RequestInit): Promise<Response>;
};

type Signal = { readonly signal?: AbortSignal };

export type Api = {
  key(): string | undefined;
  forgetKey(): void;
  /** Turns the code of `#c=…` into a key and keeps it. The caller removes the code from the address. */
  exchange(code: string): Promise<void>;
  checkAccess(): Promise<'granted' | 'refused' | 'unreachable'>;
  isHealthy(): Promise<boolean>;

  meta(): Promise<Meta>;
  agents(): Promise<AgentReport[]>;
  projects(): Promise<ProjectList>;
  addProject(path: string): Promise<Project>;
  removeProject(id: ProjectId): Promise<void>;
  trustProject(id: ProjectId, trusted: boolean): Promise<Project>;
  projectFiles(id: ProjectId, query: string, options?: Signal): Promise<PathList>;
  completeDirectory(path: string, options?: Signal): Promise<PathList>;

  sessions(query: { projectId: ProjectId; archived?: boolean; after?: string; limit?: number }): Promise<SessionList>;
  createSession(body: CreateSession): Promise<SessionOpened>;
  loadSession(id: SessionId): Promise<SessionOpened>;
  sessionStatus(id: SessionId): Promise<SessionStatus>;
  send(id: SessionId, body: SendMessage): Promise<MessageAccepted>;
  cancel(id: SessionId): Promise<SessionStatus>;
  kill(id: SessionId): Promise<SessionStatus>;
  configure(id: SessionId, body: Configure): Promise<SessionStatus>;
  rename(id: SessionId, title: string): Promise<SessionStatus>;
  archive(id: SessionId): Promise<SessionStatus>;
  unarchive(id: SessionId): Promise<SessionStatus>;
  deleteSession(id: SessionId): Promise<void>;

  queue(id: SessionId): Promise<Queue>;
  editQueued(id: SessionId, queuedId: string, body: EditQueued): Promise<Queue>;
  removeQueued(id: SessionId, queuedId: string): Promise<Queue>;
  sendQueuedNow(id: SessionId, queuedId: string): Promise<MessageAccepted>;

  history(id: SessionId, query?: { before?: number; limit?: number }): Promise<HistoryPage>;
  output(id: SessionId, itemId: ItemId, options?: { from?: number; to?: number } & Signal): Promise<OutputPart>;
  exportSession(id: SessionId, format: ExportFormat): Promise<Blob>;

  approvals(): Promise<ApprovalList>;
  answer(approvalId: string, answer: PermissionAnswer): Promise<void>;
  search(query: { q: string; sessionId?: SessionId; limit?: number }, options?: Signal): Promise<SearchResults>;
  readUiState(): Promise<UiState>;
  writeUiState(state: UiState): Promise<void>;
};

export declare function createApi(options: ApiOptions): Api;
/** The one-time code of an address, from its `#c=…`. */
export declare function codeOf(hash: string): string | undefined;
