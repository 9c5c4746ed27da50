/** Requirements 13 to 20: whether the page hears the server, and what it says of the agent. */
import type { Page } from '@playwright/test';
import { clause, expect, gate, type Pane, type Proxy, test, until, type Window, type World } from './harness';
import { demoWorld } from './demo-world';
import { firstSeen, noteFirstSeen } from './harness/measure';

const BROKEN = [/ERR_/, /WebSocket/, /Failed to load/];

/** How often a connection is cut; the best time counts. */
const CUTS = 3;

async function comeBack(window: Window, proxy: Proxy): Promise<void> {
  proxy.restore();
  await window.isConnected();
}

/** Cuts the network; milliseconds until the page has painted that. */
async function lostAfter(window: Window, proxy: Proxy): Promise<number> {
  await window.page.evaluate(() => {
    const pill = document.querySelector('[data-testid="conn-pill"]') as HTMLElement;
    const lost = new Promise<number>((done) => {
      const observer = new MutationObserver(() => {
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => done(Date.now())));
      });
      observer.observe(pill, { attributes: true, attributeFilter: ['data-state'] });
    });
    Object.assign(globalThis, { lost });
  });
  const cutAt = Date.now();
  proxy.cut();
  return await window.page.evaluate(() => (globalThis as unknown as { lost: Promise<number> }).lost) - cutAt;
}

test('req 13, 59: a lost connection is shown and said at once, and comes back', async ({ world }) => {
  await world.start();
  const proxy = await world.proxy();
  await world.server.addProject(world.place.project());
  const window = await world.window(proxy.url);
  window.expectFaults(...BROKEN);
  const times: number[] = [];
  for (let round = 0; round < CUTS; round += 1) {
    if (round > 0) await comeBack(window, proxy);
    times.push(await lostAfter(window, proxy));
    await expect(window.id('conn-pill')).toHaveAttribute('data-state', /reconnecting|offline|connecting/);
  }
  await clause('13a', () => gate('page', 'connection-lost', 'ms', times));
  await expect(window.id('conn-pill')).toHaveText(/attempt \d+|Offline/);
  await clause('13b', () => expect(window.id('conn-pill')).toHaveText(/Reconnecting in \d+ s \(attempt \d+\)/));
  await clause('13d', async () => {
    await expect(window.id('announcer')).toHaveText(/Reconnecting|Offline|Connecting/);
    await expect(window.id('announcer')).toHaveAttribute('aria-live', 'polite');
  });
  proxy.restore();
  await clause('13e', async () => {
    await window.isConnected();
    await expect(window.id('announcer')).toHaveText('Connected');
  });
});

/** A session of the demo agent in a window whose network can be cut. */
async function behindProxy(world: World, pace = 0): Promise<{ id: string; window: Window; pane: Pane; proxy: Proxy }> {
  await world.start({ pace });
  const proxy = await world.proxy();
  const project = world.place.project();
  await world.server.addProject(project);
  const id = await world.server.createSession(project);
  const window = await world.window(proxy.url);
  window.expectFaults(...BROKEN);
  return { id, window, pane: await window.openSession(id), proxy };
}

test('req 13, 57: a lost connection is told without a part that is too wide, and above the session at every width', async ({ world }) => {
  const { window, pane, proxy } = await behindProxy(world);
  proxy.cut();
  await expect(window.id('conn-pill')).toHaveText(/attempt \d+|Offline/);
  await expect(window.id('conn-pill')).toBeInViewport({ ratio: 1 });
  const right = async (testId: string): Promise<number> => { const box = await window.id(testId).boundingBox(); return box ? box.x + box.width : 0; };
  for (const part of ['conn-pill', 'session-row']) expect(await right(part)).toBeLessThanOrEqual(await right('sidebar'));
  const note = pane.root.getByText(/Reconnecting|Offline/);
  await expect(note).toBeVisible();
  await window.page.setViewportSize({ width: 390, height: 800 });
  await expect(note).toBeVisible();
  proxy.restore();
  await expect(note).toHaveCount(0);
});

test('req 14, 35: what is written offline waits, can be taken back, and arrives once', async ({ world }) => {
  const { id, window, pane, proxy } = await behindProxy(world);
  proxy.cut();
  await expect(window.id('conn-pill')).not.toHaveAttribute('data-state', 'open');
  await pane.send('/think about one');
  await pane.send('not this');
  await clause('14a', () => expect(pane.root.locator('[data-delivery="waiting"]')).toHaveCount(2));
  await clause('14b', () => expect(pane.id('delivery').first()).toContainText('Waiting for connection'));
  await pane.rows('user').filter({ hasText: 'not this' }).getByRole('button', { name: 'Take back' }).click();
  await expect(pane.input).toHaveValue('not this');
  proxy.restore();
  await window.isConnected();
  await expect(pane.id('delivery')).toHaveCount(0);
  await pane.isIdle();
  await expect(pane.rows('user')).toHaveCount(1);
  const said = (await world.server.history(id)).filter((item) => item.type === 'message' && item.origin === 'user');
  await clause('14c', () => expect(said).toHaveLength(1));
});

