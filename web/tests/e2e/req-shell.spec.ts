/** Requirements 1 to 12: the frame of the page, its list and its tabs. */
import { clause, expect, gate, test, until, type Window } from './harness';
import { demoWorld, moreSessions } from './demo-world';
import { untilPainted } from './harness/measure';
import { claudeSession } from './harness/on-disk';

/** How often a time is taken; the best counts. */
const SAMPLES = 5;

const order = (window: Window): Promise<string[]> => window.id('tab').evaluateAll((tabs) => tabs.map((tab) => (tab as HTMLElement).dataset['session'] ?? ''));
const shown = (window: Window): Promise<string | null> => window.page.locator('[data-testid="tab"][aria-selected="true"]').getAttribute('data-session');

test('req 1: one document with named regions', async ({ world }) => {
  const { window: { page } } = await demoWorld(world);
  await clause('1a', () => expect(page.frames()).toHaveLength(1));
  await clause('1b', async () => {
    await expect(page.getByRole('navigation', { name: 'Projects and sessions' })).toBeVisible();
    await expect(page.getByRole('main', { name: 'Session' })).toBeVisible();
    await expect(page.getByRole('separator', { name: 'Width of the list' })).toBeVisible();
  });
  const box = async (testId: string) => await page.getByTestId(testId).boundingBox() ?? { x: Number.NaN, width: Number.NaN };
  const [list, resizer, session] = [await box('sidebar'), await box('resizer'), await page.getByRole('main').boundingBox() ?? { x: Number.NaN, width: Number.NaN }];
  await clause('1c', () => {
    expect(list.x + list.width).toBeLessThanOrEqual(resizer.x + resizer.width);
    expect(resizer.x).toBeLessThanOrEqual(session.x);
    expect(list.x + list.width).toBeLessThanOrEqual(session.x + 1);
  });
  const widthOf = async (): Promise<number> => (await page.getByTestId('sidebar').boundingBox())?.width ?? 0;
  const before = await widthOf();
  await page.getByTestId('resizer').focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(widthOf).toBe(before + 16);
});

