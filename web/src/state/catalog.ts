/** Projects, their sessions and the agents, as the server lists them. Owns when they are asked for again. */
import { createEffect, createMemo, createRoot, createSignal } from 'solid-js';
import { createStore, produce, reconcile } from 'solid-js/store';
import type { AgentReport, Approval, KnownProject, Meta, Project, SessionSummary } from '../gen/contracts';
import { uniqueSessions } from '../model/list';
import { countNeedsYou, glyphOf, type Glyph } from '../model/status';
import { Unreachable } from '../protocol/problems';
import { attention, dropAttention, patchAttention, refreshAttention } from './attention';
import { backgroundOf } from './background';
import { prefs } from './prefs';
import { api, connection } from './services';
import { tabs } from './tabs';
import { attempt, toastError } from './toasts';

export interface SessionsOfProject {
  sessions: SessionSummary[];
  next?: string | undefined;
  /** What is not in the list, and why. */
  notes?: readonly string[] | undefined;
}

const [projects, setProjects] = createStore<Project[]>([]);
const [lists, setLists] = createStore<Record<string, SessionsOfProject>>({});
const [archived, setArchived] = createStore<Record<string, SessionsOfProject>>({});
/** Nothing, until the server has answered; that is not the same as none. */
const [agents, setAgents] = createSignal<readonly AgentReport[]>();
/** Directories that agents know and that are no projects yet. */
const [known, setKnown] = createSignal<readonly KnownProject[]>();
const [meta, setMeta] = createSignal<Meta>();
const [approvals, setApprovals] = createSignal<readonly Approval[]>([]);
const [isReady, setReady] = createSignal(false);
export { projects, lists, archived, agents, known, meta, approvals, isReady };

const PAGE = 50;

/** That the server cannot be reached is told by the connection, which asks again when it is back. */
function tellUnlessLost(title: string, error: unknown): void {
  if (!(error instanceof Unreachable)) toastError(title, error);
}

export async function refreshProjects(): Promise<void> {
  try {
    setProjects(reconcile((await api.projects()).projects, { key: 'id' }));
    setReady(true);
  } catch (error) {
    tellUnlessLost('Projects could not be read', error);
  }
}

/** How often the server has sent the agents by itself. It sends them at every change, so an answer that a frame overtook is older. */
let sentAgents = 0;

export async function refreshAgents(ask: () => Promise<AgentReport[]> = api.agents): Promise<void> {
  const before = sentAgents;
  try {
    const answer = await ask();
    if (before === sentAgents) setAgents(answer);
  } catch (error) {
    tellUnlessLost('Agents could not be read', error);
  }
}

export const agentOf = (cliType: string | undefined): AgentReport | undefined => agents()?.find((agent) => agent.name === cliType);

export async function refreshKnown(): Promise<void> {
  // An offer, and no reason to complain.
  const found = await api.knownProjects().catch(() => undefined);
  setKnown(found?.projects ?? []);
}

/** Answers may overtake each other: an older one than the last that was taken is of no use. */
let asked = 0;
const taken = new Map<string, number>();

/** Asks again for as many rows as are shown. */
export async function refreshSessions(projectId: string): Promise<void> {
  const number = asked += 1;
  const shown = Math.max(PAGE, lists[projectId]?.sessions.length ?? 0);
  try {
    const page = await api.sessions({ projectId, limit: shown });
    if ((taken.get(projectId) ?? 0) > number) return;
    taken.set(projectId, number);
    put('list', projectId, page.sessions, page.next);
    setLists(projectId, 'notes', page.notes);
  } catch (error) {
    tellUnlessLost('Sessions could not be read', error);
  }
}

export async function moreSessions(projectId: string): Promise<void> {
  const list = lists[projectId];
  if (!list?.next) return;
  const page = await api.sessions({ projectId, after: list.next, limit: PAGE });
  put('list', projectId, [...list.sessions, ...page.sessions], page.next);
}

export async function refreshArchived(): Promise<void> {
  await Promise.all(projects.map(async ({ id }) => {
    const page = await api.sessions({ projectId: id, archived: true, limit: 100 });
    put('archive', id, page.sessions, page.next);
  }));
}

function put(where: 'list' | 'archive', projectId: string, sessions: SessionSummary[], next: string | undefined): void {
  const unique = [...new Map(sessions.map((session) => [session.sessionId, session])).values()];
  const [all, set] = where === 'list' ? [lists, setLists] : [archived, setArchived];
  if (all[projectId]) set(projectId, 'sessions', reconcile(unique, { key: 'sessionId' }));
  else set(projectId, { sessions: unique });
  set(projectId, 'next', next);
}

/** Those that need attention, wherever they are in the lists. */
async function refreshUrgent(): Promise<void> {
  try {
    await refreshAttention();
  } catch (error) {
    tellUnlessLost('Sessions could not be read', error);
  }
}

export async function refreshApprovals(): Promise<void> {
  // The list is a convenience; every session tells its own questions over the socket.
  const found = await api.approvals().catch(() => undefined);
  if (found) setApprovals(found.approvals);
}

