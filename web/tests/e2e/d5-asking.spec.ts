/** What agents ask, what users queue, and what they have not sent yet. */
import { clause, expect, type Pane, test, until, type World } from './harness';

async function withSession(world: World, agent: 'demo' | 'claude-code', pace = 0): Promise<string> {
  const server = await world.start({ fake: agent === 'claude-code', pace });
  const project = world.place.project();
  await server.addProject(project);
  return server.createSession(project, agent);
}

test('B8 approvals: asked in one window, reloaded, answered in another', async ({ world }) => {
  const sessionId = await withSession(world, 'claude-code');
  const [one, two] = [await world.window(), await world.window()];
  const [here, there] = [await one.openSession(sessionId), await two.openSession(sessionId)];
  await here.send('!perm touch proof');
  await expect(here.id('approval')).toBeVisible();
  await expect(one.listed(sessionId)).toHaveAttribute('data-status', 'needs-you');
  await one.page.reload();
  await expect(here.id('approval')).toContainText('touch proof');
  await there.root.locator('[data-testid="approval-option"][data-kind="allow_once"]').click();
  await expect(there.id('approval')).toHaveCount(0);
  await expect(here.id('approval')).toHaveCount(0);
  await here.isIdle();
  await expect(here.id('tool-card')).toHaveAttribute('data-status', 'ok');
  await here.id('tool-card').getByRole('button').first().click();
  await expect(here.id('tool-card')).toContainText('allow: touch proof');
  await expect(here.id('permission-row')).toHaveAttribute('data-outcome', 'allowed');
});

test('B8 approvals: denied, and the agent hears it', async ({ world }) => {
  const sessionId = await withSession(world, 'claude-code');
  const pane = await (await world.window()).openSession(sessionId);
  await pane.send('!perm touch proof');
  await pane.root.locator('[data-testid="approval-option"][data-kind="reject_once"]').first().click();
  await pane.isIdle();
  await expect(pane.id('tool-card')).toHaveAttribute('data-status', 'error');
  await pane.id('tool-card').getByRole('button').first().click();
  await expect(pane.id('tool-card')).toContainText('deny: touch proof');
  await expect(pane.id('permission-row')).toHaveAttribute('data-outcome', 'rejected');
});

test('B9 questions: asked, reloaded, answered in another window', async ({ world }) => {
  const sessionId = await withSession(world, 'demo');
  const [one, two] = [await world.window(), await world.window()];
  const [here, there] = [await one.openSession(sessionId), await two.openSession(sessionId)];
  await here.send('/question');
  await expect(here.id('approval')).toBeVisible();
  await one.page.reload();
  await expect(here.id('approval')).toBeVisible();
  await expect(here.id('turn-status')).toHaveAttribute('data-state', 'waiting');
  await there.root.locator('[data-testid="approval-option"][data-option="briefly"]').click();
  await expect(here.id('approval')).toHaveCount(0);
  await here.isIdle();
  await expect(here.id('agent-row').last()).toContainText(/briefly/i);
});

async function queue(pane: Pane): Promise<string[]> {
  return (await pane.id('queue-entry').locator('.truncate').allInnerTexts()).map((text) => text.trim());
}

test('B16 queue: reordered, edited, removed, reloaded, seen elsewhere, sent in its last order', async ({ world }) => {
  const sessionId = await withSession(world, 'claude-code');
  const [one, two] = [await world.window(), await world.window()];
  const [here, there] = [await one.openSession(sessionId), await two.openSession(sessionId)];
  await here.send('!perm wait');
  await expect(here.id('approval')).toBeVisible();
  for (const text of ['first', 'second', 'third']) {
    await here.send(text);
    await expect(here.id('queue-entry').filter({ hasText: text })).toHaveCount(1);
  }
  const entry = (text: string) => here.id('queue-entry').filter({ hasText: text });
  await entry('third').getByTestId('queue-up').click();
  await expect.poll(() => queue(here)).toEqual(['first', 'third', 'second']);
  await entry('first').getByTestId('queue-remove').click();
  await expect.poll(() => queue(here)).toEqual(['third', 'second']);
  await entry('second').getByTestId('queue-edit').click();
  await here.page.getByLabel('Queued message', { exact: true }).fill('second, edited');
  await here.page.keyboard.press('Enter');
  await expect.poll(() => queue(there)).toEqual(['third', 'second, edited']);
  await one.page.reload();
  await expect.poll(() => queue(here)).toEqual(['third', 'second, edited']);
  await there.root.locator('[data-testid="approval-option"][data-kind="allow_once"]').click();
  await until('all was told', () => world.server.prompts().length === 3);
  await here.isIdle();
  expect(world.server.prompts()).toEqual(['!perm wait', 'third', 'second, edited']);
  await expect(here.id('queue')).toHaveCount(0);
});

test('B17 drafts: kept through a switch, a crash of the tab, and what comes in meanwhile', async ({ world }) => {
  const first = await withSession(world, 'demo', 1);
  const second = await world.server.createSession(world.place.directory('project'));
  const window = await world.window();
  const pane = await window.openSession(first);
  await pane.input.fill('half a thought');
  const other = await window.openSession(second);
  await expect(other.input).toHaveValue('');
  await window.openSession(first);
  await world.server.turn(first, '/words 200');
  await expect(pane.id('agent-row').last()).toBeVisible();
  await expect(pane.input).toHaveValue('half a thought');
  const { page } = window;
  const crashed = page.waitForEvent('crash');
  page.goto('chrome://crash').catch(() => undefined);
  await crashed;
  const again = await world.tab(window);
  const found = await again.openSession(first);
  await clause('44g', () => expect(found.input).toHaveValue('half a thought'));
});
