/** Requirements 43 to 53: writing, stopping, answering. */
import { resolve } from 'node:path';
import { clause, expect, test, until } from './harness';
import { ableWorld } from './able-world';
import { demoWorld, moreSessions } from './demo-world';
import { withFakeAgent } from './fake-world';

test('req 43: Enter sends and Shift+Enter does not; that can be swapped; a composition never sends', async ({ world }) => {
  const { window, pane } = await demoWorld(world);
  const { page } = window;
  await pane.input.click();
  await page.keyboard.type('think one');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('two');
  await clause('43b', () => expect(pane.input).toHaveValue('think one\ntwo'));
  await pane.input.evaluate((field) => {
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }));
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true }));
  });
  await clause('43d', () => expect(pane.input).toHaveValue('think one\ntwo'));
  await page.keyboard.press('Enter');
  await expect(pane.input).toHaveValue('');
  await clause('43a', () => expect(pane.rows('user')).toHaveCount(1));
  await pane.isIdle();
  await page.keyboard.press('Control+k');
  await window.id('palette-input').fill('Settings');
  await page.keyboard.press('Enter');
  await window.id('settings-dialog').getByText('Ctrl Enter').click();
  await page.keyboard.press('Escape');
  await pane.input.click();
  await page.keyboard.type('think three');
  await page.keyboard.press('Enter');
  await clause('43c', async () => {
    await expect(pane.input).toHaveValue('think three\n');
    await page.keyboard.press('Control+Enter');
    await expect(pane.rows('user')).toHaveCount(2);
  });
});

test('req 44: the field grows to twelve lines, and a draft outlives a switch and a reload', async ({ world }) => {
  const { project, id, window, pane } = await demoWorld(world);
  const height = async (): Promise<number> => (await pane.input.boundingBox())?.height ?? 0;
  const one = await height();
  await pane.input.fill('a\nb\nc');
  await clause('44a', () => expect.poll(height).toBeGreaterThan(one));
  await pane.input.fill(Array.from({ length: 12 }, () => 'x').join('\n'));
  await expect.poll(height).toBeGreaterThan(one * 4);
  const most = await height();
  await pane.input.fill(Array.from({ length: 60 }, () => 'x').join('\n'));
  await clause('44b', () => expect.poll(height).toBeLessThanOrEqual(most + 4));
  await pane.input.fill('a draft\nof two lines');
  await world.server.turn(id, '/think');
  await clause('44j', () => expect(pane.input).toHaveValue('a draft\nof two lines'));
  const [b] = await moreSessions(world, project, 'b') as [string];
  await window.openSession(b);
  await clause('44c', () => expect(window.pane(b).input).toHaveValue(''));
  await window.openSession(id);
  await clause('44f', () => expect(pane.input).toHaveValue('a draft\nof two lines'));
  await expect.poll(() => window.page.evaluate(() => JSON.stringify(localStorage))).toContain('of two lines');
  await window.page.reload();
  await clause('44e', () => expect(pane.input).toHaveValue('a draft\nof two lines'));
});

test('req 45: an empty field recalls what was said, by the arrow up', async ({ world }) => {
  const { window: { page }, pane } = await demoWorld(world);
  await pane.turn('think first');
  await pane.turn('think second');
  await pane.input.click();
  await page.keyboard.press('ArrowUp');
  await clause('45a', () => expect(pane.input).toHaveValue('think second'));
  await page.keyboard.press('ArrowUp');
  await clause('45a', () => expect(pane.input).toHaveValue('think first'));
  await page.keyboard.press('ArrowDown');
  await expect(pane.input).toHaveValue('think second');
});

test('req 46: messages wait in a queue that can be edited, ordered, emptied, and hurried', async ({ world }) => {
  const { id, window, pane } = await demoWorld(world);
  await pane.send('/hang');
  await pane.isRunning();
  for (const text of ['think one', 'think two', 'think three']) {
    await pane.input.fill(text);
    await window.page.keyboard.press('Enter');
    await clause('46a', () => expect(pane.id('queue-entry').filter({ hasText: text })).toHaveCount(1));
  }
  const entry = (index: number) => pane.id('queue-entry').nth(index);
  await entry(2).getByTestId('queue-up').click();
  await clause('46d', () => expect(pane.id('queue-entry')).toHaveText([/one/, /three/, /two/]));
  await entry(0).getByTestId('queue-remove').click();
  await clause('46c', () => expect(pane.id('queue-entry')).toHaveText([/three/, /two/]));
  await entry(1).getByTestId('queue-edit').click();
  await pane.root.getByRole('textbox', { name: 'Queued message' }).fill('think two, edited');
  await window.page.keyboard.press('Enter');
  await clause('46b', () => expect(entry(1)).toHaveText(/edited/));
  await window.page.reload();
  await clause('46g', () => expect(pane.id('queue-entry')).toHaveText([/three/, /edited/]));
  await entry(1).getByTestId('queue-now').click();
  await pane.isIdle();
  await expect(pane.id('queue-entry')).toHaveCount(0);
  const said = (await world.server.history(id)).flatMap((item) => (item.type === 'message' && item.origin === 'user' ? [item.content] : []));
  await clause('46e', () => expect(said).toEqual(['/hang', 'think two, edited', 'think three']));
});

