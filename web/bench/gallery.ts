/** Every state of the page in three widths, light and dark. Asserts nothing: people look at it. */
import { appendFileSync } from 'node:fs';
import { able } from '../tests/e2e/able-world';
import { moreSessions } from '../tests/e2e/demo-world';
import { expect, type Pane, test, type Window, type World } from '../tests/e2e/harness';
import { claudeLine, claudeSession, idOf, lines } from '../tests/e2e/harness/on-disk';
import { take } from './gallery-camera';

interface Scene {
  window: Window;
  pane: Pane;
  id: string;
  project: string;
}

async function scene(world: World, pace = 0): Promise<Scene> {
  await world.start({ pace, config: able('files') });
  const project = world.place.project('shop');
  await world.server.addProject(project);
  const id = await world.server.createSession(project);
  await moreSessions(world, project, 'Write the release notes', 'Why is the build slow?');
  await world.server.addProject(world.place.project('website'));
  const window = await world.window();
  const pane = await window.openSession(id);
  return { window, pane, id, project };
}

async function choose(window: Window, name: string): Promise<void> {
  await window.page.keyboard.press('Control+k');
  await window.id('palette-input').fill(name);
  await window.page.keyboard.press('Enter');
}

test('first run', async ({ world, browser }) => {
  await world.start();
  const window = await world.window();
  await expect(window.id('agent').first()).toBeVisible();
  await take(window.page, 'first-run');
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(world.server.url);
  await expect(stranger.getByTestId('sign-in')).toBeVisible();
  await take(stranger, 'sign-in');
});

test('a session and what lies over it', async ({ world }) => {
  const { window, pane } = await scene(world);
  const { page } = window;
  await take(page, 'nothing-said');
  await pane.send('/tour');
  await expect(pane.id('approval')).toBeVisible();
  await pane.send('And then write a test for it');
  await pane.send('Last of all, the changelog');
  await expect(pane.id('queue-entry')).toHaveCount(2);
  await take(page, 'permission-and-queue');
  for (const entry of [1, 0]) await pane.id('queue-entry').nth(entry).getByTestId('queue-remove').click();
  await pane.root.locator('[data-option="reject-once"]').click();
  await pane.isIdle();
  await take(page, 'tour-done');
  await pane.turn('/markdown');
  await take(page, 'markdown');
  await pane.turn('/diff');
  await pane.turn('/run');
  for (const card of await pane.id('tool-card').all()) if (await card.getAttribute('data-kind') !== 'read') await card.getByRole('button').first().click();
  await pane.id('diff').last().scrollIntoViewIfNeeded();
  await take(page, 'diff');
  await pane.id('output').last().scrollIntoViewIfNeeded();
  await take(page, 'output');
  await page.keyboard.press('Control+f');
  await pane.id('find-bar').getByRole('searchbox').fill('demo');
  await expect(pane.id('find-count')).toHaveText(/of/);
  await take(page, 'find');
  await page.keyboard.press('Escape');
  await pane.id('details-button').click();
  await take(page, 'details');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await expect(window.id('palette-entry').first()).toBeVisible();
  await take(page, 'palette');
  await page.keyboard.press('Escape');
  for (const [name, dialog] of [['Settings', 'settings-dialog'], ['Keyboard shortcuts', 'help-dialog'], ['Add project', 'add-project-dialog'], ['Archived sessions', 'archive-dialog']] as const) {
    await choose(window, name);
    await expect(window.id(dialog)).toBeVisible();
    await take(page, dialog);
    await page.keyboard.press('Escape');
  }
  await page.setViewportSize({ width: 390, height: 780 });
  await window.id('drawer').click();
  await expect(window.id('sidebar')).toBeInViewport();
  await take(page, 'drawer', [390]);
});

test('files', async ({ world }) => {
  const { window, project } = await scene(world);
  const { page } = window;
  const id = await world.server.createSession(project, 'able');
  const pane = await window.openSession(id);
  const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 200 } });
  const files = [{ name: 'screenshot.png', mimeType: 'image/png', buffer: picture }, { name: 'a-log-with-a-rather-long-name-of-the-build.txt', mimeType: 'text/plain', buffer: Buffer.alloc(48_000, 'x') }];
  const attach = async (): Promise<void> => {
    await pane.id('attach-input').setInputFiles(files);
    await expect(pane.root.locator('[data-testid="file"][data-state="kept"]')).toHaveCount(files.length);
  };
  await attach();
  await pane.input.fill('Why is the button cut off?');
  await take(page, 'files-draft');
  await pane.id('send').click();
  await pane.isIdle();
  await take(page, 'files-sent');
  await pane.send('clock');
  await pane.isRunning();
  await attach();
  await pane.send('And in this one?');
  await expect(pane.id('queue-entry')).toHaveCount(1);
  await pane.id('attach-input').setInputFiles([{ name: 'film.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 255, 0]) }]);
  await expect(pane.id('file-problem')).toBeVisible();
  window.expectFaults(/422/);
  await take(page, 'files-queued-and-refused');
  await pane.root.evaluate((element) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['x'], 'x.txt'));
    element.dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer }));
  });
  await take(page, 'files-drop');
});

test('a server that asks nobody for credentials', async ({ world }) => {
  await world.start({ arguments: ['--insecure-no-auth'] });
  const { page: stranger } = await world.stranger();
  await expect(stranger.getByTestId('unlocked')).toBeVisible();
  await take(stranger, 'unlocked-first-run');
  const project = world.place.project('shop');
  await world.server.addProject(project);
  const id = await world.server.createSession(project);
  await world.server.turn(id, '/markdown');
  await stranger.goto(`${world.server.url}/s/${encodeURIComponent(id)}`);
  await expect(stranger.getByTestId('agent-row').first()).toBeVisible();
  await take(stranger, 'unlocked');
});