test('req 15: after a reconnect the transcript is the server\'s, and a line says how much came', async ({ world }) => {
  const { id, window, pane, proxy } = await behindProxy(world, 40);
  // It stays for two seconds, which may go by between two looks.
  await pane.root.evaluate((root) => {
    const seen: string[] = [];
    Object.assign(root, { seen });
    new MutationObserver(() => {
      const line = root.querySelector('[data-testid="caught-up"]')?.textContent;
      if (line) seen.push(line);
    }).observe(root, { childList: true, subtree: true });
  });
  await pane.send('/think');
  await expect(pane.rows('thinking').first()).toBeVisible();
  proxy.cut();
  await expect(window.id('conn-pill')).not.toHaveAttribute('data-state', 'open');
  await world.server.isIdle(id);
  proxy.restore();
  await clause('15c', () => expect.poll(() => pane.root.evaluate((root) => (root as HTMLElement & { seen: string[] }).seen[0])).toMatch(/Caught up · \d+ updates?/));
  await clause('15d', () => expect(pane.id('caught-up')).toHaveCount(0));
  await pane.isIdle();
  await expect(pane.rows('thinking')).toHaveCount(2);
  await expect(pane.rows('agent').last()).toContainText('The option Thinking leaves them out.');
});

/** A page behind a network that swallows everything and closes nothing. */
async function swallowed(world: World, before?: (page: Page) => Promise<void>): Promise<{ window: Window; proxy: Proxy }> {
  await world.start();
  const proxy = await world.proxy();
  await world.server.addProject(world.place.project());
  const window = await world.window(proxy.url);
  window.expectFaults(...BROKEN);
  if (before) {
    await before(window.page);
    await window.page.reload();
    await window.isConnected();
  }
  proxy.isDeaf = proxy.isMute = true;
  return { window, proxy };
}

test('req 16: 45 seconds without a frame end a socket that only looks alive', async ({ world }) => {
  const { window: { page }, proxy } = await swallowed(world, (page) => page.clock.install());
  const before = proxy.upgrades;
  await page.clock.runFor(25_000);
  await expect(page.getByTestId('conn-pill')).toHaveAttribute('data-state', 'open');
  await page.clock.runFor(25_000);
  await clause('16a', () => expect(page.getByTestId('conn-pill')).not.toHaveAttribute('data-state', 'open'));
  proxy.restore();
  await page.clock.runFor(15_000);
  await expect(page.getByTestId('conn-pill')).toHaveAttribute('data-state', 'open');
  expect(proxy.upgrades).toBeGreaterThan(before);
});

test('req 16: a network that comes back has the socket checked at once', async ({ world }) => {
  const { window, proxy } = await swallowed(world);
  const before = proxy.upgrades;
  await window.page.evaluate(() => dispatchEvent(new Event('online')));
  // Long before silence alone would tell.
  await clause('16c', () => expect(window.id('conn-pill')).not.toHaveAttribute('data-state', 'open', { timeout: 25_000 }));
  proxy.cut();
  proxy.restore();
  await window.isConnected();
  expect(proxy.upgrades).toBeGreaterThan(before);
});

test('req 17: the head says what the session is, and its details say the rest', async ({ world }) => {
  const { project, id, window, pane } = await demoWorld(world);
  world.place.write('project/file.txt', 'x');
  await pane.turn('/think');
  const head = pane.id('pane-header');
  await clause('17a', () => expect(head).toContainText(/demo/i));
  await clause('17b', () => expect(head.locator('.pane-facts')).toContainText('Demo fast'));
  await clause('17c', () => expect(head.locator('.pane-facts')).toContainText('Ask'));
  await clause('17d', () => expect(head.getByText('project', { exact: true })).toHaveAttribute('title', project));
  await clause('17e', () => expect(head.locator('.branch')).toHaveText(/master|main/));
  await pane.id('details-button').click();
  const details = window.id('details');
  await expect(details).toContainText(id);
  await expect(details).toContainText(project);
  await clause('17h', () => expect(details).toContainText(/Pid\s*\d+/));
  await clause('17i', () => expect(details).toContainText(/Last heard\s*[\d.]+ s ago/));
  await clause('17j', () => expect(details).toContainText(/version \d+, server \d/));
  await clause('17g', () => expect(details).toContainText(/Process\s*ready/));
  await details.getByRole('button', { name: 'Copy session' }).click();
  await clause('17f', async () => expect(await window.page.evaluate(() => navigator.clipboard.readText())).toBe(id));
});

