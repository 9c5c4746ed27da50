/** Outputs that no page can show at once. */
import type { Locator } from '@playwright/test';
import { clause, expect, HANG, test } from './harness';
import { claudeSession, idOf } from './harness/on-disk';

const CASES: [string, string][] = [
  ['30,000 lines', Array.from({ length: 30_000 }, (_, index) => `line ${index + 1}`).join('\n')],
  ['one line of 5 MB', 'abcdefghij'.repeat(500_000)],
];

for (const [what, output] of CASES) {
  test(`B15 huge output: ${what}`, async ({ world }) => {
    const server = await world.start({ fake: true });
    const project = world.place.project();
    claudeSession(world.place, project, 1, 'print it', output);
    await server.addProject(project);
    const window = await world.window();
    const pane = await window.openSession(`claude-code:${idOf(1, 4)}`);
    await pane.id('tool-card').getByRole('button').first().click();
    await expect(pane.id('output')).toBeVisible();
    expect((await pane.id('output').innerText()).length).toBeLessThan(100_000);
    if (what.startsWith('30')) {
      await clause('31c', () => expect(pane.id('output').locator('.output-line')).toHaveCount(200 + 300));
      await clause('31d', () => expect(pane.id('show-all')).toHaveText(/30,000 lines, \d+ KB/));
    }
    await isResponsive(pane.input);

    await pane.id('output').getByRole('button', { name: 'Copy all output' }).click();
    await expect.poll(() => window.page.evaluate(() => navigator.clipboard.readText().then((text) => text.length))).toBe(output.length);
    await clause('31g', async () => expect(await window.page.evaluate(() => navigator.clipboard.readText()) === output).toBe(true));

    await pane.id('show-all').click();
    const viewer = window.id('viewer');
    await expect(viewer).toBeVisible();
    await viewer.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await clause('31e', () => expect(viewer).toContainText(what.startsWith('30') ? 'line 30000' : 'abcdefghij'));
    await clause('31f', async () => expect(await viewer.evaluate((element) => element.querySelectorAll('*').length)).toBeLessThan(1000));
  });
}

/** A key is answered: the page does not hang. How soon is told by `./x bench web`. */
async function isResponsive(field: Locator): Promise<void> {
  await field.focus();
  await field.evaluate((element) => element.addEventListener('keydown', (event) => {
    requestAnimationFrame(() => Object.assign(element, { took: performance.now() - event.timeStamp }));
  }, { once: true }));
  await field.press('x');
  const took = (): Promise<number | undefined> => field.evaluate((element) => (element as HTMLElement & { took?: number }).took);
  await expect.poll(took).toBeDefined();
  expect(await took()).toBeLessThan(HANG);
}
