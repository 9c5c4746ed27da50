/** Requirements 21 to 42: what a transcript shows. */
import { readFileSync } from 'node:fs';
import { clause, expect, gate, test } from './harness';
import { ableWorld } from './able-world';
import { demoWorld, moreSessions } from './demo-world';

test('req 21, 23: rows and finished blocks keep their elements while the rest streams; no mark-up flashes', async ({ world }) => {
  const { window: { page }, pane } = await demoWorld(world, { pace: 2 });
  await pane.turn('/think');
  await page.evaluate(() => {
    const seen = { removed: [] as string[], flashes: 0 };
    Object.assign(globalThis, { seen });
    for (const row of document.querySelectorAll('[data-testid="row"]')) Object.assign(row, { isMine: true });
    new MutationObserver((changes) => {
      for (const change of changes) {
        for (const node of change.removedNodes) if (node instanceof HTMLElement && node.classList.contains('markdown-part')) seen.removed.push(node.textContent ?? '');
      }
      if ([...document.querySelectorAll('.agent-row .markdown')].some((text) => text.textContent?.includes('**'))) seen.flashes += 1;
    }).observe(document.querySelector('[data-testid="transcript"]') as Node, { childList: true, subtree: true, characterData: true });
  });
  const marked = await pane.rows().count();
  await pane.turn('/words 400');
  const { removed, flashes } = await page.evaluate(() => (globalThis as unknown as { seen: { removed: string[]; flashes: number } }).seen);
  await clause('23a', () => expect(removed).toEqual([]));
  await clause('23c', () => expect(flashes).toBe(0));
  const kept = await pane.rows().evaluateAll((rows) => rows.filter((row) => (row as unknown as { isMine?: boolean }).isMine).length);
  await clause('21b', () => expect(kept).toBe(marked));
  await expect(pane.rows('agent').last().locator('strong').first()).toHaveText('100');
});

test('req 24, 25: code has a language, colours, wrapping and a copy button; links leave safely', async ({ world }) => {
  const { window, pane } = await demoWorld(world);
  await pane.turn('/markdown');
  await pane.id('transcript').evaluate((element) => element.scrollTo({ top: 0 }));
  const block = pane.id('code-block').filter({ hasText: 'Greets somebody' }).first();
  await clause('24a', () => expect(block.locator('.code-language')).toHaveText('rust'));
  await clause('24e', () => expect(block.locator('code span').first()).toBeAttached());
  const copy = block.getByRole('button', { name: 'Copy code' });
  await copy.focus();
  await window.page.keyboard.press('Enter');
  await clause('24c', () => expect(window.id('announcer')).toHaveText('Copied'));
  await clause('24b', async () => expect(await window.page.evaluate(() => navigator.clipboard.readText())).toContain('fn greet(name: &str)'));
  await block.getByRole('button', { name: 'Wrap long lines' }).click();
  await clause('24d', () => expect(block).toHaveClass(/wrap/));
  const link = pane.root.getByRole('link', { name: 'link' });
  await clause('25a', () => expect(link).toHaveAttribute('rel', 'noopener noreferrer'));
  await expect(link).toHaveAttribute('target', '_blank');
});

test('req 25, 57: a wide table is scrolled, not broken into letters; words from right to left begin at the right', async ({ world }) => {
  const { window: { page }, pane } = await ableWorld(world);
  await page.setViewportSize({ width: 390, height: 800 });
  await pane.turn('wide');
  const table = pane.root.locator('.markdown table');
  expect(await table.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true);
  const heights = await table.locator('th').evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().height));
  expect(Math.max(...heights)).toBeLessThan(50);
  await clause('57b', async () => expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390));
  const arabic = await pane.root.locator('.markdown p', { hasText: 'مرحبا' }).evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return { box: element.getBoundingClientRect().right, words: range.getBoundingClientRect().right };
  });
  expect(arabic.box - arabic.words).toBeLessThan(4);
});

test('req 24: code of more than 2,000 lines is shown without colours', async ({ world }) => {
  const { pane } = await ableWorld(world);
  // What was asked is soon far above, where no row has an element.
  await pane.send('code');
  const long = pane.id('code-block').filter({ hasText: 'long2500' });
  await expect(long).toHaveCount(1);
  await pane.isIdle();
  const short = pane.id('code-block').filter({ hasText: 'short20' });
  await pane.id('transcript').evaluate((element) => element.scrollTo({ top: 0 }));
  await expect(short.locator('code span').first()).toBeAttached();
  await clause('24g', () => expect(long.locator('code span')).toHaveCount(0));
});