test('req 2: projects in the order they were added; closing one survives a reload and a restart', async ({ world }) => {
  await world.start();
  for (const name of ['zebra', 'apple', 'mango']) await world.server.addProject(world.place.project(name));
  const window = await world.window();
  const toggles = window.id('project-toggle');
  await clause('2a', () => expect(toggles).toHaveText(['zebra', 'apple', 'mango']));
  await toggles.nth(1).click();
  await clause('2b', () => expect(toggles.nth(1)).toHaveAttribute('aria-expanded', 'false'));
  await toggles.nth(2).focus();
  await window.page.keyboard.press('ArrowLeft');
  await clause('2c', () => expect(toggles.nth(2)).toHaveAttribute('aria-expanded', 'false'));
  await window.page.keyboard.press('ArrowRight');
  await clause('2c', () => expect(toggles.nth(2)).toHaveAttribute('aria-expanded', 'true'));
  await clause('2f', () => expect.poll(async () => JSON.stringify(await world.server.json('GET', '/api/ui-state'))).toMatch(/"collapsed":\["[^"]+"\]/));
  await clause('2g', () => expect.poll(() => window.page.evaluate(() => localStorage.getItem('liminal:prefs'))).toMatch(/"collapsed":\["[^"]+"\]/));
  await window.page.reload();
  await clause('2d', () => expect(toggles.nth(1)).toHaveAttribute('aria-expanded', 'false'));
  window.expectFaults(/ERR_|WebSocket/);
  await world.server.stop();
  await world.startAgain();
  const other = await world.window();
  await clause('2e', () => expect(other.id('project-toggle').nth(1)).toHaveAttribute('aria-expanded', 'false'));
  await expect(other.id('project-toggle').nth(0)).toHaveAttribute('aria-expanded', 'true');
});

test('req 3, 4: each row has one sign, and those that wait are counted', async ({ world }) => {
  const { project, id, window } = await demoWorld(world);
  const [asking, asking2, failing, running] = await moreSessions(world, project, 'asks', 'asks too', 'fails', 'runs') as [string, string, string, string];
  const status = (of: string) => expect(window.listed(of));
  await clause('3e', () => status(id).toHaveAttribute('data-status', 'idle'));
  await clause('3a', () => expect(window.listed(id).locator('.badge')).toHaveText(/\S/));
  await clause('3c', () => expect(window.listed(id).locator('.age')).toHaveText(/now|\d/));
  await clause('3d', () => expect(window.listed(id).locator('.glyph')).toHaveCount(1));
  await world.server.send(running, '/hang');
  await clause('3f', () => status(running).toHaveAttribute('data-status', 'running'));
  await world.server.turn(failing, '/fail');
  await clause('3h', () => status(failing).toHaveAttribute('data-status', 'error'));
  const before = await window.id('session-row').evaluateAll((rows) => rows.length);
  await world.server.send(asking, '/permission');
  await world.server.send(asking2, '/permission');
  await clause('3g', () => status(asking).toHaveAttribute('data-status', 'needs-you'));
  await status(asking2).toHaveAttribute('data-status', 'needs-you');
  await clause('4c', () => expect(window.id('needs-you')).toHaveText('2'));
  await clause('4d', () => expect(window.page).toHaveTitle(/^\(2\) /));
  await clause('4b', () => expect(window.id('session-row')).toHaveCount(before));
  await window.id('needs-you').click();
  await expect(window.page.getByRole('menuitem')).toHaveCount(2);
  await window.page.keyboard.press('Escape');
  await window.openSession(asking);
  await window.pane(asking).root.locator('[data-option="reject-once"]').click();
  await expect(window.id('needs-you')).toHaveText('1');
  await expect(window.page).toHaveTitle(/^\(1\) /);
  await window.openSession(id);
  await world.server.turn(asking, '/think');
  await clause('3i', () => status(asking).toHaveAttribute('data-status', 'unread'));
  await window.openSession(asking);
  await status(asking).toHaveAttribute('data-status', 'idle');
  const [empty] = await moreSessions(world, project, 'nothing said yet') as [string];
  await window.openSession(empty);
  await window.openSession(id);
  await world.server.turn(empty, '/think');
  await status(empty).toHaveAttribute('data-status', 'unread');
});

test('req 5: a filter narrows the list while one types', async ({ world }) => {
  const { project, window } = await demoWorld(world);
  const titles = ['red apple', 'green apple', 'blue berry'];
  await moreSessions(world, project, ...titles);
  await expect(window.id('session-row')).toHaveCount(4);
  await window.id('session-filter').fill('apple');
  await clause('5c', () => expect(window.id('session-row')).toHaveCount(2));
  await window.page.keyboard.press('Escape');
  await expect(window.id('session-row')).toHaveCount(4);
});

test('req 5: a filter narrows a thousand sessions at once', async ({ world }) => {
  await world.start({ fake: true });
  for (let number = 0; number < 20; number += 1) {
    const project = world.place.directory(`project-${number}`);
    for (let session = 0; session < 50; session += 1) claudeSession(world.place, project, number * 50 + session + 1, session === 47 ? 'walnut' : 'task');
    await world.server.addProject(project);
  }
  const window = await world.window();
  // Of each project the newest.
  await expect(window.id('session-row')).toHaveCount(240);
  const times: number[] = [];
  for (let round = 0; round < SAMPLES; round += 1) {
    times.push(await untilPainted(window.page, { selector: '[data-testid="session-filter"]', text: 'walnut' }, { selector: '[data-testid="session-row"]', most: 20 }));
    await expect(window.id('session-row')).toHaveCount(20);
    await window.id('session-filter').fill('');
    await expect(window.id('session-row')).toHaveCount(240);
  }
  await clause('5d', () => gate('page', 'filter', 'ms', times));
});

test('req 5: sessions of a terminal are marked and can be hidden', async ({ world }) => {
  await world.start();
  const project = world.place.project();
  const line = { type: 'user', uuid: '6f3d0c53-3f0e-4b21-9d4a-0f8a3a5b0001', parentUuid: null, isSidechain: false, sessionId: '6f3d0c53-3f0e-4b21-9d4a-0f8a3a5b0000', cwd: project, version: '2.0.0', timestamp: '2026-01-01T10:00:00.000Z', message: { role: 'user', content: 'begun in a terminal' } };
  world.place.write(`home/.claude/projects/${project.replace(/[^a-zA-Z0-9-]/g, '-')}/${line.sessionId}.jsonl`, `${JSON.stringify(line)}\n`);
  await world.server.addProject(project);
  const window = await world.window();
  const row = window.id('session-row').filter({ hasText: 'begun in a terminal' });
  await clause('5a', () => expect(row.getByText('terminal', { exact: true })).toHaveCount(1));
  await window.id('toggle-found').click();
  await clause('5b', () => expect(row).toHaveCount(0));
  await window.id('toggle-found').click();
  await expect(row).toHaveCount(1);
});

test('req 6: a project is added in a dialog that says what is wrong', async ({ world }) => {
  const { project, window } = await demoWorld(world);
  const field = window.id('project-path');
  await window.id('add-project').click();
  await clause('6a', () => expect(field).toBeFocused());
  await field.fill(`${world.place.root}/nowhere`);
  await window.id('confirm').click();
  await clause('6d', () => expect(window.id('dialog-error')).toHaveText(/does not exist/));
  await clause('6e', () => expect(field).toBeFocused());
  await field.fill(project);
  await window.id('confirm').click();
  await clause('6f', () => expect(window.id('dialog-error')).toHaveText('Project already added'));
  world.place.directory('completed');
  await field.fill(`${world.place.root}/compl`);
  await clause('6b', () => expect(window.id('path-option')).toHaveText([/completed/]));
  await window.page.keyboard.press('ArrowDown');
  await window.page.keyboard.press('Enter');
  await expect(field).toHaveValue(/completed\/$/);
  await window.id('confirm').click();
  await expect(window.id('project-toggle')).toHaveText(['project', 'completed']);
  window.expectFaults(/400|409/);
});

test('req 7: removing asks, and names the tabs; archiving can be undone and taken back', async ({ world }) => {
  const { project, id, window } = await demoWorld(world);
  const [other] = await moreSessions(world, project, 'other') as [string];
  await window.openSession(other);
  await window.listed(other).hover();
  await window.listed(other).getByRole('button', { name: /^Archive/ }).click();
  await expect(window.listed(other)).toHaveCount(0);
  await window.id('toasts').getByRole('button', { name: 'Undo' }).click();
  await clause('7c', () => expect(window.listed(other)).toHaveCount(1));
  await expect(window.id('tab')).toHaveCount(2);
  await window.listed(other).hover();
  await window.listed(other).getByRole('button', { name: /^Archive/ }).click();
  await window.page.getByRole('button', { name: 'More', exact: true }).click();
  await window.page.getByRole('menuitem', { name: 'Archived sessions' }).click();
  await window.id('restore').click();
  await window.page.keyboard.press('Escape');
  await clause('7e', () => expect(window.listed(other)).toHaveCount(1));
  await window.openSession(other);
  await window.id('project').hover();
  await window.page.getByRole('button', { name: 'Actions of project' }).click();
  await window.page.getByRole('menuitem', { name: /Remove/ }).click();
  await clause('7b', () => expect(window.id('remove-project-dialog')).toContainText('Its 2 open tabs are closed'));
  await window.page.getByRole('button', { name: 'Cancel' }).click();
  await clause('7a', () => expect(window.listed(id)).toHaveCount(1));
});

test('req 3, 42: a title that a person gave stays when the agent gives another', async ({ world }) => {
  const { project, window } = await demoWorld(world);
  const [renamed] = await moreSessions(world, project, 'my own title') as [string];
  await window.openSession(renamed);
  await world.server.turn(renamed, '/think');
  await expect(window.pane(renamed).rows('turn-end')).toHaveCount(1);
  await expect(window.pane(renamed).root.locator('h1')).toHaveText('my own title');
  await clause('3b', () => expect(window.listed(renamed)).toContainText('my own title'));
});

test('req 8: one click makes a session; the menu tells which agents there are and why not', async ({ world }) => {
  await world.start({ environment: { PATH: '/usr/bin:/bin' } });
  await world.server.addProject(world.place.project());
  const window = await world.window();
  await window.newSession('Demo');
  await window.id('new-session').click();
  await clause('8a', () => expect(window.id('tab')).toHaveCount(2));
  await window.id('new-session-menu').click();
  await clause('8b', () => expect(window.page.getByRole('menuitemradio', { name: 'Demo' })).toHaveAttribute('aria-disabled', 'false'));
  const claude = window.page.getByRole('menuitemradio', { name: /Claude Code/ });
  await clause('8c', () => expect(claude).toHaveAttribute('aria-disabled', 'true'));
  await clause('8d', () => expect(claude).toHaveText(/install|PATH/));
  await window.page.getByRole('menuitem', { name: /Set up agents/ }).click();
  await clause('8e', () => expect(window.id('settings-dialog').locator('[data-agent="claude-code"] code')).toHaveText(/npm install/));
});

test('req 9: tabs by keyboard, pointer and drag; once for each session', async ({ world }) => {
  const { project, id, window } = await demoWorld(world);
  const { page } = window;
  const [b, c] = await moreSessions(world, project, 'b', 'c') as [string, string];
  await window.openSession(b);
  await window.openSession(c);
  await window.openSession(b);
  await clause('9l', async () => expect(await order(window)).toEqual([id, b, c]));
  const tab = (of: string) => page.locator(`[data-testid="tab"][data-session="${of}"]`);
  await clause('9a', () => expect(page.getByRole('tablist').getByRole('tab')).toHaveCount(3));
  await tab(b).focus();
  await page.keyboard.press('ArrowRight');
  await clause('9b', async () => {
    await expect(tab(c)).toBeFocused();
    expect(await shown(window)).toBe(b);
  });
  await page.keyboard.press('Enter');
  await clause('9c', async () => expect(await shown(window)).toBe(c));
  await page.keyboard.press('Alt+Shift+ArrowLeft');
  await clause('9h', async () => expect(await order(window)).toEqual([id, c, b]));
  await expect(tab(c)).toBeFocused();
  await tab(b).dragTo(tab(id));
  await clause('9g', () => expect.poll(() => order(window)).toEqual([b, id, c]));
  await tab(id).focus();
  await page.keyboard.press('Space');
  await clause('9d', () => expect.poll(() => shown(window)).toBe(id));
  await tab(id).click({ button: 'middle' });
  await clause('9f', () => expect.poll(() => order(window)).toEqual([b, c]));
  await tab(c).focus();
  await page.keyboard.press('Delete');
  await clause('9e', () => expect.poll(() => order(window)).toEqual([b]));
});

test('req 9: tabs are as they were after a reload and after a restart of the server', async ({ world }) => {
  const { project, id, window } = await demoWorld(world);
  const [b] = await moreSessions(world, project, 'b') as [string];
  await window.openSession(b);
  await window.openSession(id);
  await expect.poll(async () => JSON.stringify(await world.server.json('GET', '/api/ui-state'))).toContain(`"active":"${id}"`);
  await window.page.reload();
  await clause('9i', async () => {
    await expect.poll(() => order(window)).toEqual([id, b]);
    expect(await shown(window)).toBe(id);
  });
  window.expectFaults(/ERR_|WebSocket/);
  await world.server.stop();
  await world.startAgain();
  const other = await world.window();
  await clause('9j', () => expect.poll(() => order(other)).toEqual([id, b]));
  await clause('9k', () => expect.poll(() => shown(other)).toBe(id));
});

test('req 3: a row that is pressed stays under the pointer until the click, however the list is sorted meanwhile', async ({ world }) => {
  const { project, window } = await demoWorld(world);
  const [older, newer] = await moreSessions(world, project, 'older', 'newer') as [string, string];
  await expect(window.id('session-row').first()).toHaveAttribute('data-session', newer);
  await window.listed(newer).hover();
  await window.page.mouse.down();
  await world.server.turn(older, '/fail');
  await expect(window.listed(older)).toHaveAttribute('data-status', 'error');
  await window.page.mouse.up();
  await expect(window.pane(newer).root).toHaveClass(/\bshown\b/);
  await expect(window.id('session-row').first()).toHaveAttribute('data-session', older);
});

test('req 10: a tab keeps its place, its draft and its opened cards', async ({ world }) => {
  const { project, id, window, pane } = await demoWorld(world);
  const [b] = await moreSessions(world, project, 'b') as [string];
  await world.server.turn(id, '/run');
  await world.server.turn(id, '/words 3000');
  await pane.isIdle();
  await pane.input.fill('half a thought');
  const scroller = pane.id('transcript');
  await scroller.evaluate((element) => element.scrollTo({ top: 0 }));
  await pane.id('tool-card').getByRole('button').first().click();
  await expect(pane.id('output')).toBeVisible();
  await scroller.hover();
  await window.page.mouse.wheel(0, 300);
  await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBeGreaterThan(200);
  const top = await scroller.evaluate((element) => element.scrollTop);
  const times: number[] = [];
  for (let round = 0; round < SAMPLES; round += 1) {
    await window.openSession(b);
    times.push(await untilPainted(window.page, { selector: `[data-testid="tab"][data-session="${id}"]` }, { selector: `[data-testid="pane"][data-session="${id}"].shown [data-testid="row"]` }));
  }
  await clause('10a', () => gate('page', 'tab-switch', 'ms', times));
  await clause('10b', async () => expect(Math.abs(await scroller.evaluate((element) => element.scrollTop) - top)).toBeLessThanOrEqual(2));
  await clause('10c', () => expect(pane.input).toHaveValue('half a thought'));
  await clause('10d', () => expect(pane.id('output')).toBeAttached());
});

test('req 11: a closed tab gives way to the next, the one before, and then to three actions', async ({ world }) => {
  const { project, id, window } = await demoWorld(world);
  const [b, c] = await moreSessions(world, project, 'b', 'c') as [string, string];
  await window.openSession(b);
  await window.openSession(c);
  await window.openSession(b);
  const close = async (): Promise<void> => {
    const frame = window.id('tab-frame').filter({ has: window.page.locator('[aria-selected="true"]') });
    await frame.hover();
    await frame.getByTestId('tab-close').click();
  };
  await close();
  await clause('11a', async () => expect(await shown(window)).toBe(c));
  await close();
  await clause('11b', async () => expect(await shown(window)).toBe(id));
  await close();
  for (const action of ['empty-new', 'empty-open', 'empty-add']) await clause('11c', () => expect(window.id(action)).toBeVisible());
});

test('req 12: the address names the session and an item; back and forward work', async ({ world }) => {
  const { project, id, window } = await demoWorld(world);
  const { page } = window;
  await world.server.turn(id, '/words 2000');
  const first = (await world.server.history(id))[0] as { itemId: string };
  const [b] = await moreSessions(world, project, 'b') as [string];
  const path = (of: string): RegExp => new RegExp(`/s/${encodeURIComponent(of).replace(/%3A/i, '(%3A|:)')}$`, 'i');
  await expect(page).toHaveURL(path(id));
  await window.openSession(b);
  await clause('12a', () => expect(page).toHaveURL(path(b)));
  await page.goBack();
  await expect(page).toHaveURL(path(id));
  await clause('12c', async () => expect(await shown(window)).toBe(id));
  await page.goForward();
  await clause('12d', async () => expect(await shown(window)).toBe(b));
  await page.goto(`${world.server.url}/s/${encodeURIComponent(id)}#${encodeURIComponent(first.itemId)}`);
  await clause('12b', () => expect(window.pane(id).rows().first()).toBeInViewport());
});

test('req 12: an item far back is shown without reading all that came since, and from there one reads on', async ({ world }) => {
  const { id, window, pane } = await demoWorld(world);
  const { page } = window;
  await world.server.turn(id, 'the very first words');
  await world.server.turn(id, '/tools 1000');
  await world.server.turn(id, '/tools 400');
  const first = (await world.server.history(id))[0] as { itemId: string };
  const asked: string[] = [];
  page.on('request', (request) => { if (request.url().includes('/history?')) asked.push(new URL(request.url()).search); });
  await page.goto('about:blank');
  await page.goto(`${world.server.url}/s/${encodeURIComponent(id)}#${encodeURIComponent(first.itemId)}`);
  await expect(pane.rows('user').filter({ hasText: 'the very first words' })).toBeInViewport();
  expect(asked).toHaveLength(1);
  await pane.id('transcript').hover();
  await until('everything between was read', async () => {
    const gap = pane.id('gap');
    // Less than what is ready beyond the view, so that the gap is not passed.
    if (await gap.count() === 0) await page.mouse.wheel(0, 500);
    else await gap.evaluateAll((rows) => rows[0]?.scrollIntoView({ block: 'end' }));
    return asked.length > 5 && await gap.count() === 0;
  });
  await pane.id('transcript').evaluate((element) => element.scrollTo({ top: 0 }));
  await expect(pane.rows('user').filter({ hasText: 'the very first words' })).toBeInViewport();
});

test('req 12: an item that is not there is told', async ({ world }) => {
  const { id, window, pane } = await demoWorld(world);
  await pane.turn('hello');
  window.expectFaults(/404/);
  await window.page.goto(`${world.server.url}/s/${encodeURIComponent(id)}#nowhere`);
  await expect(window.id('toasts')).toContainText('That place could not be read');
  await expect(pane.rows().last()).toBeInViewport();
});

test('the tab that is shown stays in view when the window is made narrow', async ({ world }) => {
  const { project, window } = await demoWorld(world);
  const [b, c] = await moreSessions(world, project, 'b', 'c') as [string, string];
  for (const id of [b, c]) await window.openSession(id);
  await window.page.setViewportSize({ width: 390, height: 780 });
  await expect(window.page.getByRole('tab', { selected: true })).toBeInViewport({ ratio: 0.9 });
});
