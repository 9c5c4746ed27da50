/** Requirement 51, and what it means for drafts, rows, the queue and the outbox. */
import type { Locator } from '@playwright/test';
import { able, ableWorld } from './able-world';
import { demoWorld, moreSessions } from './demo-world';
import { clause, expect, type Pane, test, until } from './harness';

/** Two by two, red. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR42mO4YGAARAwQCgAjzgTBx1JQaAAAAABJRU5ErkJggg==';
const NETWORK = /net::ERR_|WebSocket connection|Failed to load resource|ERR_CONNECTION/;
const TAKING = able('files');
const picture = (name: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') });
const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('eleven byte') };

/** Files as another program hands them over: by a paste, or by a drop. */
async function hand(target: Locator, type: 'paste' | 'drop' | 'dragover', name: string, mimeType = 'image/png', data = PNG): Promise<void> {
  await target.evaluate((element, given) => {
    const bytes = Uint8Array.from(atob(given.data), (letter) => letter.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], given.name, { type: given.mimeType }));
    const options = { bubbles: true, cancelable: true };
    element.dispatchEvent(given.type === 'paste'
      ? new ClipboardEvent('paste', { ...options, clipboardData: transfer })
      : new DragEvent(given.type, { ...options, dataTransfer: transfer }));
  }, { type, name, mimeType, data });
}

const names = (of: Locator): Promise<(string | undefined)[]> => of.evaluateAll((all) => all.map((file) => (file as HTMLElement).dataset['name']));

/** Whether it is a picture that the browser could read. */
const isPicture = (image: Locator): Promise<boolean> => image.evaluate((element: HTMLImageElement) => element.complete && element.naturalWidth === 2);

async function attach(pane: Pane, ...files: { name: string; mimeType: string; buffer: Buffer }[]): Promise<void> {
  const before = await pane.id('file').count();
  await pane.id('attach-input').setInputFiles(files);
  await expect(pane.id('file')).toHaveCount(before + files.length);
  await expect(pane.root.locator('[data-testid="file"][data-state="kept"]')).toHaveCount(before + files.length);
}

test('req 35, 51: files are chosen, pasted and dropped, shown small, removed by keys, and told to the agent', async ({ world }) => {
  const { id, window, pane } = await ableWorld(world, TAKING);
  const { page } = window;
  await expect(pane.id('attach')).toBeVisible();
  await attach(pane, picture('chosen.png'), note);
  await hand(pane.input, 'paste', 'pasted.png');
  await clause('51a', () => expect(pane.id('file')).toHaveCount(3));
  await hand(pane.root, 'dragover', 'dropped.png');
  await expect(pane.id('drop-zone')).toBeVisible();
  await hand(pane.root, 'drop', 'dropped.png');
  await expect(pane.id('drop-zone')).toHaveCount(0);
  await clause('51b', () => expect(pane.id('file')).toHaveCount(4));
  expect(await names(pane.id('file'))).toEqual(['chosen.png', 'note.txt', 'pasted.png', 'dropped.png']);
  await expect(pane.id('thumbnail')).toHaveCount(3);
  await clause('51c', () => expect.poll(() => isPicture(pane.id('thumbnail').first())).toBe(true));
  await pane.id('remove-file').last().focus();
  await page.keyboard.press('Delete');
  await expect(pane.id('file')).toHaveCount(3);
  await page.keyboard.press('Backspace');
  await clause('51e', () => expect(pane.id('file')).toHaveCount(2));
  expect(await names(pane.id('file'))).toEqual(['chosen.png', 'note.txt']);
  await pane.turn('what are these');
  await expect(pane.id('files')).toHaveCount(0);
  const row = pane.rows('user').last();
  await clause('35b', async () => expect(await names(row.getByTestId('user-file'))).toEqual(['chosen.png', 'note.txt']));
  await expect.poll(() => isPicture(row.getByTestId('thumbnail'))).toBe(true);
  await expect(pane.id('agent-row').last()).toHaveText(/^I got image\/png 73, note\.txt 11/);
  const other = await (await world.window()).openSession(id);
  expect(await names(other.rows('user').last().getByTestId('user-file'))).toEqual(['chosen.png', 'note.txt']);
  await expect.poll(() => isPicture(other.rows('user').last().getByTestId('thumbnail'))).toBe(true);
  const saved = page.waitForEvent('download');
  await row.getByRole('button', { name: 'Save note.txt' }).click();
  expect((await saved).suggestedFilename()).toBe('note.txt');
});

