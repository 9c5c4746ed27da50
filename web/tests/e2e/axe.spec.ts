/** Requirement 56: no serious fault on any of the screens, in both colours. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { clause, expect, test, type Window } from './harness';
import { demoWorld } from './demo-world';

async function isAccessible(page: Page): Promise<void> {
  // Colours are judged when nothing fades any more.
  await page.evaluate(() => Promise.all(document.getAnimations().filter((animation) => animation.effect?.getComputedTiming().iterations !== Infinity).map((animation) => animation.finished)));
  // Both packages bring types of their own for the same page.
  const given = { page } as unknown as ConstructorParameters<typeof AxeBuilder>[0];
  const { violations } = await new AxeBuilder(given).analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  await clause('56a', () => expect(serious.map(({ id, nodes }) => ({ id, nodes: nodes.map((node) => `${node.target.join(' ')}: ${node.failureSummary ?? ''}`) }))).toEqual([]));
}

async function openOverlay(window: Window, name: string): Promise<void> {
  await window.page.keyboard.press('Control+k');
  await window.id('palette-input').fill(name);
  await window.page.keyboard.press('Enter');
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`req 56: welcome and sign-in, ${colorScheme}`, async ({ world, browser }) => {
    await world.start();
    const { page, ...window } = await world.window();
    await page.emulateMedia({ colorScheme });
    await expect(page.getByTestId('agent').first()).toBeVisible();
    await isAccessible(page);
    expect(window.faults).toEqual([]);
    const context = await browser.newContext({ colorScheme });
    const stranger = await context.newPage();
    await stranger.goto(world.server.url);
    await expect(stranger.getByTestId('sign-in')).toBeVisible();
    await isAccessible(stranger);
    await context.close();
  });

  test(`req 56: transcript with tools and approvals, ${colorScheme}`, async ({ world }) => {
    const { window: { page }, pane } = await demoWorld(world);
    await page.emulateMedia({ colorScheme });
    await pane.turn('/diff');
    await pane.turn('/run');
    await pane.turn('/plan');
    for (const index of [0, 1, 2]) await pane.id('tool-card').nth(index).getByRole('button').first().click();
    await expect(pane.id('output').first()).toBeAttached();
    await isAccessible(page);
    await pane.turn('/markdown');
    await isAccessible(page);
    await pane.send('/permission');
    await expect(pane.id('approval')).toBeVisible();
    await pane.send('later');
    await expect(pane.id('queue')).toBeVisible();
    await isAccessible(page);
    await pane.root.locator('[data-option="reject-once"]').click();
    await pane.isIdle();
    await pane.turn('/fail');
    await isAccessible(page);
  });

  test(`req 56: palette, settings and other dialogs, ${colorScheme}`, async ({ world }) => {
    const { window } = await demoWorld(world);
    const { page } = window;
    await page.emulateMedia({ colorScheme });
    await page.keyboard.press('Control+k');
    await expect(window.id('palette-entry').first()).toBeVisible();
    await isAccessible(page);
    await page.keyboard.press('Escape');
    for (const [name, dialog] of [['Settings', 'settings-dialog'], ['Keyboard shortcuts', 'help-dialog'], ['Add project', 'add-project-dialog'], ['Archived sessions', 'archive-dialog']] as const) {
      await openOverlay(window, name);
      await expect(window.id(dialog)).toBeVisible();
      await isAccessible(page);
      await page.keyboard.press('Escape');
    }
  });

  test(`req 56, 57: phone, ${colorScheme}`, async ({ world }) => {
    const { window, pane } = await demoWorld(world);
    await window.page.emulateMedia({ colorScheme });
    await window.page.setViewportSize({ width: 390, height: 800 });
    await pane.turn('/diff');
    await isAccessible(window.page);
    await window.id('drawer').click();
    await expect(window.id('sidebar')).toBeInViewport();
    await isAccessible(window.page);
  });
}
