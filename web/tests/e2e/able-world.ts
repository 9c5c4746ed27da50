/** A project, a session of the agent that does what others cannot be made to do, and a window that shows it. */
import { resolve } from 'node:path';
import type { DemoWorld } from './demo-world';
import type { World } from './harness';

/** The part of the configuration that brings it. */
export function able(...words: string[]): string {
  const args = [resolve(import.meta.dirname, 'able-agent.mjs'), ...words];
  return `[agents.able]\ncommand = "node"\nargs = ${JSON.stringify(args)}\nasking-modes = ["careful", "bold"]\n`;
}

export async function ableWorld(world: World, config = able()): Promise<DemoWorld> {
  await world.start({ config });
  const project = world.place.project();
  await world.server.addProject(project);
  const id = await world.server.createSession(project, 'able');
  const window = await world.window();
  return { project, id, window, pane: await window.openSession(id) };
}
