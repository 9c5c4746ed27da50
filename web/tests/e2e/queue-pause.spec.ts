/** The queue pauses when a person should look first, in every window, and continues when a person says so. */
import { expect, type Pane, test, until, type Window, type World } from './harness';

/** A killed server refuses connections, and the browser says so. */
const NETWORK = /ERR_CONNECTION|WebSocket connection/;

/** A turn that waits for an answer, with messages queued behind it, seen in two windows. */
async function queued(world: World, messages: readonly string[]): Promise<{ here: Pane; there: Pane; one: Window; two: Window }> {
  const server = await world.start({ fake: true });
  const project = world.place.project();
  await server.addProject(project);
  const id = await server.createSession(project, 'claude-code');
  const [one, two] = [await world.window(), await world.window()];
  const [here, there] = [await one.openSession(id), await two.openSession(id)];
  await here.send('!perm true');
  await expect(here.id('approval')).toBeVisible();
  for (const message of messages) {
    await here.send(message);
    await expect(here.id('queue-entry').filter({ hasText: message })).toHaveCount(1);
  }
  return { here, there, one, two };
}

test('req 46: a rejection pauses the queue in every window, until one resumes it', async ({ world }) => {
  const { here, there, two } = await queued(world, ['first', 'second']);
  await expect(here.id('queue')).toContainText('Queued (2)');
  await expect(here.id('queue-paused')).toHaveCount(0);
  await here.root.locator('[data-testid="approval-option"][data-kind="reject_once"]').first().click();
  await here.isIdle();
  for (const pane of [here, there]) await expect(pane.id('queue-paused')).toContainText('Queue paused: you rejected a request');
  expect(world.server.prompts()).toEqual(['!perm true']);
  await two.page.reload();
  await expect(there.id('queue-paused')).toHaveAttribute('data-reason', 'rejected');
  await here.turn('an answer to what happened');
  expect(world.server.prompts()).toEqual(['!perm true', 'an answer to what happened']);
  await expect(there.id('queue-entry')).toHaveText([/first/, /second/]);
  await there.id('queue-resume').click();
  await expect(here.id('queue')).toHaveCount(0);
  await until('all was sent', () => world.server.prompts().length === 4);
  await here.isIdle();
  expect(world.server.prompts()).toEqual(['!perm true', 'an answer to what happened', 'first', 'second']);
});

test('req 46: stopping the turn pauses the queue, and its messages can be discarded after a question', async ({ world }) => {
  const { here, there } = await queued(world, ['first', 'second']);
  await here.id('stop').click();
  await here.isIdle();
  await expect(there.id('queue-paused')).toContainText('Queue paused: you stopped the turn');
  await here.id('queue-discard').click();
  const dialog = here.page.getByTestId('discard-queue-dialog');
  await expect(dialog).toContainText('Discard 2 queued messages?');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(here.id('queue-entry')).toHaveCount(2);
  await here.id('queue-discard').click();
  await dialog.getByTestId('confirm').click();
  for (const pane of [here, there]) await expect(pane.id('queue')).toHaveCount(0);
  expect(world.server.prompts()).toEqual(['!perm true']);
});

test('req 46: a killed server sends nothing that was queued until the queue is resumed', async ({ world }) => {
  const { here, one, two } = await queued(world, ['later']);
  for (const window of [one, two]) window.expectFaults(NETWORK);
  await world.server.kill();
  await world.startAgain();
  await one.id('conn-pill').click();
  await one.isConnected();
  await expect(here.id('queue-paused')).toContainText('Queue paused: the server restarted');
  await here.isIdle();
  expect(world.server.prompts()).toEqual(['!perm true']);
  await here.id('queue-resume').click();
  await expect(here.id('queue')).toHaveCount(0);
  await until('it was sent', () => world.server.prompts().length === 2);
  await here.isIdle();
  expect(world.server.prompts()).toEqual(['!perm true', 'later']);
});