test('req 18: a running turn tells its time and what it waits for; silence offers a way out', async ({ world }) => {
  const { id, pane } = await demoWorld(world, { config: '[sessions]\nstall-seconds = 1\n' });
  await pane.send('/hang');
  const status = pane.id('turn-status');
  await expect(status).toBeVisible();
  await clause('18a', () => expect(pane.id('elapsed')).toHaveText(/\d/));
  await clause('18c', () => expect(status).toHaveAttribute('data-stalled', 'true'));
  await clause('18g', () => expect(pane.id('restart')).toBeVisible());
  await clause('18f', () => expect(pane.id('interrupt')).toBeVisible());
  await pane.id('wait').click();
  await clause('18e', () => expect(status).toHaveAttribute('data-stalled', 'false'));
  await expect(pane.id('interrupt')).toHaveCount(0);
  await pane.id('stop').click();
  await pane.isIdle();
  await expect(pane.rows('turn-end').last()).toContainText('Stopped');
  await pane.send('/permission');
  await clause('18b', () => expect(status).toContainText('Waiting for your answer'));
  await until('it waits', async () => (await world.server.status(id)).state === 'waiting');
});

test('req 19, 36: a dead agent leaves one row with its code and a way on; what was said stays', async ({ world }) => {
  const { pane } = await demoWorld(world);
  await pane.turn('/think');
  const before = await pane.keys();
  await pane.send('/crash');
  const row = pane.id('error-row');
  await clause('19a', async () => {
    await expect(row).toHaveCount(1);
    await expect(row).toHaveAttribute('data-code', 'PROCESS_CRASH');
    await expect(row).toContainText('137');
  });
  await clause('19d', async () => expect((await pane.keys()).slice(0, before.length)).toEqual(before));
  await row.getByTestId('restart').click();
  await pane.isIdle();
  await clause('19c', async () => {
    await pane.turn('/think');
    await expect(pane.id('error-row')).toHaveCount(1);
  });
});

/** What two windows are compared by. A user's row has a key of its own where it was written. */
const SHOWN = {
  row: { selector: '[data-testid="row"]:not([data-kind="user"])', attribute: 'data-key' },
  request: { selector: '[data-testid="approval"]', attribute: 'data-item' },
  queued: { selector: '[data-testid="queue-entry"] .truncate' },
  // Others may be gone before a window has heard of them.
  status: { selector: '[data-testid="session-row"][data-status="needs-you"]', attribute: 'data-session' },
};

test('req 20: a second window is not behind the first', async ({ world }) => {
  const { id, window, pane } = await demoWorld(world);
  const other = await world.window();
  const twin = await other.openSession(id);
  const late: number[] = [];
  for (let round = 1; round <= 3; round += 1) {
    for (const { page } of [window, other]) await noteFirstSeen(page, SHOWN);
    await pane.send('/permission');
    await expect(twin.id('approval')).toBeVisible();
    await pane.send(`later ${round}`);
    await expect(twin.id('queue-entry')).toHaveCount(1);
    await pane.root.locator('[data-option="allow-once"]').click();
    for (const each of [pane, twin]) {
      await expect(each.rows('user').filter({ hasText: `later ${round}` })).toHaveCount(1);
      await expect(each.id('approval')).toHaveCount(0);
      await each.isIdle();
    }
    const [here, there] = [await firstSeen(window.page), await firstSeen(other.page)];
    const kinds = new Set(Object.keys(here).map((name) => name.split(' ')[0]));
    await clause('20e', () => {
      expect([...kinds].toSorted()).toEqual(['queued', 'request', 'row', 'status']);
      expect(Object.keys(there).toSorted()).toEqual(Object.keys(here).toSorted());
    });
    late.push(Math.max(...Object.entries(here).map(([name, at]) => Math.abs((there[name] ?? Number.NaN) - at))));
  }
  await clause('20e', () => gate('page', 'second-window', 'ms', late));
});

test('req 20, 46, 48: a second window shows the same rows, requests and queue', async ({ world }) => {
  const { id, pane } = await demoWorld(world);
  const other = await world.window();
  const twin = await other.openSession(id);
  await pane.send('/permission');
  await expect(pane.id('approval')).toBeVisible();
  await clause('20c', () => expect(twin.id('approval')).toBeVisible());
  await clause('20b', () => expect(other.listed(id)).toHaveAttribute('data-status', 'needs-you'));
  await pane.send('later');
  await clause('20d', () => expect(twin.id('queue-entry')).toHaveText([/later/]));
  await clause('46h', () => expect(twin.id('queue-entry')).toHaveText([/later/]));
  await clause('20a', async () => expect.poll(() => twin.keys()).toEqual(await pane.keys()));
  await twin.root.locator('[data-option="reject-once"]').click();
  await expect(pane.id('approval')).toHaveCount(0);
  await pane.isIdle();
  for (const window of [pane, twin]) await expect(window.id('queue-paused')).toHaveAttribute('data-reason', 'rejected');
  await pane.id('queue-resume').click();
  await expect(twin.id('queue-entry')).toHaveCount(0);
  await pane.isIdle();
  await expect.poll(async () => JSON.stringify(await twin.keys()) === JSON.stringify(await pane.keys())).toBe(true);
});
