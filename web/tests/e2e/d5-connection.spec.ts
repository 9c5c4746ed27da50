/** What a broken network, a second tab, a proxy or a stranger may not do. */
import { connect } from 'node:net';
import { withFakeAgent } from './fake-world';
import { clause, expect, type Pane, type Proxy, test, until, type Window, type World } from './harness';

/** Each word is a frame, so that a cut can be anywhere in a text. */
const WORD_BY_WORD = '[batch]\ngradient = [1]\n';
/** What the browser itself says about a network that is gone. */
const NETWORK = /net::ERR_|WebSocket connection|Failed to load resource|ERR_CONNECTION/;

async function behindProxy(world: World, options: Parameters<World['start']>[0] = {}): Promise<{ window: Window; proxy: Proxy; project: string }> {
  const server = await world.start(options);
  const project = world.place.project();
  await server.addProject(project);
  const proxy = await world.proxy();
  const window = await world.window(proxy.url);
  window.expectFaults(NETWORK);
  return { window, proxy, project };
}

async function comeBack(window: Window, proxy: Proxy): Promise<void> {
  proxy.restore();
  await window.id('conn-pill').click();
  await window.isConnected();
}

/** What the page shows is what the server holds: each row once, in order, with all its words. */
async function showsItsHistory(world: World, pane: Pane): Promise<void> {
  const history = await world.server.history(await pane.sessionId());
  const said = history.flatMap((entry) => (entry.type === 'message' ? [words(entry.content)] : []));
  await expect.poll(async () => (await pane.root.locator('.user-bubble, [data-testid="agent-row"] .markdown').allInnerTexts()).map(words)).toEqual(said);
}

/** Without what markdown makes into looks. */
const words = (text: string): string => text.replace(/[>*]/g, '').split(/\s+/).filter(Boolean).join(' ');

function rowsOf(pane: Pane): Promise<string[]> {
  return pane.rows().evaluateAll((rows) => rows.map((row) => `${row.getAttribute('data-key')} ${row.getAttribute('data-status')} ${(row as HTMLElement).innerText}`));
}

const FRAMES = 40;
/** Windows that watch the same turn, each behind a network of its own that is gone after another frame. */
const WATCHERS = 5;
const ROUNDS = 4;

type Watcher = { window: Window; proxy: Proxy };

async function watchers(world: World): Promise<Watcher[]> {
  const made: Watcher[] = [];
  while (made.length < WATCHERS) {
    const proxy = await world.proxy();
    const window = await world.window(proxy.url);
    window.expectFaults(NETWORK);
    made.push({ window, proxy });
  }
  // Tall enough for every row to have an element.
  await Promise.all(made.map(({ window: { page } }) => page.setViewportSize({ width: 1280, height: 4000 })));
  return made;
}

for (let first = 1; first <= FRAMES; first += WATCHERS * ROUNDS) {
  test(`B1 stale after reconnect: cut after frames ${first} to ${first + WATCHERS * ROUNDS - 1}, the turn ends meanwhile`, async ({ world }) => {
    const server = await world.start({ pace: 1 });
    const project = world.place.project();
    await server.addProject(project);
    const cut = await watchers(world);
    const whole = await world.window();
    await whole.page.setViewportSize({ width: 1280, height: 4000 });
    for (let round = 0; round < ROUNDS; round += 1) {
      const sessionId = await server.createSession(project);
      const panes = await Promise.all(cut.map(({ window }) => window.openSession(sessionId)));
      const seen = await whole.openSession(sessionId);
      cut.forEach(({ proxy }, index) => proxy.cutAfterFrames(first + round * WATCHERS + index));
      await server.send(sessionId, '/tools 40');
      await until('every socket is cut', () => cut.every(({ proxy }) => proxy.isCut));
      await server.isIdle(sessionId);
      await showsItsHistory(world, seen);
      await expect(seen.rows('turn-end')).toHaveCount(1);
      const rows = await rowsOf(seen);
      await Promise.all(cut.map(async ({ window, proxy }, index) => {
        const pane = panes[index] as Pane;
        await comeBack(window, proxy);
        await pane.isIdle();
        await clause('15a', async () => {
          await showsItsHistory(world, pane);
          await expect.poll(() => rowsOf(pane)).toEqual(rows);
        });
      }));
    }
  });
}

