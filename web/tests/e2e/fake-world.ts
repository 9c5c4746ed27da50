/** A session of the agent that misbehaves on demand. */
import type { Window, World } from './harness';
import { claudeFile, claudeLine, lines } from './harness/on-disk';

export interface FakeWorld {
  window: Window;
  project: string;
  sessionId: string;
}

export async function withFakeAgent(world: World, config = '', flags: string[] = []): Promise<FakeWorld> {
  const server = await world.start({ fake: true, config, arguments: flags });
  const project = world.place.project();
  await server.addProject(project);
  const sessionId = await server.createSession(project, 'claude-code');
  keepOnDisk(world, project, sessionId);
  return { window: await world.window(), project, sessionId };
}

/** The fake agent keeps nothing; without a file a session cannot be gone on with after its process has ended. */
function keepOnDisk(world: World, project: string, sessionId: string): void {
  const id = sessionId.replace('claude-code:', '');
  claudeFile(world.place, project, id, lines([claudeLine(project, id, 1, 'user', 'earlier')]));
}
