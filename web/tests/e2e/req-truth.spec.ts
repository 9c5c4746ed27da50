/** Requirements 13 to 20: whether the page hears the server, and what it says of the agent. */
import type { Page } from '@playwright/test';
import { expect, HANG, type Pane, type Proxy, test, until, type Window, type World } from './harness';
import { demoWorld } from './demo-world';

const BROKEN = [/ERR_/, /WebSocket/, /Failed to load/];

test('req 13, 59: a lost connection is shown and said at once, and comes back', async ({ world }) => {
  await world.start();
  const proxy = await world.proxy();
  await world.server.addProject(world.place.project());
  const window = await world.window(proxy.url);
  window.expectFaults(...BROKEN);
  await window.page.evaluate(() => {
    const pill = document.querySelector('[data-testid="conn-pill"]') as HTMLElement;
    new MutationObserver(() => { (globalThis as { lostAt?: number }).lostAt ??= Date.now(); }).observe(pill, { attributes: true, attributeFilter: ['data-state'] });
  });
  const cutAt = Date.now();
  proxy.cut();
  await expect(window.id('conn-pill')).toHaveAttribute('data-state', /reconnecting|offline|connecting/);
  const lostAt = await window.page.evaluate(() => (globalThis as { lostAt?: number }).lostAt ?? 0);
  // A page that waits for its heartbeat takes far longer.
  expect(lostAt - cutAt).toBeLessThan(HANG);
  await expect(window.id('conn-pill')).toHaveText(/attempt \d+|Offline/);
  await expect(window.id('announcer')).toHaveText(/Reconnecting|Offline|Connecting/);
  await expect(window.id('announcer')).toHaveAttribute('aria-live', 'polite');
  proxy.restore();
  await window.isConnected();
  await expect(window.id('announcer')).toHaveText('Connected');
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
  await expect(pane.root.locator('[data-delivery="waiting"]')).toHaveCount(2);
  await expect(pane.id('delivery').first()).toContainText('Waiting for connection');
  await pane.rows('user').filter({ hasText: 'not this' }).getByRole('button', { name: 'Take back' }).click();
  await expect(pane.input).toHaveValue('not this');
  proxy.restore();
  await window.isConnected();
  await expect(pane.id('delivery')).toHaveCount(0);
  await pane.isIdle();
  await expect(pane.rows('user')).toHaveCount(1);
  const said = (await world.server.history(id)).filter((item) => item.type === 'message' && item.origin === 'user');
  expect(said).toHaveLength(1);
});

test('req 15: after a reconnect the transcript is the server\'s, and a line says how much came', async ({ world }) => {
  const { id, window, pane, proxy } = await behindProxy(world, 5);
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
  await expect.poll(() => pane.root.evaluate((root) => (root as HTMLElement & { seen: string[] }).seen[0])).toMatch(/Caught up · \d+ updates?/);
  await expect(pane.id('caught-up')).toHaveCount(0);
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
  await expect(page.getByTestId('conn-pill')).not.toHaveAttribute('data-state', 'open');
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
  await expect(window.id('conn-pill')).not.toHaveAttribute('data-state', 'open', { timeout: 25_000 });
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
  await expect(head).toContainText(/demo/i);
  await expect(head.getByText('project', { exact: true })).toHaveAttribute('title', project);
  await expect(head.locator('.branch')).toHaveText(/master|main/);
  await pane.id('details-button').click();
  const details = window.id('details');
  await expect(details).toContainText(id);
  await expect(details).toContainText(project);
  await expect(details).toContainText(/Pid\s*\d+/);
  await expect(details).toContainText(/Last heard\s*[\d.]+ s ago/);
  await expect(details).toContainText(/version \d+, server \d/);
  await expect(details).toContainText(/Process\s*ready/);
  await details.getByRole('button', { name: 'Copy session' }).click();
  expect(await window.page.evaluate(() => navigator.clipboard.readText())).toBe(id);
});

test('req 18: a running turn tells its time and what it waits for; silence offers a way out', async ({ world }) => {
  const { id, pane } = await demoWorld(world, { config: '[sessions]\nstall-seconds = 1\n' });
  await pane.send('/hang');
  const status = pane.id('turn-status');
  await expect(status).toBeVisible();
  await expect(pane.id('elapsed')).toHaveText(/\d/);
  await expect(status).toHaveAttribute('data-stalled', 'true');
  await expect(pane.id('restart')).toBeVisible();
  await pane.id('wait').click();
  await expect(status).toHaveAttribute('data-stalled', 'false');
  await expect(pane.id('interrupt')).toHaveCount(0);
  await pane.id('stop').click();
  await pane.isIdle();
  await expect(pane.rows('turn-end').last()).toContainText('Stopped');
  await pane.send('/permission');
  await expect(status).toContainText('Waiting for your answer');
  await until('it waits', async () => (await world.server.status(id)).state === 'waiting');
});

test('req 19, 36: a dead agent leaves one row with its code and a way on; what was said stays', async ({ world }) => {
  const { pane } = await demoWorld(world);
  await pane.turn('/think');
  const before = await pane.keys();
  await pane.send('/crash');
  const row = pane.id('error-row');
  await expect(row).toHaveCount(1);
  await expect(row).toHaveAttribute('data-code', 'PROCESS_CRASH');
  await expect(row).toContainText('137');
  expect((await pane.keys()).slice(0, before.length)).toEqual(before);
  await row.getByTestId('restart').click();
  await pane.isIdle();
  await pane.turn('/think');
  await expect(pane.id('error-row')).toHaveCount(1);
});

test('req 20, 46, 48: a second window shows the same rows, requests and queue', async ({ world }) => {
  const { id, pane } = await demoWorld(world);
  const other = await world.window();
  const twin = await other.openSession(id);
  await pane.send('/permission');
  await expect(pane.id('approval')).toBeVisible();
  await expect(twin.id('approval')).toBeVisible();
  await expect(other.listed(id)).toHaveAttribute('data-status', 'needs-you');
  await pane.send('later');
  await expect(twin.id('queue-entry')).toHaveText([/later/]);
  await expect.poll(() => twin.keys()).toEqual(await pane.keys());
  await twin.root.locator('[data-option="reject-once"]').click();
  await expect(pane.id('approval')).toHaveCount(0);
  await pane.isIdle();
  for (const window of [pane, twin]) await expect(window.id('queue-paused')).toHaveAttribute('data-reason', 'rejected');
  await pane.id('queue-resume').click();
  await expect(twin.id('queue-entry')).toHaveCount(0);
  await pane.isIdle();
  await expect.poll(async () => JSON.stringify(await twin.keys()) === JSON.stringify(await pane.keys())).toBe(true);
});
