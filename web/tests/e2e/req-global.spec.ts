/** Requirements 54 to 59: keys, themes, ears, small screens, and what goes wrong. */
import { clause, expect, test } from './harness';
import { demoWorld, moreSessions } from './demo-world';

test('req 54: the palette finds sessions, actions and words; keys without a modifier belong to whoever types', async ({ world }) => {
  const { project, id, window, pane } = await demoWorld(world);
  const { page } = window;
  const [b] = await moreSessions(world, project, 'purple session') as [string];
  await world.server.turn(id, '/think');
  await page.keyboard.press('Control+k');
  await expect(window.id('palette-input')).toBeFocused();
  await window.id('palette-input').fill('purple');
  await clause('54a', () => expect(window.id('palette-entry').first()).toContainText('purple session'));
  await page.keyboard.press('Enter');
  await expect(window.pane(b).root).toHaveClass(/shown/);
  await page.keyboard.press('Control+1');
  await clause('54f', () => expect(pane.root).toHaveClass(/shown/));
  await page.keyboard.press('Control+k');
  await window.id('palette-input').fill('scripted');
  await clause('54d', () => expect(window.id('palette-entry').filter({ hasText: 'scripted' }).first()).toBeVisible());
  await page.keyboard.press('Escape');
  await pane.input.click();
  await page.keyboard.type('?');
  await clause('54h', async () => {
    await expect(pane.input).toHaveValue('?');
    await expect(window.id('help-dialog')).toHaveCount(0);
  });
  await pane.id('transcript').focus();
  await page.keyboard.press('?');
  await clause('54e', () => expect(window.id('help-dialog')).toBeVisible());
});

test('req 54: a key can be changed, and holds', async ({ world }) => {
  const { window } = await demoWorld(world);
  const { page } = window;
  await page.keyboard.press('Control+k');
  await window.id('palette-input').fill('Keyboard shortcuts');
  await page.keyboard.press('Enter');
  await window.id('help-dialog').getByRole('button', { name: /change the keys of Search and commands/ }).click();
  await page.keyboard.press('Control+y');
  await expect(window.id('help-dialog').getByRole('button', { name: /Ctrl\+Y: change/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Control+y');
  await clause('54g', () => expect(window.id('palette')).toHaveCount(1));
});

test('req 55: a theme is chosen, is there before the first paint, and motion can be less', async ({ world }) => {
  const { window } = await demoWorld(world);
  const { page } = window;
  const theme = (): Promise<string | undefined> => page.evaluate(() => document.documentElement.dataset['theme']);
  const colour = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: 'light' });
  await clause('55a', () => expect.poll(theme).toBe('light'));
  const light = await colour();
  await page.emulateMedia({ colorScheme: 'dark' });
  await clause('55a', () => expect.poll(theme).toBe('dark'));
  expect(await colour()).not.toBe(light);
  const choose = async (name: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await window.id('palette-input').fill(`Theme: ${name}`);
    await page.keyboard.press('Enter');
  };
  await choose('high contrast');
  await clause('55d', () => expect.poll(theme).toBe('contrast-dark'));
  await choose('light');
  await clause('55b', () => expect.poll(theme).toBe('light'));
  await expect.poll(() => page.evaluate(() => localStorage.getItem('liminal:prefs'))).toContain('"theme":"light"');
  await page.addInitScript(() => {
    const themes: (string | undefined)[] = [];
    Object.assign(globalThis, { themes });
    new MutationObserver(() => { if (document.body) themes.push(document.documentElement.dataset['theme']); }).observe(document, { childList: true, subtree: true });
  });
  await page.reload();
  await window.isConnected();
  await clause('55e', async () => expect(await page.evaluate(() => [...new Set((globalThis as unknown as { themes: string[] }).themes)])).toEqual(['light']));
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await window.page.locator('[data-testid="pane"].shown').getByTestId('composer-input').fill('/hang');
  await window.page.locator('[data-testid="pane"].shown').getByTestId('send').click();
  const pulse = page.locator('.turn-status .pulse');
  await expect(pulse).toBeVisible();
  const seconds = await pulse.evaluate((element) => getComputedStyle(element).animationDuration + getComputedStyle(element).animationIterationCount);
  await clause('55f', () => expect(seconds).not.toContain('infinite'));
});

test('req 56: the transcript is a log, turns are announced, focus is seen, targets are large enough', async ({ world }) => {
  const { window, pane } = await demoWorld(world, { pace: 5 });
  const { page } = window;
  await pane.send('/think');
  await clause('56d', async () => {
    await expect(window.id('announcer')).toHaveText('The agent works');
    await expect(window.id('announcer')).toHaveText('The turn is done');
  });
  await clause('56c', () => expect(pane.id('transcript')).toHaveRole('log'));
  await pane.send('/permission');
  await expect(pane.id('approval')).toBeVisible();
  await clause('56e', () => expect(window.id('announcer')).toHaveText(/asks|waits|permission|rm -r/i));
  await pane.input.focus();
  await page.keyboard.press('Shift+Tab');
  await expect(pane.root.locator('[data-option="reject-once"]')).toBeFocused();
  const outline = await page.evaluate(() => { const style = getComputedStyle(document.activeElement as Element); return `${style.outlineStyle} ${style.boxShadow}`; });
  await clause('56i', () => expect(outline).not.toBe('none none'));
  const small = await page.evaluate(() => [...document.querySelectorAll<HTMLElement>('button, [role=tab], input, textarea')]
    .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && element.offsetWidth > 1 && !element.closest('[aria-hidden=true]'))
    .filter((element) => element.getBoundingClientRect().height < 23.5 || element.getBoundingClientRect().width < 23.5)
    .map((element) => `${element.className} ${element.ariaLabel ?? element.textContent} ${element.offsetWidth}x${element.offsetHeight}`));
  await clause('56j', () => expect(small).toEqual([]));
});

