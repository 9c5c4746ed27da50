/** What a user can do with projects and sessions from anywhere in the page. Each says itself what became of it. */
import type { Project } from '../gen/contracts';
import { titleOf } from '../model/list';
import { concerning } from '../model/trust';
import { agentName, agentOf, agents, dropProject, dropSession, find, patchSession, projects, putProject, refreshAgents, refreshArchived, refreshKnown, refreshProjects, refreshSessions } from './catalog';
import { prefs, setPref } from './prefs';
import { focusComposer, setStartProject, show } from './screen';
import { api, codeOfFailure, connection, drafts, outbox, reason } from './services';
import { active, close, home, open, tabs } from './tabs';
import { attempt, toast, toastError } from './toasts';

/** The agent that a new session gets without being asked. */
export function defaultAgent(): string | undefined {
  // Not loaded yet is not none: the server says whether the last one can still be used.
  if (!agents()) return prefs.lastAgent ?? undefined;
  const usable = (agents() ?? []).filter((agent) => !agent.problem);
  const last = usable.find((agent) => agent.name === prefs.lastAgent);
  const real = usable.filter((agent) => agent.name !== 'demo');
  return (last ?? real.find((agent) => agent.loggedIn !== false) ?? real[0] ?? usable[0])?.name;
}

/** The same, once the agents are known. */
async function settledAgent(): Promise<string | undefined> {
  if (defaultAgent() === undefined && !agents()) await refreshAgents();
  return defaultAgent();
}

/** The project that an action without one is about. */
export function currentProject(): Project | undefined {
  const shown = active();
  const id = shown ? find(shown)?.projectId : undefined;
  return projects.find((project) => project.id === id) ?? projects.find((project) => !project.isMissing);
}

/** `draft` is what the composer of the new session begins with. */
export function newSession(project: Project, cliType?: string, draft = ''): Promise<boolean> {
  return begin(project, cliType, (sessionId) => { if (draft) drafts.set(sessionId, draft); });
}

/** A new session whose first message is sent at once. */
export function startSession(project: Project, cliType: string | undefined, prompt: string, onStarted: () => void): Promise<boolean> {
  return begin(project, cliType, (sessionId) => {
    outbox.send(sessionId, prompt, []);
    onStarted();
  });
}

async function begin(project: Project, wanted: string | undefined, prepare: (sessionId: string) => void): Promise<boolean> {
  const cliType = wanted ?? await settledAgent();
  if (!cliType) {
    toastError('No agents installed', new Error('Set one up in Settings'));
    return false;
  }
  const current = (): Project => projects.find(({ id }) => id === project.id) ?? project;
  const decide = (): void => show({ kind: 'trust', project: current(), then: () => void begin(current(), cliType, prepare) });
  if (project.trust === 'unknown' && concerning(project.findings, cliType).length > 0) {
    decide();
    return false;
  }
  try {
    const made = await api.createSession({ cliType, projectDir: project.path });
    setPref('lastAgent', cliType);
    prepare(made.sessionId);
    open(made.sessionId);
    focusComposer();
    await refreshSessions(project.id);
    return true;
  } catch (error) {
    if (codeOfFailure(error) === 'TRUST_REQUIRED') {
      await refreshProjects();
      decide();
    } else if (codeOfFailure(error) === 'LOGIN_REQUIRED') askToSignIn(cliType, error);
    else toastError(`${agentName(cliType)} could not be started`, error);
    return false;
  }
}

function askToSignIn(cliType: string, error: unknown): void {
  const command = agentOf(cliType)?.signIn;
  const action = command ? { action: { label: `Copy “${command}”`, run: () => void copyText(command, command) } } : {};
  toast({ kind: 'error', title: `${agentName(cliType)} is not signed in`, detail: reason(error), ...action });
}

export function newSessionHere(): void {
  const project = currentProject();
  if (project) void newSession(project);
  else show({ kind: 'add-project' });
}

/** Adds a project and shows the box for its first prompt. */
export async function addProject(path: string): Promise<void> {
  const project = await api.addProject({ path });
  putProject(project);
  setPref('recentPaths', [path, ...prefs.recentPaths.filter((other) => other !== path)].slice(0, 8));
  startIn(project);
  await refreshSessions(project.id);
}

