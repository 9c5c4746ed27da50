/** A project, a session of the agent that does what others cannot be made to do, and a window that shows it. */
import { resolve } from 'node:path';
import type { DemoWorld } from './demo-world';
import type { World } from './harness';

export const ABLE = `[agents.able]\ncommand = "node"\nargs = ["${resolve(import.meta.dirname, 'able-agent.mjs')}"]\n`;

export async function ableWorld(world: World): Promise<DemoWorld> {
  await world.start({ config: ABLE });
  const project = world.place.project();
  await world.server.addProject(project);
  const id = await world.server.createSession(project, 'able');
  const window = await world.window();
  return { project, id, window, pane: await window.openSession(id) };
}
