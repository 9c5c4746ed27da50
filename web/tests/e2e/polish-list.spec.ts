/** Sessions that need attention, and finding sessions, actions and words. */
import { clause, expect, test, type Window, type World } from './harness';
import { demoWorld, moreSessions } from './demo-world';
import { claudeFile, claudeLine, idOf, lines } from './harness/on-disk';

const BEYOND = 60;

/** More sessions than one page of the list holds, all newer than any that a test makes. */
function newerSessions(world: World, project: string): void {
  for (let number = 1; number <= BEYOND; number += 1) {
    const id = idOf(number, 4);
    const line = claudeLine(project, id, 1, 'user', `later task ${number}`) as Record<string, unknown>;
    claudeFile(world.place, project, id, lines([{ ...line, timestamp: new Date(Date.UTC(2099, 0, 1) + number * 1000).toISOString() }]));
  }
}

/** A project whose first page shows only sessions of a terminal, and sessions beyond it. */
async function crowded(world: World, ...titles: string[]): Promise<{ window: Window; ids: string[] }> {
  await world.start({ fake: true });
  const project = world.place.project('shop');
  newerSessions(world, project);
  await world.server.addProject(project);
  const ids = await moreSessions(world, project, ...titles);
  const window = await world.window();
  await expect(window.id('session-row').filter({ hasText: `later task ${BEYOND}` })).toBeVisible();
  for (const id of ids) await expect(window.listed(id)).toHaveCount(0);
  return { window, ids };
}

test('req 4: a session that waits is in a group of its own, once, however old it is', async ({ world }) => {
  const { window, ids: [asking] } = await crowded(world, 'asks') as { window: Window; ids: [string] };
  const group = window.id('needs-you-group');
  await expect(group).toHaveCount(0);
  await world.server.send(asking, '/permission');
  await expect(group.locator('[data-testid="session-row"]')).toHaveCount(1);
  await clause('4b', () => expect(window.listed(asking)).toHaveCount(1));
  await expect(group.locator(`[data-session="${asking}"]`)).toContainText('shop');
  await expect(window.id('needs-you')).toHaveText('1');
  await expect(window.page).toHaveTitle(/^\(1\) /);
  const [top, first] = [await group.boundingBox(), await window.id('project').first().boundingBox()];
  await clause('4a', () => expect((top?.y ?? 0) + (top?.height ?? 0)).toBeLessThanOrEqual(first?.y ?? 0));
  await window.id('project-toggle').click();
  await expect(window.id('session-row')).toHaveCount(1);
  const pane = await window.openSession(asking);
  await pane.root.locator('[data-option="reject-once"]').click();
  await expect(group).toHaveCount(0);
  await expect(window.id('needs-you')).toHaveCount(0);
  // While it is open it stays, in its project.
  await expect(window.id('project').locator(`[data-session="${asking}"]`)).toHaveCount(1);
});

test('running and unread sessions are listed beyond the first page and in a closed project', async ({ world }) => {
  const { window, ids: [running, unread, idle] } = await crowded(world, 'runs', 'has news', 'is idle') as { window: Window; ids: [string, string, string] };
  await world.server.send(running, '/hang');
  await expect(window.listed(running)).toHaveAttribute('data-status', 'running');
  await world.server.turn(unread, 'hello');
  // Seen once, and then something happens in it.
  await window.page.goto(`${world.server.url}/s/${encodeURIComponent(unread)}`);
  await window.pane(unread).isReady();
  await expect.poll(async () => JSON.stringify(await world.server.json('GET', '/api/ui-state'))).toContain(unread);
  await expect(window.id('tab').first()).toContainText('has news');
  await window.openSession(running);
  await world.server.turn(unread, 'hello again');
  await expect(window.listed(unread)).toHaveAttribute('data-status', 'unread');
  await window.id('project-toggle').click();
  await expect(window.id('session-row')).toHaveCount(2);
  for (const id of [running, unread]) await expect(window.listed(id)).toBeVisible();
  await expect(window.listed(idle)).toHaveCount(0);
});