test('req 47: Stop is there after a reload, and Escape twice stops', async ({ world }) => {
  const { window: { page }, pane } = await demoWorld(world);
  await pane.send('/hang');
  await pane.isRunning();
  await clause('47a', () => expect(pane.id('stop')).toBeVisible());
  await page.reload();
  await clause('47b', async () => {
    await pane.id('stop').click();
    await pane.isIdle();
  });
  await clause('47a', () => expect(pane.id('stop')).toHaveCount(0));
  await pane.send('/hang');
  await pane.isRunning();
  await pane.input.focus();
  // Two presses are one wish only if they follow each other quickly, which a busy machine may not manage.
  await expect(async () => {
    await page.keyboard.press('Escape');
    await expect(pane.root.getByText('Esc again to stop')).toBeVisible({ timeout: 500 });
    await page.keyboard.press('Escape');
    await expect(pane.root).toHaveAttribute('data-state', 'idle', { timeout: 2000 });
  }).toPass();
  await pane.isIdle();
  await clause('47c', () => expect(pane.rows('turn-end').last()).toContainText('Stopped'));
});

test('req 47: an agent that does not stop is ended, and the session goes on', async ({ world }) => {
  const { window, sessionId } = await withFakeAgent(world);
  const pane = await window.openSession(sessionId);
  await pane.send('!open 3 !hang');
  await expect(pane.id('agent-row')).toContainText('s1');
  await pane.id('stop').click();
  await clause('47d', () => expect(pane.id('stop')).toHaveText(/stopping…/));
  await expect(pane.id('stop')).toHaveCount(0);
  await clause('47e', () => expect(pane.id('agent-failure')).toContainText(/did not stop/));
  await pane.turn('!say 2');
  await expect(pane.id('agent-row').last()).toContainText('s1 s2');
});

test('req 27, 48: an approval shows what is asked with the agent\'s own options; a key answers inside the dock, a closed tab does not', async ({ world }) => {
  const { id, window, pane } = await demoWorld(world);
  await pane.send('/permission');
  const dock = pane.id('approval');
  await clause('48b', () => expect(dock).toContainText('rm -r demo/build'));
  await clause('48d', () => expect(dock.getByTestId('approval-option')).toHaveText([/1\s*Allow once/, /2\s*Allow always/, /3\s*Reject/]));
  await expect(dock.locator(':focus')).toHaveCount(0);
  await clause('27d', () => expect(pane.id('tool-card')).toHaveAttribute('data-status', 'needs-approval'));
  await window.id('tab-frame').hover();
  await window.id('tab-close').click();
  await expect(window.id('empty')).toBeVisible();
  await clause('48l', async () => expect((await world.server.status(id)).state).toBe('waiting'));
  await window.openSession(id);
  await expect(dock).toHaveAttribute('data-armed', 'true');
  await window.page.keyboard.press('1');
  await expect(dock).toBeVisible();
  await pane.input.fill('');
  await window.page.keyboard.press('Shift+Tab');
  await expect(dock.locator('[data-option="reject-once"]')).toBeFocused();
  await expect(dock).toHaveAttribute('data-armed', 'true');
  await window.page.keyboard.press('1');
  await expect(dock).toHaveCount(0);
  await pane.isIdle();
  await clause('48f', () => expect(pane.rows('agent').last()).toContainText('It was allowed'));
  await expect(pane.id('permission-row')).toHaveAttribute('data-outcome', 'allowed');
  await expect(pane.id('permission-row')).toContainText('rm -r demo/build');
});

test('req 48: no key answers while one writes', async ({ world }) => {
  const { pane } = await demoWorld(world);
  await pane.send('/permission');
  await expect(pane.id('approval')).toBeVisible();
  await pane.input.click();
  await pane.input.pressSequentially('123');
  await expect(pane.input).toHaveValue('123');
  await clause('48g', () => expect(pane.id('approval')).toBeVisible());
});

