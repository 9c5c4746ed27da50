/** What most tests of requirements begin with: a project, a session of the demo agent, and a window that shows it. */
import type { ServerOptions } from './harness/server';
import type { Pane, Window, World } from './harness';

export interface DemoWorld {
  project: string;
  id: string;
  window: Window;
  pane: Pane;
}

export async function demoWorld(world: World, options: ServerOptions = {}, name = 'project'): Promise<DemoWorld> {
  await world.start(options);
  const project = world.place.project(name);
  await world.server.addProject(project);
  const id = await world.server.createSession(project);
  const window = await world.window();
  return { project, id, window, pane: await window.openSession(id) };
}

/** More sessions in the project, each with a title of its own. */
export async function moreSessions(world: World, project: string, ...titles: string[]): Promise<string[]> {
  const made: string[] = [];
  for (const title of titles) {
    const id = await world.server.createSession(project);
    await world.server.json('POST', `/api/session/${encodeURIComponent(id)}/title`, { title });
    made.push(id);
  }
  return made;
}
