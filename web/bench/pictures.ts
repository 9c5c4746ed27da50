/** The pictures of the README, of the real page with the demo agent. */
import { resolve } from 'node:path';
import { demoWorld, moreSessions, type DemoWorld } from '../tests/e2e/demo-world';
import { test, expect, type World } from '../tests/e2e/harness';

const images = resolve(import.meta.dirname, '../../docs/images');

async function scene(world: World, colorScheme: 'light' | 'dark'): Promise<DemoWorld> {
  const found = await demoWorld(world, {}, 'shop');
  await moreSessions(world, found.project, 'Write the release notes', 'Why is the build slow?');
  await world.server.json('POST', `/api/session/${encodeURIComponent(found.id)}/title`, { title: 'Greet people without a name' });
  await found.window.page.emulateMedia({ colorScheme });
  return found;
}

test('a transcript', async ({ world }) => {
  const { window: { page }, pane } = await scene(world, 'dark');
  await page.setViewportSize({ width: 1280, height: 1120 });
  await pane.send('/tour');
  await pane.root.locator('[data-option="reject-once"]').click();
  await pane.isIdle();
  const [edit, run] = [pane.id('tool-card').nth(2), pane.id('tool-card').nth(3)];
  await run.getByRole('button').first().click();
  await edit.getByRole('button').first().click();
  await expect(pane.id('output')).toBeVisible();
  await edit.evaluate((card) => card.scrollIntoView({ block: 'start' }));
  await expect(pane.id('diff').first()).toBeInViewport();
  await page.screenshot({ animations: 'disabled', path: `${images}/transcript-dark.png` });
});

test('an approval', async ({ world }) => {
  const { window: { page }, pane } = await scene(world, 'light');
  await page.setViewportSize({ width: 1280, height: 720 });
  await pane.send('/tour');
  await expect(pane.id('approval')).toHaveAttribute('data-armed', 'true');
  await page.screenshot({ animations: 'disabled', path: `${images}/approval-light.png` });
});

test('a phone', async ({ world }) => {
  const { window: { page }, pane } = await scene(world, 'dark');
  await page.setViewportSize({ width: 390, height: 780 });
  await pane.send('/tour');
  await expect(pane.id('approval')).toHaveAttribute('data-armed', 'true');
  await page.screenshot({ animations: 'disabled', path: `${images}/phone.png` });
});