/** Adds directories that agents know already, and shows the box for a prompt in the first of them. */
export async function addKnownProjects(paths: readonly string[]): Promise<void> {
  const asked = await Promise.allSettled(paths.map((path) => api.addProject({ path })));
  const added = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  for (const project of added) putProject(project);
  if (added[0]) startIn(added[0]);
  await Promise.all([refreshKnown(), ...added.map(({ id }) => refreshSessions(id))]);
  const failed = asked.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}

function startIn(project: Project): void {
  setStartProject(project.id);
  home();
}

/** The directory of the demo's project: below the user's home, and made only by this wish. */
const DEMO = 'liminal-demo';

/** One click: a project for the demo, a session in it, and something to say. */
export function tryDemo(): void {
  attempt('The demo could not be started', async () => {
    const project = await demoProject();
    if (project) await newSession(project, 'demo', '/tour');
  });
}

async function demoProject(): Promise<Project | undefined> {
  try {
    putProject(await api.addProject({ path: `~/${DEMO}`, create: true }));
  } catch (error) {
    if (codeOfFailure(error) !== 'PROJECT_EXISTS') throw error;
    await refreshProjects();
  }
  return projects.find((project) => project.name === DEMO);
}

export function openTabsOf(projectId: string): string[] {
  return tabs().order.filter((id) => find(id)?.projectId === projectId);
}

export async function removeProject(project: Project): Promise<void> {
  await api.removeProject(project.id);
  for (const id of openTabsOf(project.id)) close(id);
  dropProject(project.id);
}

export async function decideTrust(project: Project, trusted: boolean): Promise<void> {
  putProject(await api.trustProject(project.id, trusted));
}

export function archive(sessionId: string): void {
  const session = find(sessionId);
  attempt('The session could not be archived', async () => {
    await api.archive(sessionId);
    const hadTab = tabs().order.includes(sessionId);
    close(sessionId);
    dropSession(sessionId);
    toast({
      kind: 'plain',
      title: `Archived “${session ? titleOf(session) : 'session'}”`,
      action: { label: 'Undo', run: () => unarchive(sessionId, session?.projectId, hadTab) },
    });
  });
}

export function unarchive(sessionId: string, projectId: string | undefined, reopen: boolean): void {
  attempt('The session could not be restored', async () => {
    await api.unarchive(sessionId);
    if (reopen) open(sessionId);
    await Promise.all([projectId ? refreshSessions(projectId) : undefined, refreshArchived()]);
  });
}

export async function deleteSession(sessionId: string): Promise<void> {
  await api.deleteSession(sessionId);
  close(sessionId);
  dropSession(sessionId);
}

export function rename(sessionId: string, title: string): void {
  const before = find(sessionId)?.title;
  patchSession(sessionId, { title });
  attempt('The session could not be renamed', async () => {
    try {
      await api.rename(sessionId, title);
    } catch (error) {
      patchSession(sessionId, { title: before ?? '' });
      throw error;
    }
  });
}

/** Asks the agent to stop; by HTTP if the socket is down, because Stop must always work. */
export async function stopTurn(sessionId: string): Promise<void> {
  if (connection.state().kind === 'open') await connection.request({ type: 'session:cancel', sessionId });
  else await api.cancel(sessionId);
}

/** Not the same as Stop: a Stop that comes just after its turn has ended must not reach background work. */
export async function stopBackground(sessionId: string): Promise<void> {
  await api.stopBackground(sessionId);
}

/** Removes queued messages; one that another window removed or sent meanwhile is no failure. */
export async function discardQueue(sessionId: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await api.removeQueued(sessionId, id).catch((error: unknown) => {
      if (codeOfFailure(error) !== 'QUEUED_NOT_FOUND') throw error;
    });
  }
}

/** Ends the agent and brings the session back; its next message starts a new one. */
export async function restartAgent(sessionId: string): Promise<void> {
  await api.kill(sessionId);
  await api.loadSession(sessionId);
}

/** Goes on from here in a session of its own; this one stays as it is. */
export async function forkSession(sessionId: string): Promise<void> {
  const made = await api.fork(sessionId);
  open(made.sessionId);
  focusComposer();
  const projectId = find(sessionId)?.projectId;
  if (projectId) await refreshSessions(projectId);
}

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast({ kind: 'good', title: `Copied ${what}` });
  } catch (error) {
    toastError('Nothing was copied', error);
  }
}

export function download(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
