/** What a user can do with projects and sessions from anywhere in the page. Each says itself what became of it. */
import type { Project } from '../gen/contracts';
import { titleOf } from '../model/list';
import { concerning } from '../model/trust';
import { agentName, agents, dropProject, dropSession, find, patchSession, projects, putProject, refreshArchived, refreshProjects, refreshSessions } from './catalog';
import { prefs, setPref } from './prefs';
import { focusComposer, show } from './screen';
import { api, codeOfFailure, connection, drafts } from './services';
import { active, close, open, tabs } from './tabs';
import { attempt, toast, toastError } from './toasts';

/** The agent that a new session gets without being asked. */
export function defaultAgent(): string | undefined {
  const usable = (agents() ?? []).filter((agent) => !agent.problem);
  const last = usable.find((agent) => agent.name === prefs.lastAgent);
  return (last ?? usable.find((agent) => agent.name !== 'demo') ?? usable[0])?.name;
}

/** The project that an action without one is about. */
export function currentProject(): Project | undefined {
  const shown = active();
  const id = shown ? find(shown)?.projectId : undefined;
  return projects.find((project) => project.id === id) ?? projects.find((project) => !project.isMissing);
}

/** `draft` is what the composer of the new session begins with. */
export async function newSession(project: Project, cliType = defaultAgent(), draft = ''): Promise<void> {
  if (!cliType) return toastError('No agent can be used', new Error('Install one, then look again in Settings'));
  if (project.trust === 'unknown' && concerning(project.findings, cliType).length > 0) {
    return show({ kind: 'trust', project, then: () => void newSession(projects.find(({ id }) => id === project.id) ?? project, cliType, draft) });
  }
  try {
    const made = await api.createSession({ cliType, projectDir: project.path });
    setPref('lastAgent', cliType);
    if (draft) drafts.set(made.sessionId, draft);
    open(made.sessionId);
    focusComposer();
    await refreshSessions(project.id);
  } catch (error) {
    if (codeOfFailure(error) === 'TRUST_REQUIRED') {
      await refreshProjects();
      const fresh = projects.find(({ id }) => id === project.id) ?? project;
      return show({ kind: 'trust', project: fresh, then: () => void newSession(projects.find(({ id }) => id === project.id) ?? fresh, cliType, draft) });
    }
    toastError(`${agentName(cliType)} could not be started`, error);
  }
}

export function newSessionHere(): void {
  const project = currentProject();
  if (project) void newSession(project);
  else show({ kind: 'add-project' });
}

export async function addProject(path: string): Promise<void> {
  const project = await api.addProject({ path });
  putProject(project);
  setPref('recentPaths', [path, ...prefs.recentPaths.filter((other) => other !== path)].slice(0, 8));
  await refreshSessions(project.id);
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