test('req 5: the filter and the palette find sessions beyond the first page', async ({ world }) => {
  const { window, ids: [walnut] } = await crowded(world, 'a Walnut cake') as { window: Window; ids: [string] };
  await window.id('session-filter').fill('walnut');
  await expect(window.listed(walnut)).toBeVisible();
  await expect(window.id('session-row')).toHaveCount(1);
  await window.id('session-filter').fill('no such words');
  await expect(window.id('no-match')).toHaveText('No session matches “no such words”.');
  await window.page.keyboard.press('Escape');
  await window.page.keyboard.press('Control+k');
  await window.id('palette-input').fill('walnut');
  await expect(window.id('palette-entry').first()).toContainText('a Walnut cake');
  await window.page.keyboard.press('Enter');
  await expect(window.pane(walnut).root).toHaveClass(/\bshown\b/);
  await expect(window.id('tab')).toContainText('a Walnut cake');
  await window.page.reload();
  await expect(window.id('tab')).toContainText('a Walnut cake');
});

test('req 54: the palette does what it is told by the first letters of an action', async ({ world }) => {
  const { project, window, pane } = await demoWorld(world);
  const { page } = window;
  await moreSessions(world, project, 'Settings of the shop', 'theme park', 'find the bug', 'add project files');
  await expect(window.id('session-row')).toHaveCount(5);
  const type = async (words: string, first: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await window.id('palette-input').fill(words);
    await expect(window.id('palette-entry').first()).toContainText(first);
    await page.keyboard.press('Enter');
  };
  await type('settings', 'Settings');
  await clause('54c', () => expect(window.id('settings-dialog')).toBeVisible());
  await page.keyboard.press('Escape');
  await type('add project', 'Add project');
  await expect(window.id('project-path')).toBeVisible();
  await page.keyboard.press('Escape');
  await type('find', 'Find in session');
  await expect(pane.id('find-bar')).toBeVisible();
  await page.keyboard.press('Escape');
  await type('theme', 'Theme: light');
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('light');
  await type('theme', 'Theme: dark');
  await clause('55c', () => expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark'));
  await type('bug', 'find the bug');
  await expect(window.id('tab')).toHaveCount(2);
});

/** What the browser marks as the words of the current hit. */
const marked = (window: Window): Promise<string[]> => window.page.evaluate(() => [...(CSS.highlights.get('find-current') ?? [])].map(String));

test('req 41: a coloured word in a folded card is found; the card opens and the word is marked', async ({ world }) => {
  const { id, window, pane } = await demoWorld(world);
  await world.server.turn(id, '/run');
  await world.server.turn(id, '/research');
  await expect(pane.id('fold')).toBeVisible();
  await window.page.keyboard.press('Control+f');
  // Green in the output of a command.
  await pane.id('find-bar').getByRole('searchbox').fill('Finished');
  await clause('41b', () => expect(pane.id('find-count')).toHaveText('1 of 1'));
  await expect(pane.id('tool-card').first().getByTestId('output')).toBeVisible();
  await clause('41e', () => expect.poll(() => marked(window)).toEqual(['Finished']));
  // Inside one of several tools that are folded into a line.
  await pane.id('find-bar').getByRole('searchbox').fill('never fetched');
  await expect(pane.id('find-count')).toHaveText('1 of 1');
  const card = pane.id('fold').getByTestId('tool-card').filter({ hasText: 'example.org' });
  await expect(card.getByTestId('output')).toContainText('never fetched');
  await expect.poll(() => marked(window)).toEqual(['never', 'fetched']);
  await expect(card.getByTestId('output')).toBeInViewport();
});

test('req 54: a message that the palette finds is opened and marked in its session', async ({ world }) => {
  const { project, id, window } = await demoWorld(world);
  const [other] = await moreSessions(world, project, 'other') as [string];
  await world.server.turn(other, '/research');
  await window.page.keyboard.press('Control+k');
  await window.id('palette-input').fill('never fetched');
  await window.id('palette-entry').filter({ hasText: 'never fetched' }).click();
  const pane = window.pane(other);
  await expect(pane.root).toHaveClass(/\bshown\b/);
  await clause('54d', () => expect(pane.id('fold').getByTestId('output')).toContainText('never fetched'));
  await expect.poll(() => marked(window)).toEqual(['never', 'fetched']);
  await expect(pane.id('find-bar').getByRole('searchbox')).toHaveValue('never fetched');
  await window.page.keyboard.press('Escape');
  expect(await marked(window)).toEqual([]);
  await window.openSession(id);
});