test('what is far back, what went wrong on its way, and what another program changed', async ({ world }) => {
  const server = await world.start({ fake: true });
  const project = world.place.project('shop');
  const file = claudeSession(world.place, project, 1, 'begun in a terminal');
  await server.addProject(project);
  const window = await world.window();
  const { page } = window;
  const found = await window.openSession(`claude-code:${idOf(1, 4)}`);
  let number = 6;
  await expect(async () => {
    appendFileSync(file, lines([claudeLine(project, idOf(1, 4), number++, 'user', `gone on elsewhere ${number}`)]));
    await expect(found.id('diverged')).toBeVisible({ timeout: 2000 });
  }).toPass();
  await take(page, 'diverged');
  const id = await server.createSession(project);
  await server.turn(id, 'the very first words');
  await server.turn(id, '/tools 1000');
  const first = (await server.history(id))[0] as { itemId: string };
  let pages = 0;
  await page.route('**/history?**', (route) => (pages++ < 1 ? route.continue() : undefined));
  await page.goto(`${server.url}/s/${encodeURIComponent(id)}#${encodeURIComponent(first.itemId)}`);
  const pane = window.pane(id);
  await expect(pane.rows('user').filter({ hasText: 'the very first words' })).toBeInViewport();
  await pane.id('transcript').hover();
  await expect(async () => {
    if (await pane.id('gap').count() === 0) await page.mouse.wheel(0, 500);
    await pane.id('gap').scrollIntoViewIfNeeded({ timeout: 1000 });
  }).toPass();
  await take(page, 'gap');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const failing = await window.openSession(await server.createSession(project));
  await page.routeWebSocket('**/ws', (route) => {
    const behind = route.connectToServer();
    route.onMessage((text) => {
      const frame = JSON.parse(String(text)) as { type: string; requestId: string };
      if (frame.type !== 'session:send') return behind.send(text);
      route.send(JSON.stringify({ type: 'error', requestId: frame.requestId, problem: { type: 'about:blank', title: 'Storage full', status: 507, code: 'STORAGE_FULL', detail: 'the disk is full; free some space and try again, nothing stored was touched' } }));
    });
  });
  await page.reload();
  await failing.id('attach-input').setInputFiles([{ name: 'a-log-with-a-rather-long-name-of-the-build.txt', mimeType: 'text/plain', buffer: Buffer.alloc(48_000, 'x') }]);
  await failing.send('Why does the build of the release take so long on the machine that nobody else uses?');
  await expect(failing.id('delivery')).toHaveAttribute('data-delivery', 'failed');
  await take(page, 'send-failed');
});

test('searching with other servers, and steering', async ({ world }) => {
  const { window, pane } = await scene(world);
  const { page } = window;
  await page.route('**/api/search?**', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...await answer.json(), elsewhere: 3 } });
  });
  await pane.turn('/markdown');
  await page.keyboard.press('Control+k');
  await window.id('palette-input').fill('demo');
  await expect(window.id('search-elsewhere')).toBeVisible();
  await take(page, 'search-elsewhere');
  await page.routeWebSocket('**/ws', (route) => {
    const behind = route.connectToServer();
    behind.onMessage((text) => route.send(String(text).replace('"steer":false', '"steer":true')));
  });
  await page.reload();
  await pane.send('/hang');
  await pane.isRunning();
  await pane.id('attach-input').setInputFiles([{ name: 'a-log-with-a-rather-long-name-of-the-build.txt', mimeType: 'text/plain', buffer: Buffer.alloc(48_000, 'x') }]);
  await pane.send('And then look at this log, and say what takes so long on the machine that nobody else uses');
  await pane.send('Last of all, the changelog');
  await expect(pane.id('queue-steer')).toHaveCount(2);
  await take(page, 'queue-steer');
});

test('while it works', async ({ world }) => {
  const { window, pane } = await scene(world, 20);
  const { page } = window;
  await pane.send('/words 5000');
  await expect(pane.id('agent-row').last()).toContainText(/\w+/);
  await take(page, 'streaming');
  await pane.id('stop').click();
  await pane.isIdle();
  await pane.send('/plan');
  await expect(pane.id('plan-dock')).toBeVisible();
  await pane.id('plan-dock').getByRole('button').click();
  await take(page, 'plan');
  await pane.isIdle();
  await pane.send('/question');
  await expect(pane.id('approval')).toBeVisible();
  await take(page, 'question');
  await pane.root.locator('[data-option="briefly"]').click();
  await pane.isIdle();
});

test('when something is wrong', async ({ world }) => {
  const { window, pane, project } = await scene(world);
  const { page } = window;
  await pane.send('/fail');
  await expect(pane.id('error-row')).toBeVisible();
  await pane.send('/crash');
  await expect(pane.id('error-row')).toHaveCount(2);
  await take(page, 'errors');
  const able = await window.openSession(await world.server.createSession(project, 'able'));
  await able.turn('full');
  await take(page, 'nearly-full');
  await page.locator('[data-testid="session-row"]').last().hover();
  await page.locator('[data-testid="session-row"]').last().getByRole('button', { name: /^Archive/ }).click();
  await expect(window.id('toasts')).toContainText('Archived');
  await take(page, 'archived');
  window.expectFaults(/./);
  await world.server.stop();
  await expect(window.id('conn-pill')).not.toHaveAttribute('data-state', 'open');
  await able.send('Said while offline');
  await take(page, 'offline');
  await page.locator('[data-testid="tab-close"]').last().click({ force: true });
});