test('B1 stale after reconnect: how long a tool took is shown to whoever missed its beginning', async ({ world }) => {
  // Slow enough for the duration to be shown.
  const { window, proxy, project } = await behindProxy(world, { pace: 400 });
  const sessionId = await world.server.createSession(project);
  const whole = await world.window();
  const seen = await whole.openSession(sessionId);
  const pane = await window.openSession(sessionId);
  proxy.cut();
  await expect(window.id('conn-pill')).not.toHaveAttribute('data-state', 'open');
  await world.server.turn(sessionId, '/tools 1');
  await showsItsHistory(world, seen);
  await expect(seen.rows('turn-end')).toHaveCount(1);
  await clause('27i', () => expect(seen.id('tool-card')).toContainText(/\d\.\d s/));
  await comeBack(window, proxy);
  const rows = await rowsOf(seen);
  await expect.poll(() => rowsOf(pane)).toEqual(rows);
  await whole.page.reload();
  await expect.poll(() => rowsOf(seen)).toEqual(rows);
});

test('B2 prompt lost: a message written while nothing arrives reaches the agent once', async ({ world }) => {
  const { window, proxy, project } = await behindProxy(world, { fake: true });
  const sessionId = await world.server.createSession(project, 'claude-code');
  const pane = await window.openSession(sessionId);
  proxy.isDeaf = true;
  await pane.send('said into the void');
  await expect(pane.rows('user')).toHaveCount(1);
  proxy.cut();
  await expect(window.id('conn-pill')).not.toHaveAttribute('data-state', 'open');
  await pane.send('said while offline');
  await expect(pane.rows('user')).toHaveCount(2);
  await comeBack(window, proxy);
  await until('both were told', () => world.server.prompts().length === 2);
  await expect(pane.id('delivery')).toHaveCount(0);
  await pane.isIdle();
  await clause('14d', () => expect(world.server.prompts()).toEqual(['said into the void', 'said while offline']));
  await showsItsHistory(world, pane);
});

test('B2 prompt lost: a message whose fate nobody knows is shown once, and can be sent again', async ({ world }) => {
  const { window, sessionId } = await withFakeAgent(world);
  window.expectFaults(NETWORK);
  const pane = await window.openSession(sessionId);
  await pane.turn('!noread');
  await pane.send('said to the deaf');
  await clause('35d', () => expect(pane.rows('user').last().getByTestId('delivery')).toHaveAttribute('data-delivery', 'sending'));
  await until('it is on its way to the agent', async () => (await world.server.status(sessionId)).state === 'running');
  await world.server.kill();
  await world.startAgain();
  await window.id('conn-pill').click();
  await window.isConnected();
  await clause('36a', () => expect(pane.id('error-row')).toHaveAttribute('data-code', 'DELIVERY_UNKNOWN'));
  await expect(pane.rows('user').filter({ hasText: 'said to the deaf' })).toHaveCount(1);
  await expect(pane.id('delivery')).toHaveCount(0);
  await window.page.reload();
  await expect(pane.rows('user').filter({ hasText: 'said to the deaf' })).toHaveCount(1);
  await pane.id('error-row').getByTestId('retry').click();
  await until('it was told', () => world.server.prompts().includes('said to the deaf'));
  await clause('35f', () => expect(world.server.prompts()).toContain('said to the deaf'));
});

test('B3 duplicates: frames that come twice and in disorder change no row', async ({ world }) => {
  const server = await world.start({ config: WORD_BY_WORD, pace: 5 });
  const project = world.place.project();
  await server.addProject(project);
  const sessionId = await server.createSession(project);
  const window = await world.window();
  const frames: string[] = [];
  let repeat: ((text: string) => void) | undefined;
  await window.page.routeWebSocket(/\/ws$/, (socket) => {
    repeat = (text) => socket.send(text);
    socket.connectToServer().onMessage((message) => {
      frames.push(String(message));
      socket.send(message);
    });
  });
  await window.page.setViewportSize({ width: 1280, height: 4000 });
  await window.page.reload();
  await window.isConnected();
  const pane = await window.openSession(sessionId);
  await pane.turn('/research');
  await pane.turn('/words 80');
  const before = await pane.keys();
  await pane.rows().evaluateAll((rows) => rows.forEach((row, index) => Object.assign(row, { mark: index })));
  const range = frames.filter((frame) => /"type":"session:(upsert|append|turn)"/.test(frame));
  expect(range.length).toBeGreaterThan(20);
  for (const frame of [...range, ...range.toReversed()]) repeat?.(frame);
  await server.turn(sessionId, '/words 5');
  await expect(pane.rows('user')).toHaveCount(3);
  await clause('21a', async () => expect((await pane.keys()).slice(0, before.length)).toEqual(before));
  const marks = await pane.rows().evaluateAll((rows) => rows.map((row) => (row as HTMLElement & { mark?: number }).mark));
  await clause('21b', () => expect(marks.slice(0, before.length)).toEqual(before.map((_, index) => index)));
  await showsItsHistory(world, pane);
});

