/** What an address that somebody else made may not do: name a server, say something, or run. */
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { demoWorld } from './demo-world';
import { expect, test, type Window } from './harness';

/** Somebody else's server, which counts whoever comes. */
async function elsewhere(): Promise<{ http: HttpServer; address: string; visits: string[] }> {
  const visits: string[] = [];
  const http = createServer((request, answer) => {
    visits.push(`${request.method} ${request.url}`);
    answer.end('[]');
  });
  http.on('upgrade', (request, socket) => {
    visits.push(`UPGRADE ${request.url}`);
    socket.destroy();
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  return { http, address: `127.0.0.1:${(http.address() as AddressInfo).port}`, visits };
}

/** Everything that a page asks of others, changes, says or shows by itself. */
function watch({ page }: Window, own: string): { readonly deeds: string[] } {
  const deeds: string[] = [];
  const { host } = new URL(own);
  const isOwn = (address: string): boolean => /^(blob|data|about):/.test(address) || new URL(address).host === host;
  page.on('dialog', (dialog) => { deeds.push(`dialog ${dialog.message()}`); void dialog.dismiss(); });
  page.on('popup', (popup) => deeds.push(`popup ${popup.url()}`));
  page.on('request', (request) => {
    if (!isOwn(request.url())) deeds.push(`asked ${request.url()}`);
    // A session that is shown is read, and where the window stands is kept.
    else if (request.method() !== 'GET' && !/\/api\/(ui-state|session\/[^/]+\/load)$/.test(request.url())) deeds.push(`${request.method()} ${request.url()}`);
  });
  page.on('websocket', (socket) => {
    if (!isOwn(socket.url())) deeds.push(`socket ${socket.url()}`);
    socket.on('framesent', ({ payload }) => { if (!/"type":"session:(un)?subscribe"/.test(String(payload))) deeds.push(`said ${String(payload)}`); });
  });
  return { deeds };
}

/** What people were lured to click on in other programs, and what is merely broken. */
function addresses(id: string, other: string): string[] {
  const session = `s/${encodeURIComponent(id)}`;
  const names = ['gatewayUrl', 'gateway', 'server', 'serverUrl', 'api', 'apiBase', 'baseUrl', 'host', 'ws', 'wsUrl', 'url', 'redirect', 'next'];
  const values = [`ws://${other}/ws`, `http://${other}/`, `//${other}/`, other, `javascript:fetch('http://${other}')`];
  const said = ['prompt', 'q', 'text', 'message', 'input', 'command'].map((name) => `${name}=${encodeURIComponent('/permission')}`).join('&');
  const acts = 'send=1&submit=true&auto=1&autorun=1&run=1&approve=all&mode=bypass&token=stolen';
  return [
    ...values.map((value) => `?${names.map((name) => `${name}=${encodeURIComponent(value)}`).join('&')}`),
    `?session=${encodeURIComponent(id)}&${said}&${acts}`,
    `${session}?${said}&${acts}`,
    `${session}?gatewayUrl=${encodeURIComponent(`ws://${other}`)}#prompt=${encodeURIComponent('/permission')}`,
    `#gatewayUrl=${encodeURIComponent(`ws://${other}`)}&${said}`,
    `#javascript:fetch('http://${other}')`,
    `${session}#javascript:fetch('http://${other}')`,
    `${session}#${encodeURIComponent(`<img src=http://${other}/x onerror=alert(1)>`)}`,
    `s/${encodeURIComponent(`javascript:fetch('http://${other}')`)}`,
    `s/${encodeURIComponent(`//${other}/`)}`,
    `${session}#%`,
    `${session}#%E0%A4%A`,
    's/%',
  ];
}

test('S19: no address makes the page connect elsewhere, say something or run anything', async ({ world }) => {
  const { id, window, pane } = await demoWorld(world);
  await pane.turn('hello');
  const other = await elsewhere();
  const { deeds } = watch(window, world.server.url);
  const { projects } = await world.server.json<{ projects: { id: string }[] }>('GET', '/api/projects');
  const kept = async () => ({ history: await world.server.history(id), sessions: await world.server.json('GET', `/api/session/list?projectId=${projects[0]?.id}`) });
  const before = await kept();
  // Items and sessions that are not there are asked for, and the server says so.
  window.expectFaults(/status of 40[04]/);
  for (const address of addresses(id, other.address)) {
    await window.page.goto('about:blank');
    await window.page.goto(new URL(address, world.server.url).href);
    await window.isConnected();
    await expect(window.id('sidebar'), address).toBeVisible();
    await expect(window.id('broken'), address).toHaveCount(0);
    // Whatever else an address says, the session that it names is shown.
    if (address.startsWith(`s/${encodeURIComponent(id)}`)) await expect(pane.root, address).toHaveClass(/\bshown\b/);
    expect(new URL(window.page.url()).origin, address).toBe(new URL(world.server.url).origin);
    expect(deeds, address).toEqual([]);
  }
  // What the page would do late, it has done before this answer is shown.
  await window.page.goto(new URL(`s/${encodeURIComponent(id)}`, world.server.url).href);
  await expect(pane.rows('agent').last()).toBeVisible();
  await expect(pane.input).toHaveValue('');
  expect(deeds).toEqual([]);
  expect(other.visits).toEqual([]);
  expect(await kept()).toEqual(before);
  await new Promise((done) => other.http.close(done));
});

test('S19: nor for somebody who is not signed in', async ({ world }) => {
  await world.start();
  const window = await world.stranger();
  window.expectFaults(/status of 40[01]/);
  const other = await elsewhere();
  const { deeds } = watch(window, world.server.url);
  for (const address of addresses('demo:nobody', other.address)) {
    await window.page.goto('about:blank');
    await window.page.goto(new URL(address, world.server.url).href);
    await expect(window.id('sign-in'), address).toBeVisible();
    expect(deeds, address).toEqual([]);
  }
  expect(other.visits).toEqual([]);
  await new Promise((done) => other.http.close(done));
});
