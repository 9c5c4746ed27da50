/** What pages of other servers on this machine can do to ours in a browser that is let in: nothing, in each of two browsers. */
import puppeteer from 'puppeteer-core';
import type { Window, World } from './harness';
import { expect, test } from './harness';
import { ForeignSite, type Victim } from './harness/foreign-site';

/** Pages there get the browser's cookie with ours, because cookies know no ports; and those that do not. */
const HOSTS = ['127.0.0.1', 'localhost'];

/** What browsers let out without telling the page what became of it. All else fails, also the fetches that pages may send without
 * asking, because our answers are marked as ours alone. */
const UNTOLD = ['a form', 'a form to log in', 'a frame', 'a beacon'];

/** Of these some request got as far as our server, which tells whom it turned away. */
const TURNED_AWAY = ['/api/projects', '/ws'];
/** Attempts of pages with anything but JSON. They are counted, but for a beacon that may come later. */
const NO_JSON = 6;

interface Audited {
  action: string;
  target?: string;
  outcome: string;
}

async function victim(world: World): Promise<Victim> {
  const server = await world.start();
  const project = world.place.project();
  await server.addProject(project);
  return { target: server.url, session: await server.createSession(project), project };
}

function audited(world: World): Audited[] {
  return world.place.read('data/audit.log').split('\n').filter(Boolean).map((line) => JSON.parse(line) as Audited);
}

/** All that an attempt could have changed. */
async function state(world: World, { session }: Victim): Promise<unknown> {
  const { server } = world;
  const { projects } = await server.json<{ projects: { id: string }[] }>('GET', '/api/projects');
  const { sessions } = await server.json<{ sessions: { sessionId: string }[] }>('GET', `/api/session/list?projectId=${projects[0]?.id}`);
  return { projects: projects.length, sessions: sessions.map((one) => one.sessionId), said: await server.history(session), kept: await server.json('GET', '/api/ui-state') };
}

/** How many requests were refused because what they brought is no JSON. */
async function notJson(world: World): Promise<number> {
  const metrics = await (await world.server.call('GET', '/metrics')).text();
  return Number(/code="UNSUPPORTED_MEDIA_TYPE"\} (\d+)/.exec(metrics)?.[1] ?? 0);
}

/** Lets a page of another server try everything. `visit` shows an address in the browser that is let in. */
async function isHarmless(world: World, told: Victim, host: string, visit: (address: string) => Promise<unknown>): Promise<void> {
  const site = new ForeignSite(host);
  await site.start();
  // Our own page keeps its settings soon after it is shown, which nobody else has done then.
  await expect.poll(() => world.server.json('GET', '/api/ui-state')).toHaveProperty('savedAt');
  const [before, known, refused] = [await state(world, told), audited(world).length, await notJson(world)];
  await visit(site.address(told));
  const seen = await site.report;
  await site.stop();
  expect(seen).toEqual(Object.fromEntries(Object.keys(seen).map((name) => [name, UNTOLD.includes(name) ? 'unreadable' : 'refused'])));
  expect(Object.keys(seen).length).toBe(19);
  expect(site.cookies.some((cookie) => cookie.includes('liminal_'))).toBe(host === new URL(told.target).hostname);
  expect(await state(world, told)).toEqual(before);
  expect(await notJson(world)).toBeGreaterThanOrEqual(refused + NO_JSON);
  const since = audited(world).slice(known);
  expect(since.filter((entry) => entry.action !== 'rejected')).toEqual([]);
  expect(since.map((entry) => entry.target?.split(' ')[0])).toEqual(expect.arrayContaining([...TURNED_AWAY, `/api/session/${told.session}/upserts`]));
}

/** What a page of our own does with the same requests, so that it is not for another reason that they fail. */
async function ownPageMay(path: string): Promise<unknown[]> {
  const key = localStorage.getItem('liminal:key') ?? '';
  const answer = await fetch(path, { headers: { 'X-Liminal-Key': key } });
  const socket = new WebSocket(`ws://${location.host}/ws`, ['liminal.v1', `key.${key}`]);
  const opened = await new Promise((resolve) => {
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('refused');
  });
  socket.close();
  return [answer.status, opened];
}

for (const host of HOSTS) {
  test(`p1 s05 a page at another port of ${host} can do nothing in Chromium`, async ({ world }) => {
    const told = await victim(world);
    const window: Window = await world.window();
    expect(await window.page.evaluate(ownPageMay, '/api/projects')).toEqual([200, 'open']);
    const page = await window.page.context().newPage();
    await isHarmless(world, told, host, (address) => page.goto(address));
  });
}

test('p1 s05 a page at another port can do nothing in Firefox', async ({ world }) => {
  const told = await victim(world);
  const firefox = await puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env['LIMINAL_FIREFOX'] ?? '/usr/bin/firefox-esr',
    headless: true,
  });
  try {
    const own = await firefox.newPage();
    await own.goto(`${told.target}/#c=${world.server.code}`);
    await own.waitForSelector('[data-testid="sidebar"]');
    expect(await own.evaluate(ownPageMay, '/api/projects')).toEqual([200, 'open']);
    for (const host of HOSTS) {
      const page = await firefox.newPage();
      await isHarmless(world, told, host, (address) => page.goto(address));
      await page.close();
    }
  } finally {
    await firefox.close();
  }
});