/** Each list is shown as soon as it is there; none waits for another. */
export async function refreshAll(): Promise<void> {
  void api.meta().then(setMeta, () => undefined);
  void refreshAgents();
  void refreshApprovals();
  void refreshUrgent();
  await refreshProjects();
  await Promise.all(projects.map(({ id }) => refreshSessions(id)));
}

const due = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Lists change often while agents work; one request per project and moment is enough. */
function refreshSoon(projectIds: readonly string[]): void {
  for (const id of projectIds) due.add(id);
  timer ??= setTimeout(() => {
    timer = undefined;
    const ids = [...due];
    due.clear();
    void refreshApprovals();
    void refreshUrgent();
    for (const id of ids) void refreshSessions(id);
  }, 120);
}

/** Follows the server's word that lists changed. */
export function followCatalog(): void {
  // A tab names its session, which may be further down than any list was read.
  createRoot(() => {
    const unknown = createMemo(() => (isReady() ? tabs().order.filter((id) => !find(id)).join() : ''));
    createEffect(() => { if (unknown()) void refreshUrgent(); });
  });
  connection.onFrame((frame) => {
    if (frame.type === 'agents:changed') {
      sentAgents += 1;
      setAgents(frame.agents);
    }
    if (frame.type !== 'sessions:changed') return;
    const known = frame.projectId !== undefined && projects.some((project) => project.id === frame.projectId);
    if (!known) void refreshProjects();
    refreshSoon(known && frame.projectId ? [frame.projectId] : projects.map((project) => project.id));
  });
  let wasOpen = false;
  connection.onState((state) => {
    // What changed while nobody listened is not told again.
    if (state.kind === 'open' && wasOpen) attempt('Lists could not be read again', refreshAll);
    // What became known before the socket was open is not told again either.
    else if (state.kind === 'open' && isDetecting()) void refreshAgents();
    wasOpen ||= state.kind === 'open';
  });
}

/** Whether an agent's version is not known yet. */
export const isDetecting = (): boolean => agents()?.some((agent) => agent.state === 'detecting') ?? false;

export function putProject(project: Project): void {
  setProjects(produce((all) => {
    const at = all.findIndex((other) => other.id === project.id);
    if (at < 0) all.push(project);
    else all[at] = project;
  }));
}

export function dropProject(id: string): void {
  setProjects((all) => all.filter((project) => project.id !== id));
}

export function patchSession(sessionId: string, change: Partial<SessionSummary>): void {
  patchAttention(sessionId, change);
  const found = find(sessionId);
  if (found && lists[found.projectId]) setLists(found.projectId, 'sessions', (session) => session.sessionId === sessionId, change);
}

export function dropSession(sessionId: string): void {
  const found = find(sessionId);
  dropAttention(sessionId);
  if (found) setLists(found.projectId, 'sessions', (all) => all.filter((session) => session.sessionId !== sessionId));
}

/** Sessions that were found by a text and opened. Those in lists and tabs are known better. */
const [opened, setOpened] = createStore<Record<string, SessionSummary>>({});

export function remember(session: SessionSummary): void {
  setOpened(session.sessionId, { ...session });
}

/** Every session that is listed or needs attention, of all projects. */
export const listed = createRoot(() => createMemo(() => uniqueSessions(attention, ...Object.values(lists).map((list) => list.sessions))));

const byId = createRoot(() => createMemo(() => {
  const put = Object.values(archived).flatMap((list) => list.sessions);
  return new Map([...Object.values(opened), ...put, ...listed()].map((session) => [session.sessionId, session]));
}));

export function find(sessionId: string): SessionSummary | undefined {
  return byId().get(sessionId);
}

export function glyph(summary: SessionSummary, isShown = false): Glyph {
  const seenSeq = prefs.seen[summary.sessionId];
  return glyphOf({ summary, isShown, background: backgroundOf(summary), ...(seenSeq === undefined ? {} : { seenSeq }) });
}

/** Whether it is shown however old it is and however much of the list is folded away. */
export function isUrgent(summary: SessionSummary): boolean {
  const status = glyph(summary);
  if (status === 'error') return summary.seq > (prefs.seen[summary.sessionId] ?? summary.seq);
  return status !== 'idle';
}

/** Sessions that wait for a person, of all projects. */
export const needingYou = createRoot(() => createMemo(() => listed().filter((session) => glyph(session) === 'needs-you')));

/** How many sessions wait for a person. */
export const waitingSessions = createRoot(() => createMemo(() => countNeedsYou(listed().map((session) => glyph(session)))));

const NAMES: Record<string, string> = {
  'claude-code': 'Claude Code', codex: 'Codex', gemini: 'Gemini', opencode: 'opencode', demo: 'Demo agent', anthropic: 'Anthropic API', openai: 'OpenAI API',
};
const BADGES: Record<string, string> = { 'claude-code': 'CC', codex: 'CX', gemini: 'GM', opencode: 'OC', demo: 'DM', anthropic: 'AN', openai: 'OA' };

export function agentName(cliType: string): string {
  return NAMES[cliType] ?? cliType;
}

export function agentBadge(cliType: string): string {
  return BADGES[cliType] ?? cliType.slice(0, 2).toUpperCase();
}