test('B18 safety: strangers by origin, by name or without a key are refused', async ({ world }) => {
  const server = await world.start();
  const { host, port } = new URL(server.url);
  const status = (head: string[]): Promise<string> => new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${head.join('\r\n')}\r\n\r\n`));
    socket.once('data', (data) => {
      resolve(String(data).split(' ')[1] ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
  });
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  expect(await status(['GET /api/projects HTTP/1.1', 'Host: evil.example'])).toBe('403');
  expect(await status(['POST /api/projects HTTP/1.1', `Host: ${host}`, 'Origin: http://evil.example', 'Content-Type: application/json', 'Content-Length: 2', '', '{}'])).toBe('403');
  expect(await status(['GET /api/projects HTTP/1.1', `Host: ${host}`])).toBe('401');
  expect(await status(['GET /ws HTTP/1.1', `Host: ${host}`, 'Origin: http://evil.example', ...upgrade])).toBe('403');
  expect(await status(['GET /ws HTTP/1.1', `Host: ${host}`, `Origin: ${server.url}`, ...upgrade])).toBe('401');
});

test('B18 safety: a page of another origin gets nothing out of a browser that is signed in', async ({ world }) => {
  const server = await world.start();
  const window = await world.window();
  const stranger = await window.page.context().newPage();
  await stranger.route('http://localhost:1/', (route) => route.fulfill({ contentType: 'text/html', body: '<p>elsewhere</p>' }));
  await stranger.goto('http://localhost:1/');
  const got = await stranger.evaluate(async (url) => {
    const read = fetch(`${url}/api/projects`, { credentials: 'include' }).then(() => 'read', () => 'refused');
    const socket = new Promise((resolve) => {
      const opened = new WebSocket(`${url.replace('http', 'ws')}/ws`, ['liminal.v1']);
      opened.onopen = () => resolve('opened');
      opened.onerror = () => resolve('refused');
    });
    return [await read, await socket];
  }, server.url);
  expect(got).toEqual(['refused', 'refused']);
});

test('B24 tabs: ten tabs of one browser are all live', async ({ world }) => {
  const server = await world.start();
  const project = world.place.project();
  await server.addProject(project);
  const sessionId = await server.createSession(project);
  const first = await world.window();
  await first.openSession(sessionId);
  const tabs = [first];
  while (tabs.length < 10) tabs.push(await world.tab(first));
  await server.turn(sessionId, 'heard by all');
  for (const tab of tabs) {
    await expect(tab.pane(sessionId).rows('user').filter({ hasText: 'heard by all' })).toHaveCount(1);
    await tab.pane(sessionId).isIdle();
  }
});

test('B24 tabs: all sessions of one window are live over its one socket', async ({ world }) => {
  const server = await world.start();
  const project = world.place.project();
  await server.addProject(project);
  const window = await world.window();
  const ids = [await server.createSession(project), await server.createSession(project), await server.createSession(project)];
  for (const id of ids) await window.openSession(id);
  for (const id of ids) {
    await server.turn(id, `heard in ${id}`);
    await expect(window.pane(id).rows('user')).toHaveText([new RegExp(`heard in ${id}`)]);
  }
});

test('B25 proxy: below a path, and its idle socket is closed every second', async ({ world }) => {
  const server = await world.start();
  const project = world.place.project();
  await server.addProject(project);
  const proxy = await world.proxy({ prefix: '/tools/lb/', idleMs: 1000 });
  const window = await world.window(proxy.url);
  window.expectFaults(NETWORK);
  const pane = await window.openSession(await server.createSession(project));
  await until('the proxy closed the socket twice', () => proxy.upgrades >= 3);
  await window.isConnected();
  await pane.turn('/words 50');
  expect(new URL(window.page.url()).pathname).toMatch(/^\/tools\/lb\/s\//);
  await showsItsHistory(world, pane);
  await window.page.reload();
  await window.isConnected();
  await showsItsHistory(world, pane);
});
