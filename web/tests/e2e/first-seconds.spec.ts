/** What a person sees right after the page opens: sessions at once, whatever agents do; logins and known projects as they are. */
import { chmodSync, mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from '@playwright/test';
import type { AgentReport } from '../../src/gen/contracts';
import { clause, expect, test, until, type Window, type World } from './harness';
import { claude, PINS } from './harness/agents';
import { repository } from './harness/place';

const packages = join(repository, 'crates/liminal-builder/tests/agents/node_modules');
/** They are asked for their version and their login only, so one Claude Code is enough. */
const REAL = {
  claude: claude.old,
  'codex-acp': join(packages, '.bin/codex-acp'),
  gemini: join(packages, '.bin/gemini'),
  opencode: join(packages, `opencode-linux-${process.arch === 'arm64' ? 'arm64' : 'x64'}/bin/opencode`),
};
/** From the page's first byte to a list that can be used. */
const AT_ONCE = 500;
const LOADS = 10;
/** A hanging `--version`, with a child that hangs too. */
const HANGS = 'sleep 1000 & wait';

function folderOf(world: World): string {
  return world.place.directory('bin');
}

/** The folder, Node for agents that are scripts, and the shell's own programs. */
function pathOf(world: World): string {
  return `${folderOf(world)}:${dirname(realpathSync(process.execPath))}:/usr/bin:/bin`;
}

function install(world: World, name: string, script: string): void {
  const draft = join(folderOf(world), `.${name}`);
  writeFileSync(draft, `#!/bin/sh\n${script}\n`);
  chmodSync(draft, 0o755);
  renameSync(draft, join(folderOf(world), name));
}

/** Milliseconds from the first byte of the page until a session is listed and a new one can be made. */
async function listedAfter(page: Page): Promise<number> {
  await page.reload({ waitUntil: 'commit' });
  await page.waitForFunction(() => (globalThis as unknown as { listedAt?: number }).listedAt !== undefined);
  return page.evaluate(() => {
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    return (globalThis as unknown as { listedAt: number }).listedAt - (navigation?.responseStart ?? 0);
  });
}

async function noteWhenListed(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const observer = new MutationObserver(() => {
      const isListed = document.querySelector('[data-testid="session-row"]') && document.querySelector('[data-testid="new-session"]:not([disabled])');
      if (!isListed) return;
      (globalThis as unknown as { listedAt: number }).listedAt = performance.now();
      observer.disconnect();
    });
    observer.observe(document, { childList: true, subtree: true });
  });
}

/** The quickest of several loads: others may be slowed down by whatever else the machine does. */
async function quickest(page: Page): Promise<number> {
  const times: number[] = [];
  for (let load = 0; load < LOADS; load += 1) times.push(await listedAfter(page));
  console.info(`sessions listed after ${times.map(Math.round).join(', ')} ms`);
  return Math.min(...times);
}

const agentNamed = async (world: World, name: string): Promise<AgentReport | undefined> =>
  (await world.server.json<AgentReport[]>('GET', '/api/agents')).find((agent) => agent.name === name);

test('sessions are listed within 500 ms, with four real agents on the PATH and one that hangs', async ({ world }) => {
  for (const [name, program] of Object.entries(REAL)) symlinkSync(program, join(folderOf(world), name));
  await world.start({ environment: { PATH: pathOf(world) } });
  const project = world.place.project();
  await world.server.addProject(project);
  const session = await world.server.createSession(project);
  const window = await world.window();
  await noteWhenListed(window.page);
  expect(await quickest(window.page)).toBeLessThan(AT_ONCE);
  for (const name of ['claude-code', 'codex', 'gemini', 'opencode']) {
    await until(`${name} is detected`, async () => (await agentNamed(world, name))?.version !== undefined);
  }

  install(world, 'gemini', HANGS);
  await until('the new file is seen', async () => (await agentNamed(world, 'gemini'))?.state === 'detecting');
  expect(await quickest(window.page)).toBeLessThan(AT_ONCE);
  expect((await agentNamed(world, 'gemini'))?.state).toBe('detecting');
  const pane = await window.openSession(session);
  await pane.turn('hello');
  const fresh = await window.newSession('Demo agent');
  await expect(fresh.input).toBeEnabled();
});

test('what is not known yet is not missing: sessions and the demo start before the agents are known', async ({ world }) => {
  await world.start();
  const window = await world.window();
  const { page } = window;
  await page.route('**/api/agents', () => undefined);
  await page.reload();
  await window.id('try-demo').click();
  await expect(page.locator('[data-testid="pane"].shown').getByTestId('composer-input')).toHaveValue('/tour');
  await page.reload();
  await window.id('new-session').click();
  await expect(window.id('tab')).toHaveCount(2);
});

test('an agent that is installed or signed in while the page is open is shown as such, and nothing else moves', async ({ world }) => {
  const auth = (isThere: boolean): string => `case $1 in --version) echo '2.1.197 (Claude Code)';; auth) echo '{"loggedIn": ${isThere}}';; esac`;
  await world.start({ environment: { PATH: `${folderOf(world)}:/usr/bin:/bin` } });
  const window = await world.window();
  const line = window.page.locator('[data-testid="agent"][data-agent="claude-code"]');
  await expect(line).toHaveAttribute('data-mark', 'missing');
  await expect(line).toContainText('Not installed');
  const button = window.id('welcome-add');
  const place = await button.boundingBox();
  install(world, 'claude', auth(false));
  await expect(line).toHaveAttribute('data-mark', 'signed-out');
  await clause('60d', () => expect(line.getByTestId('signed-out')).toBeVisible());
  await clause('60c', () => expect(line).toContainText('2.1.197'));
  await expect(line.locator('code')).toHaveText('claude');
  const amber = await line.locator('.icon').first().evaluate((icon) => getComputedStyle(icon).color);
  const warning = await line.getByTestId('signed-out').evaluate((text) => getComputedStyle(text).color);
  expect(amber).toBe(warning);
  install(world, 'claude', auth(true));
  await expect(line).toHaveAttribute('data-mark', 'ready');
  expect(await button.boundingBox()).toEqual(place);
});

