/** What the page says while it knows nothing new: without a connection, after a turn, before an agent runs. */
import { expect, test, type Window } from './harness';
import { demoWorld } from './demo-world';

const BROKEN = [/ERR_/, /WebSocket/, /Failed to load/];

/** Elements of the session and of the list that move. */
const moving = (window: Window): Promise<string[]> => window.page.evaluate(() => document.getAnimations()
  .filter((animation) => animation.playState === 'running')
  .map((animation) => (animation.effect as KeyframeEffect).target)
  .filter((element) => element?.closest('.pane.shown, .sidebar-list, .tab-list'))
  .map((element) => String(element?.className)));

test('req 13: without a connection nothing counts or moves, and a band says so at every width', async ({ world }) => {
  await world.start({ pace: 5 });
  const proxy = await world.proxy();
  const project = world.place.project();
  await world.server.addProject(project);
  const id = await world.server.createSession(project);
  const window = await world.window(proxy.url);
  window.expectFaults(...BROKEN);
  const pane = await window.openSession(id);
  await pane.send('/hang');
  await expect(pane.id('elapsed')).toHaveText(/\d/);
  await expect(window.listed(id)).toHaveAttribute('data-status', 'running');
  proxy.cut();
  const band = pane.id('lost-band');
  for (const width of [1440, 1024, 390]) {
    await window.page.setViewportSize({ width, height: 800 });
    await expect(band).toBeVisible();
    await expect(band).toHaveText(/Reconnecting|Offline/);
    expect(await window.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  await window.page.setViewportSize({ width: 1440, height: 800 });
  await expect(pane.id('elapsed')).toHaveCount(0);
  await expect(pane.id('turn-status')).toHaveText('Disconnected; the agent may have continued');
  await expect.poll(() => moving(window)).toEqual([]);
  proxy.restore();
  await expect(band).toHaveCount(0);
  await expect(pane.id('elapsed')).toHaveText(/\d/);
  await pane.id('stop').click();
  await pane.isIdle();
});

test('a lost connection is shown where no session is open', async ({ world }) => {
  await world.start();
  const proxy = await world.proxy();
  await world.server.addProject(world.place.project());
  const window = await world.window(proxy.url);
  window.expectFaults(...BROKEN);
  await expect(window.id('empty')).toBeVisible();
  proxy.cut();
  await expect(window.id('lost-band')).toBeVisible();
  proxy.restore();
  await expect(window.id('lost-band')).toHaveCount(0);
});

test('req 32: nothing of a plan is in progress once its turn was stopped', async ({ world }) => {
  const { window, pane } = await demoWorld(world, { pace: 20 });
  await pane.send('/plan');
  const tasks = pane.id('plan-row').locator('.task');
  await expect(tasks.and(window.page.locator('[data-status="in_progress"]'))).toHaveCount(1);
  await pane.id('stop').click();
  await pane.isIdle();
  await expect(tasks.and(window.page.locator('[data-status="in_progress"]'))).toHaveCount(0);
  await expect(tasks.and(window.page.locator('[data-status="stopped"]'))).toHaveCount(1);
  await expect(tasks.and(window.page.locator('[data-status="stopped"]'))).toContainText('not finished');
  await expect.poll(() => moving(window)).toEqual([]);
});

test('req 50, 52: model, mode and commands are there after a restart, before the agent runs', async ({ world }) => {
  const { id, window, pane } = await demoWorld(world);
  await pane.turn('hello');
  await pane.id('setting-mode').click();
  await window.page.getByRole('menuitemradio', { name: /^Auto/ }).click();
  await expect(pane.id('setting-mode')).toContainText('Auto');
  window.expectFaults(...BROKEN);
  await world.server.stop();
  await world.startAgain();
  const other = await world.window();
  const again = await other.openSession(id);
  await expect(again.id('setting-mode')).toContainText('Auto');
  await expect(again.id('setting-model')).toContainText('Demo fast');
  expect((await world.server.status(id)).isAlive).toBe(false);
  await again.input.fill('/');
  await expect(other.page.getByRole('option').first()).toBeVisible();
  await again.input.fill('');
  await again.id('setting-mode').click();
  await other.page.getByRole('menuitemradio', { name: /^Ask/ }).click();
  await expect(again.id('setting-mode')).toContainText('Ask');
  await again.send('/permission');
  await expect(again.id('approval')).toBeVisible();
});