test('req 51: all files that were chosen are seen while the first is on its way', async ({ world }) => {
  const { window, pane } = await ableWorld(world, TAKING);
  let isHeld = true;
  await window.page.route('**/attachments', async (route) => {
    await until('it may go on', async () => !isHeld);
    await route.continue();
  });
  await pane.id('attach-input').setInputFiles([picture('one.png'), note]);
  await expect(pane.id('file')).toHaveCount(2);
  for (const file of await pane.id('file').all()) await expect(file).toContainText('uploading');
  await pane.id('remove-file').last().click();
  isHeld = false;
  await expect(pane.root.locator('[data-testid="file"][data-state="kept"]')).toHaveCount(1);
  await expect(pane.id('file')).not.toContainText('uploading');
});

test('req 51: a message may be files alone', async ({ world }) => {
  const { pane } = await ableWorld(world, TAKING);
  await expect(pane.id('send')).toBeDisabled();
  await attach(pane, picture('alone.png'));
  await pane.id('send').click();
  await expect(pane.rows('user').getByTestId('user-file')).toHaveCount(1);
  await pane.isIdle();
  await expect(pane.id('agent-row').last()).toContainText('I got image/png 73');
});

test('req 51: a file that is too large is left out, and it is said how large one may be', async ({ world }) => {
  const { window, pane } = await ableWorld(world, `${TAKING}[limits]\nfile-kib = 16\n`);
  window.expectFaults(/413/);
  await pane.id('attach-input').setInputFiles([{ ...note, name: 'huge.txt', buffer: Buffer.alloc(200_000, 'x') }, note]);
  await expect(pane.id('file-problem')).toContainText('huge.txt');
  await clause('51d', () => expect(pane.id('file-problem')).toContainText(/16 KiB|16,?384|limit/i));
  await expect(pane.id('file')).toHaveCount(1);
  await attach(pane, note);
  await expect(pane.id('file-problem')).toHaveCount(0);
});

test('req 51: an agent that takes no files is offered none, and a file that is dropped does not lead away', async ({ world }) => {
  const { window, pane } = await ableWorld(world);
  await expect(pane.input).toBeVisible();
  await clause('51f', () => expect(pane.id('attach')).toHaveCount(0));
  await hand(pane.root, 'drop', 'dropped.png');
  await expect(window.id('toasts')).toContainText('This agent takes no files');
  await hand(pane.input, 'paste', 'pasted.png');
  await expect(pane.id('file')).toHaveCount(0);
});

test('req 44, 51: the files of a draft outlive a switch, a reload and a crash', async ({ world }) => {
  const { project, id, window, pane } = await ableWorld(world, TAKING);
  await attach(pane, picture('draft.png'), note);
  await pane.input.fill('look at these');
  const [b] = await moreSessions(world, project, 'b') as [string];
  await window.openSession(b);
  await expect(window.pane(b).id('file')).toHaveCount(0);
  await window.openSession(id);
  expect(await names(pane.id('file'))).toEqual(['draft.png', 'note.txt']);
  await expect.poll(() => window.page.evaluate(() => JSON.stringify(localStorage))).toContain('look at these');
  await window.page.reload();
  await clause('44h', () => expect(pane.id('file')).toHaveCount(2));
  await expect.poll(() => isPicture(pane.id('thumbnail'))).toBe(true);
  const crashed = window.page.waitForEvent('crash');
  window.page.goto('chrome://crash').catch(() => undefined);
  await crashed;
  const found = await (await world.tab(window)).openSession(id);
  await expect(found.input).toHaveValue('look at these');
  await clause('44h', async () => expect(await names(found.id('file'))).toEqual(['draft.png', 'note.txt']));
  await found.id('send').click();
  await expect(found.rows('user').getByTestId('user-file')).toHaveCount(2);
  await found.isIdle();
  await expect(found.id('agent-row').last()).toHaveText(/^I got image\/png 73, note\.txt 11/);
});