test('req 22: the first words are there at once, long before the turn ends', async ({ world }) => {
  const { window: { page }, pane } = await ableWorld(world);
  await page.evaluate(() => {
    const delays = new Map<string, number>();
    Object.assign(globalThis, { delays });
    new MutationObserver(() => {
      for (const [said] of document.body.textContent?.matchAll(/(?<=said at )\d{13}/g) ?? []) {
        if (delays.has(said)) continue;
        delays.set(said, Number.NaN);
        requestAnimationFrame(() => setTimeout(() => delays.set(said, Date.now() - Number(said))));
      }
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  const delays = (): Promise<number[]> => page.evaluate(() => [...(globalThis as unknown as { delays: Map<string, number> }).delays.values()]);
  for (let turn = 1; turn <= 5; turn += 1) {
    await pane.send('clock');
    await expect(pane.id('agent-row').filter({ hasText: 'said at' })).toHaveCount(turn);
    await pane.isRunning();
    await expect.poll(async () => (await delays()).filter((delay) => !Number.isNaN(delay)).length).toBe(turn);
    await pane.id('stop').click();
    await pane.isIdle();
  }
  await clause('22a', async () => gate('page', 'first-text', 'ms', await delays()));
});

test('req 26: thinking is closed until it is opened, and stays as the user chose', async ({ world }) => {
  const { id, window, pane } = await demoWorld(world, { pace: 2 });
  await pane.send('/think');
  const first = pane.id('thinking').first();
  await clause('26a', () => expect(first.getByRole('button')).toHaveAttribute('aria-expanded', 'false'));
  await clause('26b', () => expect(first.locator('.preview')).toHaveText(/\S/));
  await first.getByRole('button').click();
  await pane.isIdle();
  await clause('26e', () => expect(first.getByRole('button')).toHaveAttribute('aria-expanded', 'true'));
  await clause('26c', () => expect(first).toContainText(/Thought for/));
  await expect(pane.id('thinking').nth(1).getByRole('button')).toHaveAttribute('aria-expanded', 'true');
  await window.page.reload();
  await clause('26d', () => expect(window.pane(id).id('thinking').first().getByRole('button')).toHaveAttribute('aria-expanded', 'true'));
});

test('req 27, 28, 29, 31: a command is running until its result is there; its card tells what, how and how it ended', async ({ world }) => {
  const { window: { page }, pane } = await demoWorld(world, { pace: 3 });
  await page.evaluate(() => {
    const statuses: string[] = [];
    Object.assign(globalThis, { statuses });
    new MutationObserver(() => {
      const status = document.querySelector<HTMLElement>('[data-testid="tool-card"]')?.dataset['status'];
      if (status && statuses.at(-1) !== status) statuses.push(status);
    }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['data-status'] });
  });
  await pane.turn('/run');
  const card = pane.id('tool-card');
  await clause('27g', () => expect(card).toHaveAttribute('data-status', 'error'));
  await expect(card).toHaveAttribute('data-kind', 'execute');
  const statuses = await page.evaluate(() => (globalThis as unknown as { statuses: string[] }).statuses);
  await clause('27e', () => expect(statuses[0]).toBe('running'));
  await clause('29a', () => expect(statuses).toEqual(['running', 'error']));
  await clause('27b', () => expect(card.getByRole('button').first()).toContainText(/Run\s*cargo test --test greeting/));
  await expect(card.locator('.tool-body')).toHaveCount(0);
  await card.getByRole('button').first().click();
  await clause('28a', () => expect(card.locator('.command-line pre')).toHaveText('cargo test --test greeting'));
  await clause('31a', async () => {
    expect(await card.locator('.output-line span[class]').count()).toBeGreaterThan(0);
    await expect(card.getByTestId('output')).not.toContainText('\u001b');
  });
  await expect(card.getByTestId('raw-input')).toHaveCount(0);
  await card.getByTestId('raw-toggle').click();
  await clause('28b', () => expect(card.getByTestId('raw-input')).toContainText('"command": "cargo test --test greeting"'));
  await clause('31b', () => expect(card.getByTestId('exit-code')).toHaveText(/exit [1-9]/));
  await clause('27a', () => expect(card.getByRole('button').first().locator('svg')).not.toHaveCount(0));
});

test('req 30: changes have counts, numbers, marks within lines, and two forms', async ({ world }) => {
  const { window, pane } = await demoWorld(world);
  await pane.turn('/diff');
  const [edit, added] = [pane.id('tool-card').nth(0), pane.id('tool-card').nth(1)];
  await edit.getByRole('button').first().click();
  const diff = edit.getByTestId('diff');
  await clause('30a', () => expect(diff).toHaveAttribute('data-mode', 'unified'));
  await clause('30f', () => expect(diff.locator('figcaption')).toContainText('demo/src/greeting.rs'));
  await clause('30d', async () => {
    await expect(diff.locator('.added')).toHaveText(/^\+[1-9]/);
    await expect(diff.locator('.removed')).toHaveText(/^−[1-9]/);
  });
  await clause('30c', () => expect(diff.locator('tr[data-change="remove"] .number').first()).toHaveText(/\d/));
  await clause('30e', async () => expect(await diff.locator('mark').count()).toBeGreaterThan(0));
  await diff.getByTestId('diff-mode').click();
  await clause('30b', async () => {
    await expect(diff).toHaveAttribute('data-mode', 'split');
    await expect(diff.locator('table.split')).not.toHaveCount(0);
  });
  await window.page.reload();
  await pane.id('tool-card').nth(1).getByRole('button').first().click();
  await expect(added.getByTestId('diff')).toHaveAttribute('data-mode', 'split');
  await expect(added.getByTestId('diff')).toContainText('new');
});

test('req 30: more than 500 changed lines are closed by hunk', async ({ world }) => {
  const { pane } = await ableWorld(world);
  await pane.turn('change');
  await pane.id('tool-card').getByRole('button').first().click();
  const diff = pane.id('diff');
  await expect(diff.locator('.added')).toHaveText('+294');
  const heads = diff.locator('.hunk-head');
  await clause('30h', async () => {
    await expect(heads.first()).toHaveAttribute('aria-expanded', 'false');
    await expect(diff.locator('tr')).toHaveCount(0);
  });
  await heads.first().click();
  await expect(diff.locator('tr').first()).toBeVisible();
});

test('req 30, 37: what is pressed stays under the pointer until the click, however much comes meanwhile', async ({ world }) => {
  const { window: { page }, pane } = await demoWorld(world, { pace: 2 });
  await page.setViewportSize({ width: 1280, height: 500 });
  await pane.send('/tools 1000');
  await expect(pane.id('jump-latest')).toHaveCount(0);
  await expect(pane.id('tool-card').nth(30)).toBeAttached();
  // Rows pass by below the pointer: the one that is there when it is pressed is the one that is meant.
  await page.evaluate(() => addEventListener('mousedown', (event) => {
    Object.assign(globalThis, { pressed: (event.target as Element).closest<HTMLElement>('.row-frame')?.dataset['key'] });
  }, { capture: true }));
  const view = await pane.id('transcript').boundingBox() as { x: number; y: number; width: number; height: number };
  await page.mouse.move(view.x + view.width / 2, view.y + view.height / 2);
  await page.mouse.down();
  const newest = (): Promise<string | null> => pane.rows().last().getAttribute('data-key');
  const before = await newest();
  await expect(async () => expect(await newest()).not.toBe(before)).toPass();
  await page.mouse.up();
  const key = await page.evaluate(() => (globalThis as { pressed?: string }).pressed) as string;
  await expect(pane.root.locator(`[data-key="${key}"]`).getByRole('button').first()).toHaveAttribute('aria-expanded', 'true');
  await expect(pane.root.locator(`[data-key="${key}"]`)).toBeInViewport();
  await pane.id('stop').click();
  await pane.isIdle();
});

test('req 32: a plan is one list that progresses, pinned while it runs', async ({ world }) => {
  const { window: { page }, pane } = await demoWorld(world, { pace: 8 });
  await pane.send('/plan');
  const dock = pane.id('plan-dock');
  await clause('32c', () => expect(dock).toBeVisible());
  await dock.getByRole('button').click();
  await clause('32d', () => expect(dock.locator('.task')).toHaveCount(4));
  await page.evaluate(() => Object.assign(document.querySelector('[data-testid="plan-row"]') as Element, { isMine: true }));
  await expect(dock.locator('.task[data-status="completed"]')).not.toHaveCount(0);
  await pane.isIdle();
  await clause('32c', () => expect(dock).toHaveCount(0));
  await expect(pane.id('plan-row')).toHaveCount(1);
  await clause('32a', () => expect(pane.id('plan-row').locator('.task[data-status="completed"]')).toHaveCount(4));
  await clause('32b', async () => expect(await page.evaluate(() => (document.querySelector('[data-testid="plan-row"]') as unknown as { isMine?: boolean }).isMine)).toBe(true));
});

test('req 34: three tools that only read are one line', async ({ world }) => {
  const { pane } = await demoWorld(world);
  await pane.turn('/research');
  const fold = pane.id('fold');
  await clause('34a', async () => {
    await expect(fold).toHaveCount(1);
    await expect(pane.id('tool-card')).toHaveCount(0);
  });
  await clause('34b', () => expect(fold).toHaveText(/[A-Z]\w+ .*\d+ /));
  await fold.getByRole('button').click();
  await clause('34c', () => expect(fold.getByTestId('tool-card')).toHaveCount(3));
  await clause('27l', () => expect(fold.locator('.tool-body')).toHaveCount(0));
  await fold.getByTestId('tool-card').first().getByRole('button').first().click();
  await clause('27l', () => expect(fold.locator('.tool-body')).toHaveCount(1));
});

test('req 35: what the user said is shown as it was typed, with its time, and can be sent again', async ({ world }) => {
  const { pane } = await demoWorld(world);
  const typed = 'think  twice\n\n  * not a list\n<b>not bold</b> ` \\n';
  await pane.send(typed);
  await pane.isIdle();
  const row = pane.id('user-row');
  await clause('35a', async () => expect(await row.locator('.user-bubble').textContent()).toBe(typed));
  await expect(row.locator('.user-bubble')).toHaveCSS('white-space', /pre/);
  await clause('35c', () => expect(row).toHaveAttribute('title', /\d/));
  await row.hover();
  await row.getByRole('button', { name: 'Edit and send again' }).click();
  await clause('35g', () => expect(pane.input).toHaveValue(typed));
  await expect(pane.input).toBeFocused();
});

test('req 36: a failed turn has its code, its reason and a retry; a good one tells its use', async ({ world }) => {
  const { pane } = await demoWorld(world);
  await pane.turn('/think');
  await clause('36e', () => expect(pane.id('turn-end')).toHaveText(/\d+ tokens? in · \d+ out/));
  await pane.send('/fail');
  await clause('36b', () => expect(pane.id('error-row')).toContainText('overloaded'));
  await expect(pane.id('error-row')).toHaveAttribute('data-code', /\S/);
  await expect(pane.rows('agent').last()).toContainText('fail in the middle of a');
  await pane.id('error-row').getByTestId('retry').click();
  await clause('36d', () => expect(pane.id('error-row')).toHaveCount(2));
});

test('req 37, 38: who reads is left alone, is told of news, and comes back by key or click', async ({ world }) => {
  const { window: { page }, pane } = await demoWorld(world);
  await pane.turn('/words 3000');
  const scroller = pane.id('transcript');
  const top = (): Promise<number> => scroller.evaluate((element) => element.scrollTop);
  const distance = (): Promise<number> => scroller.evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop);
  await clause('37a', async () => {
    await expect.poll(distance).toBeLessThanOrEqual(64);
    await expect(pane.id('jump-latest')).toHaveCount(0);
  });
  await scroller.hover();
  await page.mouse.wheel(0, -900);
  await clause('38a', () => expect(pane.id('jump-latest')).toBeVisible());
  await clause('37b', () => expect.poll(distance).toBeGreaterThan(500));
  const before = await top();
  await world.server.turn(await pane.sessionId(), '/tools 12');
  await clause('38b', () => expect(pane.id('jump-latest')).toHaveText(/\d+ new/));
  await clause('37g', async () => expect(Math.abs(await top() - before)).toBeLessThanOrEqual(2));
  await pane.id('jump-latest').click();
  await clause('38c', async () => {
    await expect.poll(distance).toBeLessThanOrEqual(64);
    await expect(pane.id('jump-latest')).toHaveCount(0);
  });
  await scroller.focus();
  await page.keyboard.press('PageUp');
  await clause('37d', () => expect(pane.id('jump-latest')).toBeVisible());
  // The browser scrolls smoothly, and goes on with it whatever comes meanwhile.
  let last = await top();
  await expect.poll(async () => {
    const before = last;
    last = await top();
    return last === before && await distance() > 64;
  }, { intervals: [250] }).toBe(true);
  await page.keyboard.press('End');
  await clause('38d', () => expect.poll(distance).toBeLessThanOrEqual(64));
});

test('req 39: a session opens at its end, or at the first row that was not seen', async ({ world }) => {
  const { project, id, window, pane } = await demoWorld(world);
  await pane.turn('/words 2000');
  const distance = (): Promise<number> => pane.id('transcript').evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop);
  await window.page.reload();
  await pane.isReady();
  await clause('39a', () => expect.poll(distance).toBeLessThanOrEqual(64));
  const [b] = await moreSessions(world, project, 'b') as [string];
  await window.openSession(b);
  await window.page.locator(`[data-testid="tab"][data-session="${id}"]`).click({ button: 'middle' });
  await world.server.turn(id, 'think of news');
  await world.server.turn(id, '/words 2000');
  await window.openSession(id);
  await clause('39b', () => expect(pane.rows('user').filter({ hasText: 'think of news' })).toBeInViewport());
  await expect(pane.id('jump-latest')).toBeVisible();
});

test('req 39: a session opens at the first row that was not seen also in a page that is loaded anew', async ({ world }) => {
  const { project, id, window, pane } = await demoWorld(world);
  await pane.turn('/words 500');
  const [b] = await moreSessions(world, project, 'b') as [string];
  await window.openSession(b);
  await window.page.locator(`[data-testid="tab"][data-session="${id}"]`).click({ button: 'middle' });
  await world.server.turn(id, 'think of news');
  await world.server.turn(id, '/words 2000');
  await window.page.reload();
  await window.openSession(id);
  await expect(pane.rows('user').filter({ hasText: 'think of news' })).toBeInViewport();
});

test('req 39: older rows come in front without moving what is read', async ({ world }) => {
  const { id, window, pane } = await demoWorld(world);
  await world.server.turn(id, '/tools 400');
  await window.page.reload();
  await pane.isReady();
  const scroller = pane.id('transcript');
  await scroller.hover();
  const height = (): Promise<number> => scroller.evaluate((element) => element.scrollHeight);
  const whole = await height();
  await scroller.evaluate((element) => element.scrollTo({ top: 0 }));
  await expect.poll(height).toBeGreaterThan(whole);
  // Not thrown to the new beginning: that row would be the user's.
  await clause('39c', () => expect(pane.rows('user').first()).not.toBeInViewport());
});

test('req 41: find in session counts, steps and shows', async ({ world }) => {
  const { window, pane } = await demoWorld(world);
  await pane.turn('/think');
  await pane.turn('/words 2000');
  await window.page.keyboard.press('Control+f');
  await clause('41a', () => expect(pane.id('find-bar')).toBeVisible());
  await pane.id('find-bar').getByRole('searchbox').fill('demo');
  await clause('41c', () => expect(pane.id('find-count')).toHaveText(/1 of [2-9]/));
  await window.page.keyboard.press('Enter');
  await clause('41d', async () => {
    await expect(pane.id('find-count')).toHaveText(/2 of/);
    await window.page.keyboard.press('Shift+Enter');
    await expect(pane.id('find-count')).toHaveText(/1 of/);
  });
  await clause('41f', () => expect(pane.root.locator('.row-frame.is-target')).toBeInViewport());
  // Rows that are made anew are marked, too.
  const marked = (): Promise<number> => window.page.evaluate(() => [...CSS.highlights.get('find') ?? []].filter((range) => range.startContainer.isConnected).length);
  await expect.poll(marked).toBeGreaterThan(0);
  await pane.id('transcript').evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
  await expect(pane.rows('thinking')).toHaveCount(0);
  await pane.id('transcript').evaluate((element) => element.scrollTo({ top: 0 }));
  await expect(pane.rows('thinking').first()).toBeInViewport();
  await clause('41e', () => expect.poll(marked).toBeGreaterThan(1));
  await window.page.keyboard.press('Escape');
  await expect(pane.id('find-bar')).toHaveCount(0);
});

test('req 42: a message, a turn and the whole session can be taken along', async ({ world }) => {
  const { window: { page }, pane } = await demoWorld(world);
  await pane.turn('/think');
  const choose = async (name: string): Promise<void> => {
    await pane.id('pane-menu').click();
    await page.getByRole('menuitem', { name }).click();
  };
  const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
  await pane.rows('agent').last().hover();
  await pane.rows('agent').last().getByRole('button', { name: 'Copy as Markdown' }).click();
  await clause('42a', () => expect.poll(clipboard).toMatch(/^The option \*Thinking\*|\*Thinking\*/));
  await choose('Copy last turn');
  await clause('42b', () => expect.poll(clipboard).toMatch(/^> \/think[^]*scripted, like this answer/));
  await choose('Copy session as Markdown');
  await expect.poll(clipboard).toContain('One more thought');
  for (const [id, name, wanted] of [['42c', 'Export Markdown', 'The option *Thinking*'], ['42d', 'Export JSON', '"The option *Thinking*']] as const) {
    const file = page.waitForEvent('download');
    await choose(name);
    await clause(id, async () => expect(readFileSync(await (await file).path(), 'utf8')).toContain(wanted));
  }
});