test('req 49: questions are there again after a reload; choices and own words go as one answer', async ({ world }) => {
  const agent = resolve(import.meta.dirname, 'hostile-agent.mjs');
  await world.start({ config: `[agents.asking]\ncommand = "node"\nargs = ["${agent}"]\n` });
  const project = world.place.project();
  await world.server.addProject(project);
  const id = await world.server.createSession(project, 'asking');
  const window = await world.window();
  const pane = await window.openSession(id);
  await pane.send('form');
  await expect(pane.id('question')).toHaveCount(3);
  await window.page.reload();
  await clause('49e', () => expect(pane.id('question')).toHaveCount(3));
  await pane.id('answer').click();
  await expect(pane.id('questions').getByRole('alert')).toHaveText('Answer every question to continue');
  const [blue, red] = [pane.id('questions').getByRole('radio', { name: 'Blue' }), pane.id('questions').getByRole('radio', { name: 'Red' })];
  await red.check();
  await blue.check();
  await clause('49a', () => expect(red).not.toBeChecked());
  await pane.id('questions').getByRole('checkbox', { name: 'Small' }).check();
  await pane.id('questions').getByRole('checkbox', { name: 'Large' }).check();
  for (const size of ['Small', 'Large']) await clause('49b', () => expect(pane.id('questions').getByRole('checkbox', { name: size })).toBeChecked());
  const words = pane.id('question').filter({ hasText: 'Which name?' }).getByTestId('question-words');
  await words.fill('Ada');
  await clause('49c', () => expect(words).toHaveValue('Ada'));
  await pane.id('answer').click();
  await expect(pane.id('questions')).toHaveCount(0);
  await pane.isIdle();
  const told = await pane.rows('agent').last().locator('code').textContent();
  await clause('49d', () => expect(JSON.parse(told ?? '')).toEqual({ action: 'accept', content: { colour: 'b', sizes: ['s', 'l'], name: 'Ada' } }));
});

test('req 50: a slash offers commands and an at-sign files; Escape leaves the text, Enter sends what is typed to its end', async ({ world }) => {
  const { window, pane } = await demoWorld(world);
  world.place.write('project/src/needle.ts', 'x');
  const { page } = window;
  await clause('50c', () => expect(pane.input).toHaveRole('combobox'));
  await pane.input.click();
  await page.keyboard.type('/ma');
  await clause('50a', () => expect(window.id('suggestion').first()).toContainText('/markdown'));
  await expect(pane.input).toHaveAttribute('aria-expanded', 'true');
  const active = await pane.input.getAttribute('aria-activedescendant') ?? '';
  await clause('50c', () => expect(page.locator(`[id="${active}"]`)).toHaveAttribute('aria-selected', 'true'));
  await page.keyboard.press('Escape');
  await clause('50d', async () => {
    await expect(window.id('suggestion')).toHaveCount(0);
    await expect(pane.input).toHaveValue('/ma');
  });
  await pane.input.fill('');
  await page.keyboard.type('/think');
  await expect(window.id('suggestion').first()).toContainText('/think');
  await page.keyboard.press('Enter');
  await expect(pane.rows('user')).toHaveText([/\/think/]);
  await pane.isIdle();
  await page.keyboard.type('look at @ndl');
  await clause('50b', () => expect(window.id('suggestion').first()).toContainText('needle.ts'));
  await page.keyboard.press('Enter');
  await expect(pane.input).toHaveValue('look at @src/needle.ts ');
});

test('req 52: menus show the value in force and change it', async ({ world }) => {
  const { id, window, pane } = await demoWorld(world);
  await pane.turn('/think');
  const menu = pane.id('setting-model');
  await clause('52a', () => expect(menu).toHaveAccessibleName(/fast/i));
  await menu.click();
  await window.page.getByRole('menuitemradio', { name: /slow/i }).click();
  await clause('52d', () => expect(menu).toHaveAccessibleName(/slow/i));
  await until('the agent took it', async () => JSON.stringify((await world.server.status(id)).agent).includes('"current":"demo-slow"'));
});

test('req 52: a choice that the agent refuses is told, and the value in force stays', async ({ world }) => {
  const { window, pane } = await ableWorld(world);
  const menu = pane.id('setting-mode');
  await clause('52b', () => expect(menu).toHaveAccessibleName(/Careful/));
  await menu.click();
  window.expectFaults(/400/);
  await window.page.getByRole('menuitemradio', { name: 'Bold' }).click();
  await clause('52f', () => expect(window.id('toasts').getByRole('alert')).toContainText(/boldness is not for this account/i));
  await clause('52e', () => expect(menu).toHaveAccessibleName(/Careful/));
});

test('req 53: a context that is nearly full says so, and offers what helps', async ({ world }) => {
  const { window, pane } = await ableWorld(world);
  await pane.turn('full');
  const meter = pane.id('context-meter');
  await expect(meter).toHaveText('90% full');
  await clause('53b', () => expect(meter).toHaveClass(/full/));
  await meter.click();
  await clause('53a', () => expect(window.page.getByText('180K of 200K tokens are used')).toBeVisible());
  await clause('53d', () => expect(window.page.getByRole('menuitem', { name: 'Continue in a new session' })).toBeVisible());
  await window.page.getByRole('menuitem', { name: 'Compact the conversation' }).click();
  await clause('53c', () => expect(pane.rows('user').last()).toHaveText(/^\/compact/));
});

test('req 53: the context meter tells how much is used', async ({ world }) => {
  const { window, pane } = await demoWorld(world);
  await pane.turn('/think');
  await pane.id('context-meter').click();
  await expect(window.page.getByText(/of .* tokens are used/)).toBeVisible();
  await expect(window.page.getByRole('menuitem', { name: 'Continue in a new session' })).toBeVisible();
});