test('Refresh asks every agent again', async ({ world }) => {
  const starts = join(world.place.root, 'starts');
  install(world, 'claude', `echo "$*" >> ${starts}; case $1 in --version) echo '2.1.197 (Claude Code)';; auth) echo '{"loggedIn": true}';; esac`);
  await world.start({ environment: { PATH: `${folderOf(world)}:/usr/bin:/bin` } });
  const window = await world.window();
  const asked = (): number => world.place.read('starts').split('\n').filter((line) => line === '--version').length;
  await expect(window.page.locator('[data-testid="agent"][data-agent="claude-code"]')).toHaveAttribute('data-mark', 'ready');
  await window.page.reload();
  await expect(window.id('refresh-agents')).toBeVisible();
  expect(asked()).toBe(1);
  await window.id('refresh-agents').click();
  await until('it is asked again', () => asked() === 2);
  await expect(window.id('agents')).toHaveAttribute('aria-busy', 'false');
});

for (const pin of PINS) {
  test(`a turn that fails for want of a login offers the command and no retry, ${pin} pin of Claude Code`, async ({ world }) => {
    symlinkSync(claude[pin], join(folderOf(world), 'claude'));
    await world.start({ environment: { PATH: pathOf(world), CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' } });
    const project = world.place.project();
    await world.server.addProject(project);
    const session = await world.server.createSession(project, 'claude-code');
    const window = await world.window();
    const pane = await window.openSession(session);
    await pane.send('hello');
    const row = pane.id('error-row');
    await expect(row).toHaveAttribute('data-code', 'LOGIN_REQUIRED');
    await expect(row).toContainText('Claude Code is not signed in.');
    await expect(row.locator('.command code')).toHaveText('claude');
    await expect(row.getByTestId('retry')).toHaveCount(0);
    await window.id('new-session-menu').click();
    await expect(window.page.getByRole('menuitemradio', { name: /Claude Code/ })).toContainText('Not signed in');
  });
}

/** A session file as Claude Code leaves it. */
function claudeSession(world: World, project: string, number: number): void {
  const line = { type: 'user', cwd: project, sessionId: String(number), uuid: 'u', timestamp: '2026-01-01T00:00:00Z', message: { role: 'user', content: 'begun in a terminal' } };
  const file = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}.jsonl`;
  world.place.write(`home/.claude/projects/${project.replace(/[^a-zA-Z0-9-]/g, '-')}/${file}`, `${JSON.stringify(line)}\n`);
}

test('projects that agents know are added in one click, and a prompt is one keystroke away', async ({ world }) => {
  const [shop, blog] = [world.place.project('shop'), world.place.project('blog')];
  claudeSession(world, shop, 1);
  claudeSession(world, shop, 2);
  claudeSession(world, blog, 3);
  claudeSession(world, join(world.place.root, 'gone'), 4);
  claudeSession(world, world.place.home, 5);
  await world.start({ environment: { PATH: '/usr/bin:/bin' } });
  const window = await world.window();
  await expect(window.id('known-project')).toHaveCount(2);
  await expect(window.page.locator(`[data-testid="known-project"][data-path="${shop}"]`)).toContainText('2 sessions · Claude Code');
  await window.id('add-all').click();
  await expect(window.id('project-toggle')).toHaveCount(2);
  await expect(window.id('session-row')).toHaveCount(3);
  await expect(window.id('start-input')).toBeFocused();
  await startWith(window, 'what is here?');
});

test('adding a project leads straight to a prompt', async ({ world }) => {
  await world.start({ environment: { PATH: '/usr/bin:/bin' } });
  const first = world.place.project('first');
  const second = world.place.directory('second');
  mkdirSync(join(second, 'src'));
  const window = await world.window();
  await window.addProject(first);
  await expect(window.id('start-input')).toBeFocused();
  await startWith(window, 'begin here');
  await window.addProject(second);
  await expect(window.id('empty').getByRole('heading')).toHaveText('Start a session in second');
  await expect(window.id('start-input')).toBeFocused();
  await startWith(window, 'and there');
});

/** Types the first prompt and sends it; the session that answers is shown. */
async function startWith(window: Window, prompt: string): Promise<void> {
  await window.page.keyboard.type(prompt);
  await window.page.keyboard.press('Enter');
  const pane = window.page.locator('[data-testid="pane"].shown');
  await expect(pane.getByTestId('user-row').filter({ hasText: prompt })).toHaveCount(1);
  await expect(pane.getByTestId('agent-row').first()).toBeVisible();
}

test('on a phone, a project can be added without scrolling', async ({ world }) => {
  await world.start({ environment: { PATH: '/usr/bin:/bin' } });
  const window = await world.phone();
  await window.page.setViewportSize({ width: 390, height: 844 });
  await expect(window.id('agents').locator('li').nth(3)).toBeAttached();
  await expect(window.id('welcome-add')).toBeInViewport({ ratio: 1 });
});