test('req 57: on a phone the list is a drawer, and nothing is wider than the screen', async ({ world }) => {
  const { project, id, window, pane } = await demoWorld(world);
  const { page } = window;
  await moreSessions(world, project, 'other');
  await pane.turn('/markdown');
  await page.setViewportSize({ width: 390, height: 800 });
  await clause('57a', () => expect(window.id('sidebar')).not.toBeInViewport());
  await window.id('drawer').click();
  await clause('57a', () => expect(window.id('sidebar')).toBeInViewport());
  await window.id('session-row').filter({ hasText: 'other' }).getByRole('button').first().click();
  await expect(window.id('sidebar')).not.toBeInViewport();
  await window.id('drawer').click();
  await window.listed(id).getByRole('button').first().click();
  await expect(pane.input).toBeInViewport();
  await clause('57b', async () => expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390));
});

test('req 57: the composer stays above the on-screen keyboard', async ({ world }) => {
  const { window: { page }, pane } = await demoWorld(world);
  await page.setViewportSize({ width: 390, height: 800 });
  await pane.turn('/think');
  const bottom = async (): Promise<number> => { const box = await pane.id('composer').boundingBox(); return box ? box.y + box.height : 0; };
  expect(await bottom()).toBeGreaterThan(700);
  // A keyboard that is laid over the page changes only what is seen of it.
  const keyboard = (height: number): Promise<void> => page.evaluate((height) => {
    Object.defineProperty(visualViewport, 'height', { configurable: true, get: () => innerHeight - height });
    visualViewport?.dispatchEvent(new Event('resize'));
  }, height);
  await keyboard(300);
  await clause('57c', () => expect.poll(bottom).toBeLessThanOrEqual(500));
  await expect(pane.rows().last()).toBeInViewport();
  await keyboard(0);
  await expect.poll(bottom).toBeGreaterThan(700);
});

test('req 58: notes are shown of sessions that nobody looks at, and only then', async ({ world }) => {
  const { project, id, window } = await demoWorld(world);
  const { page } = window;
  const [b] = await moreSessions(world, project, 'elsewhere') as [string];
  await page.addInitScript(() => {
    const notes: string[] = [];
    class Note { static permission = 'granted'; static requestPermission = () => Promise.resolve('granted'); constructor(title: string, { body }: { body: string }) { notes.push(`${title}: ${body}`); } }
    Object.assign(globalThis, { notes, Notification: Note });
  });
  await page.reload();
  await window.isConnected();
  await page.keyboard.press('Control+k');
  await window.id('palette-input').fill('Settings');
  await page.keyboard.press('Enter');
  await page.getByRole('switch', { name: /Notifications/ }).check();
  await page.keyboard.press('Escape');
  const notes = (): Promise<string[]> => page.evaluate(() => (globalThis as unknown as { notes: string[] }).notes);
  await expect(window.pane(id).root).toHaveClass(/shown/);
  await world.server.turn(id, '/think');
  await world.server.send(b, '/permission');
  await clause('58b', () => expect.poll(notes).toContain('elsewhere: Waits for your answer'));
  await clause('58e', async () => expect(await notes()).toEqual(['elsewhere: Waits for your answer']));
});

test('req 59: a request that fails is told', async ({ world }) => {
  const { id, window } = await demoWorld(world);
  window.expectFaults(/500|Failed to load/);
  await window.page.route('**/archive', (route) => route.fulfill({ status: 500, contentType: 'application/problem+json', body: JSON.stringify({ type: 'about:blank', title: 'INTERNAL', status: 500, code: 'INTERNAL', detail: 'the disk is gone' }) }));
  await window.listed(id).hover();
  await window.listed(id).getByRole('button', { name: /^Archive/ }).click();
  await clause('59a', () => expect(window.id('toasts').getByRole('alert')).toContainText('could not be archived'));
  await clause('59b', () => expect(window.id('toasts').getByRole('alert')).toContainText('The disk is gone'));
  await expect(window.listed(id)).toHaveCount(1);
});

test('a server that asks nobody for credentials lets every browser in, and says so by a line that stays', async ({ world }) => {
  await world.start({ arguments: ['--insecure-no-auth'] });
  const project = world.place.project();
  await world.server.addProject(project);
  const id = await world.server.createSession(project);
  const stranger = await world.stranger();
  await stranger.isConnected();
  const pane = await stranger.openSession(id);
  await pane.turn('hello');
  await expect(stranger.id('unlocked')).toContainText('--insecure-no-auth');
});

test('other servers let in who was invited, and have no such line', async ({ world }) => {
  const { window } = await demoWorld(world);
  await expect(window.id('unlocked')).toHaveCount(0);
  const stranger = await world.stranger();
  await expect(stranger.id('sign-in')).toBeVisible();
  stranger.expectFaults(/401/);
});
