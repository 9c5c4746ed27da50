/** How states that come one after another become rows. */
import { clause, expect, test, type Pane, type World } from './harness';

async function open(world: World, agent: 'demo' | 'claude-code', pace = 0): Promise<Pane> {
  const server = await world.start({ fake: agent === 'claude-code', pace });
  const project = world.place.project();
  await server.addProject(project);
  const sessionId = await server.createSession(project, agent);
  return (await world.window()).openSession(sessionId);
}

test('TC-7.2a a message grows in place with what came so far', async ({ world }) => {
  const pane = await open(world, 'demo', 10);
  await pane.page.evaluate(() => {
    const seen = new Map<Element, string[]>();
    Object.assign(globalThis, { seen });
    new MutationObserver(() => {
      for (const row of document.querySelectorAll('[data-testid="agent-row"] .markdown')) {
        const texts = seen.get(row) ?? [];
        const text = (row.textContent ?? '').trimEnd();
        if (texts.at(-1) !== text) seen.set(row, [...texts, text]);
      }
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  });
  await pane.turn('/words 150');
  const seen = await pane.page.evaluate(() => [...(globalThis as unknown as { seen: Map<Element, string[]> }).seen.values()]);
  const longest = seen.toSorted((one, other) => other.length - one.length)[0] ?? [];
  expect(longest.length).toBeGreaterThan(2);
  longest.forEach((text, index) => expect(text.startsWith(longest[index - 1] ?? '')).toBe(true));
  expect(longest.at(-1)).toBe((await pane.id('agent-row').last().locator('.markdown').textContent())?.trimEnd());
});

test('TC-7.2b a call shows what is asked, then what came of it', async ({ world }) => {
  const pane = await open(world, 'claude-code');
  await pane.send('!perm touch proof');
  const card = pane.id('tool-card');
  await expect(card).toHaveAttribute('data-status', 'needs-approval');
  await expect(card).toContainText('touch proof');
  await card.evaluate((element) => Object.assign(element, { isMarked: true }));
  await pane.root.locator('[data-testid="approval-option"][data-kind="allow_once"]').click();
  await clause('27f', () => expect(card).toHaveAttribute('data-status', 'ok'));
  expect(await card.evaluate((element) => 'isMarked' in element)).toBe(true);
  await card.getByRole('button').first().click();
  await expect(card.getByTestId('output')).toContainText('allow: touch proof');
});

test('TC-7.2c items that come interleaved change nothing of each other', async ({ world }) => {
  const pane = await open(world, 'claude-code');
  await pane.send('!say 3 !call Bash {"command":"first"} !say 2 !perm second');
  const [first, second] = [pane.id('tool-card').filter({ hasText: 'first' }), pane.id('tool-card').filter({ hasText: 'second' })];
  await expect(second).toHaveAttribute('data-status', 'needs-approval');
  await expect(first).toHaveAttribute('data-status', 'running');
  const texts = pane.id('agent-row').locator('.markdown');
  await expect(texts).toHaveCount(2);
  await pane.root.locator('[data-testid="row"]').evaluateAll((rows) => rows.forEach((row, index) => Object.assign(row, { mark: index })));
  const before = await texts.allInnerTexts();
  await pane.root.locator('[data-testid="approval-option"][data-kind="allow_once"]').click();
  await expect(second).toHaveAttribute('data-status', 'ok');
  await pane.isIdle();
  expect(await texts.allInnerTexts()).toEqual(before);
  const marks = await pane.rows().evaluateAll((rows) => rows.flatMap((row) => ('mark' in row ? [row.mark] : [])));
  expect(marks).toEqual(marks.map((_, index) => index));
  expect(marks.length).toBeGreaterThanOrEqual(5);
});
