/** Requirement 56 on a telephone: what a finger is meant for is large enough for one. */
import type { Page } from '@playwright/test';
import { clause, expect, type Pane, test } from './harness';

const TOUCHED = 'button, a[href], input, textarea, summary, [role=tab], [role=option], [role^=menuitem], label.choice, .segments span';
/** Links in running text, boxes that nobody can tick, what only keys reach, and switches: there the whole line is touched. */
const EXCEPT = '.markdown a, .markdown input, .skip, .hidden-text, .switch, .choice input';

/** What is too small, by its words. */
function small(page: Page): Promise<string[]> {
  return page.evaluate(([touched, except]) => [...document.querySelectorAll<HTMLElement>(touched)]
    .filter((element) => !element.matches(except) && !element.closest('[inert]') && element.checkVisibility({ visibilityProperty: true }))
    .map((element) => ({ element, box: element.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0 && (box.width < 43.5 || box.height < 43.5))
    .map(({ element, box }) => `${element.className} “${element.ariaLabel ?? element.textContent}” ${Math.round(box.width)}×${Math.round(box.height)}`), [TOUCHED, EXCEPT] as const);
}

async function isLargeEnough(page: Page): Promise<void> {
  await clause('56k', async () => expect(await small(page)).toEqual([]));
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
}

async function openAll(pane: Pane): Promise<void> {
  for (const row of await pane.rows('tool').all()) await row.getByRole('button').first().tap();
  await expect(pane.id('raw-toggle').first()).toBeVisible();
}

test('req 56: on a telephone, lists, transcripts and what is asked in them have room for a finger', async ({ world }) => {
  await world.start();
  const project = world.place.project();
  await world.server.addProject(project);
  const id = await world.server.createSession(project);
  for (const scene of ['/diff', '/run', '/fail', '/markdown']) await world.server.turn(id, scene);
  const window = await world.phone();
  const { page } = window;
  await isLargeEnough(page);
  await window.id('drawer').tap();
  await expect(window.listed(id)).toBeInViewport();
  await isLargeEnough(page);
  await window.listed(id).getByRole('button').first().tap();
  const pane = window.pane(id);
  await expect(pane.id('code-block').last()).toBeVisible();
  await isLargeEnough(page);
  await pane.id('transcript').evaluate((element) => element.scrollTo({ top: 0 }));
  await expect(pane.rows('tool').first()).toBeInViewport();
  await openAll(pane);
  await isLargeEnough(page);
  await pane.send('/permission');
  await expect(pane.id('approval')).toBeVisible();
  await pane.send('later');
  await expect(pane.id('queue')).toBeVisible();
  await isLargeEnough(page);
  await page.setViewportSize({ width: 390, height: 480 });
  await expect(pane.id('composer')).toBeInViewport({ ratio: 1 });
  await expect(pane.id('approval')).toBeInViewport({ ratio: 1 });
  await pane.root.locator('[data-option="reject-once"]').scrollIntoViewIfNeeded();
  await expect(pane.root.locator('[data-option="reject-once"]')).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 390, height: 780 });
  await pane.id('pane-menu').tap();
  await expect(page.getByRole('menuitem').first()).toBeVisible();
  await isLargeEnough(page);
  await page.getByRole('menuitem', { name: 'Find in session' }).tap();
  await expect(pane.id('find-bar')).toBeVisible();
  await isLargeEnough(page);
});

test('req 56: on a telephone, so have dialogs', async ({ world }) => {
  await world.start();
  await world.server.addProject(world.place.project());
  const window = await world.phone();
  const { page } = window;
  for (const [name, dialog] of [['Settings', 'settings-dialog'], ['Keyboard shortcuts', 'help-dialog'], ['Add project', 'add-project-dialog'], ['Archived sessions', 'archive-dialog']] as const) {
    await page.keyboard.press('Control+k');
    await window.id('palette-input').fill(name);
    await expect(window.id('palette-entry').first()).toContainText(name);
    await isLargeEnough(page);
    await page.keyboard.press('Enter');
    await expect(window.id(dialog)).toBeVisible();
    await isLargeEnough(page);
    await page.keyboard.press('Escape');
  }
});
