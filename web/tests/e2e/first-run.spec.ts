/** A machine where nothing was ever set up. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { clause, expect, test, type World } from './harness';

const isolated = { PATH: '/usr/bin:/bin' };

test('req 60: without projects there is a checklist of agents, with commands to copy', async ({ world }) => {
  await world.start({ environment: isolated });
  const { page, id } = await windowOf(world);
  await clause('60a', () => expect(id('welcome')).toBeVisible());
  for (const [name, command] of [['claude-code', /install -g @anthropic-ai\/claude-code/], ['codex', /codex/], ['gemini', /gemini-cli/], ['opencode', /opencode-ai/]] as const) {
    const line = page.locator(`[data-testid="agent"][data-agent="${name}"]`);
    await clause('60b', () => expect(line).toHaveAttribute('data-usable', 'false'));
    await expect(line.locator('code').first()).toHaveText(command);
  }
  const claude = page.locator('[data-testid="agent"][data-agent="claude-code"]');
  await claude.getByTestId('copy').click();
  await expect(id('announcer')).toHaveText('Copied');
  await clause('60e', async () => expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('npm install -g'));
  await expect(page.locator('[data-testid="agent"][data-agent="demo"]')).toHaveAttribute('data-usable', 'true');
});

test('req 60: the demo agent is one click away', async ({ world }) => {
  await world.start({ environment: isolated });
  const { page, id } = await windowOf(world);
  const directory = join(world.place.home, 'liminal-demo');
  expect(existsSync(directory)).toBe(false);
  await id('try-demo').click();
  const pane = page.locator('[data-testid="pane"].shown');
  await expect(pane.getByTestId('composer-input')).toHaveValue('/tour');
  await expect(pane.getByTestId('composer-input')).toBeFocused();
  expect(existsSync(directory)).toBe(true);
  await page.keyboard.press('Control+Enter');
  await expect(pane.getByTestId('approval')).toBeVisible();
  await expect(pane.getByTestId('tool-card').first()).toBeVisible();
  const { projects } = await world.server.json<{ projects: { path: string }[] }>('GET', '/api/projects');
  expect(projects.map((project) => project.path)).toEqual([realpathSync(directory)]);
});

test('req 60: the demo is there again after its project was removed', async ({ world }) => {
  await world.start();
  await world.server.addProject(world.place.directory('home/liminal-demo'));
  const window = await world.window();
  // News of the list may be on their way while its project goes.
  window.expectFaults(/status of 404.*\/api\/session\/list/);
  const { page } = window;
  const id = (testId: string): Locator => window.id(testId);
  await id('project').first().hover();
  await page.getByRole('button', { name: 'Actions of liminal-demo' }).click();
  await page.getByRole('menuitem', { name: /Remove project/ }).click();
  await id('confirm').click();
  await id('try-demo').click();
  await expect(page.locator('[data-testid="pane"].shown').getByTestId('composer-input')).toHaveValue('/tour');
});

test('a directory is made for a project only when that is asked for', async ({ world }) => {
  await world.start();
  const path = join(world.place.root, 'new');
  const add = async (body: object): Promise<number> => (await world.server.call('POST', '/api/projects', body)).status;
  expect(await add({ path })).toBe(400);
  expect(existsSync(path)).toBe(false);
  expect(await add({ path: join(path, 'deeper'), create: true })).toBe(400);
  expect(await add({ path: join(world.place.data, 'inside'), create: true })).toBe(400);
  expect(existsSync(join(world.place.data, 'inside'))).toBe(false);
  expect(await add({ path, create: true })).toBe(201);
  expect(existsSync(path)).toBe(true);
  expect(await add({ path, create: true })).toBe(409);
});

async function windowOf(world: World): Promise<{ page: Page; id: (testId: string) => Locator }> {
  const window = await world.window();
  return { page: window.page, id: (testId) => window.id(testId) };
}