test('req 46, 51: a message in the queue shows its files, and brings them along', async ({ world }) => {
  const { pane } = await ableWorld(world, TAKING);
  await pane.send('clock');
  await pane.isRunning();
  await attach(pane, picture('queued.png'));
  await pane.send('and this');
  await expect(pane.id('queue-entry').getByTestId('queue-file')).toHaveText('queued.png');
  await pane.id('queue-now').click();
  await pane.isIdle();
  await expect(pane.rows('user').last().getByTestId('user-file')).toHaveCount(1);
  await expect(pane.id('agent-row').last()).toContainText('I got image/png 73');
});

test('req 14, 51: files that are sent while nothing is connected arrive once, also after a reload', async ({ world }) => {
  const server = await world.start({ config: TAKING });
  const project = world.place.project();
  await server.addProject(project);
  const proxy = await world.proxy();
  const window = await world.window(proxy.url);
  window.expectFaults(NETWORK);
  const id = await server.createSession(project, 'able');
  const pane = await window.openSession(id);
  proxy.cut();
  await expect(window.id('conn-pill')).not.toHaveAttribute('data-state', 'open');
  await pane.id('attach-input').setInputFiles([picture('offline.png')]);
  await expect(pane.id('file')).toHaveAttribute('data-state', 'waiting');
  await expect(pane.id('file')).toContainText('goes with the message');
  await expect.poll(() => isPicture(pane.id('thumbnail'))).toBe(true);
  await pane.send('said while offline');
  await expect(pane.rows('user').getByTestId('delivery')).toHaveAttribute('data-delivery', 'waiting');
  expect(await names(pane.rows('user').getByTestId('user-file'))).toEqual(['offline.png']);
  proxy.restore();
  await window.page.reload();
  await window.isConnected();
  await until('it was told', async () => (await server.history(id)).some((item) => item.type === 'message' && item.origin === 'agent'));
  await pane.isIdle();
  await expect(pane.id('delivery')).toHaveCount(0);
  const said = (await server.history(id)).filter((item) => item.type === 'message' && item.origin === 'user');
  expect(said.map((item) => (item.type === 'message' ? item.attachments?.map((file) => file.name) : []))).toEqual([['offline.png']]);
  await expect(pane.rows('user')).toHaveCount(1);
  await expect.poll(() => isPicture(pane.rows('user').getByTestId('thumbnail'))).toBe(true);
});

test('req 51: a message that is edited or tried again goes with its files, and a file that it shares stays', async ({ world }) => {
  const { id, window, pane } = await demoWorld(world);
  await attach(pane, picture('shared.png'), note);
  await pane.send('/fail');
  await pane.id('error-row').getByTestId('retry').click();
  await expect(pane.rows('user')).toHaveCount(2);
  await expect(pane.id('error-row')).toHaveCount(2);
  await pane.rows('user').first().hover();
  await pane.rows('user').first().getByRole('button', { name: 'Edit and send again' }).click();
  await expect(pane.input).toHaveValue('/fail');
  expect(await names(pane.id('file'))).toEqual(['shared.png', 'note.txt']);
  await expect.poll(() => isPicture(pane.id('thumbnail').last())).toBe(true);
  await window.page.reload();
  await pane.id('remove-file').last().click();
  await pane.input.fill('what is this');
  await pane.id('send').click();
  await expect(pane.rows('user')).toHaveCount(3);
  const said = async () => (await world.server.history(id)).flatMap((item) => (item.type === 'message' && item.origin === 'user' ? [item.attachments ?? []] : []));
  const expected = [['shared.png', 'note.txt'], ['shared.png', 'note.txt'], ['shared.png']];
  await expect.poll(async () => (await said()).map((files) => files.map((file) => file.name))).toEqual(expected);
  expect(new Set((await said()).map((files) => files[0]?.id)).size).toBe(1);
  const saved = window.page.waitForEvent('download');
  await pane.rows('user').first().getByRole('button', { name: 'Save note.txt' }).click();
  expect((await saved).suggestedFilename()).toBe('note.txt');
});
