/** What pictures begin with: a shop, and an agent made for them. Knows how frames are changed on their way to the page. */
import { resolve } from 'node:path';
import type { Page, WebSocketRoute } from '@playwright/test';
import type { Pane, Window, World } from '../tests/e2e/harness';

const agent = `[agents.pictures]\ncommand = "node"\nargs = [${JSON.stringify(resolve(import.meta.dirname, 'gallery-agent.mjs'))}]\n`;
export const LONG = 'Find out why the build of the release takes so very long on the machine that nobody else uses, and mend it';

export async function shop(world: World, cliType = 'pictures', options: Parameters<World['start']>[0] = {}): Promise<{ window: Window; pane: Pane; id: string; project: string }> {
  const { config = '', ...rest } = options;
  await world.start({ ...rest, config: `${agent}${config}` });
  const project = world.place.project('shop');
  await world.server.addProject(project);
  const id = await world.server.createSession(project, cliType);
  const window = await world.window();
  return { window, pane: await window.openSession(id), id, project };
}

/** Has frames of the server changed on their way to the page, and the page begun anew. */
export async function rewrite(page: Page, ...changes: [string | RegExp, string][]): Promise<void> {
  await page.routeWebSocket('**/ws', (route) => {
    const behind = route.connectToServer();
    behind.onMessage((frame) => route.send(changes.reduce((text, [from, to]) => text.replace(from, to), String(frame))));
  });
  await page.reload();
}

export async function refuseMessages(page: Page, problem: Record<string, unknown>): Promise<void> {
  await page.routeWebSocket('**/ws', (route) => {
    const behind = route.connectToServer();
    route.onMessage((text) => {
      const frame = JSON.parse(String(text)) as { type: string; requestId: string };
      if (frame.type !== 'session:send') return behind.send(text);
      route.send(JSON.stringify({ type: 'error', requestId: frame.requestId, problem: { type: 'about:blank', title: 'Refused', ...problem } }));
    });
  });
  await page.reload();
}

/** Sends frames to the page as if they came from the server, and begins the page anew. */
export async function prompter(page: Page): Promise<(...frames: object[]) => void> {
  let socket: WebSocketRoute | undefined;
  await page.routeWebSocket('**/ws', (route) => {
    socket = route;
    const behind = route.connectToServer();
    behind.onMessage((frame) => route.send(frame));
  });
  await page.reload();
  return (...frames) => { for (const frame of frames) socket?.send(JSON.stringify(frame)); };
}
