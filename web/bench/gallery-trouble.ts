/** What is rare and what is wrong: silence, faults, servers that go. Asserts nothing. */
import { expect, test } from '../tests/e2e/harness';
import { take } from './gallery-camera';
import { LONG, refuseMessages, rewrite, shop } from './gallery-world';

test('what waits and what is being read', async ({ world }) => {
  const { window, pane } = await shop(world, 'demo', { config: '[sessions]\nstall-seconds = 1\n', pace: 5 });
  const { page } = window;
  await pane.send('/think');
  await expect(pane.id('thinking').first()).toBeVisible();
  await take(page, 'thinking');
  await pane.isIdle();
  await pane.send('/hang');
  await expect(pane.id('turn-status')).toHaveAttribute('data-stalled', 'true');
  await take(page, 'stalled');
  await rewrite(page, ['"state":"running"', '"state":"cancelling"']);
  await expect(pane.id('force-stop')).toBeVisible();
  await take(page, 'stopping');
  await page.route('**/load', () => undefined);
  await page.reload();
  await expect(pane.id('loading')).toBeVisible();
  await take(page, 'loading');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  window.expectFaults(/404|Failed/);
  await page.goto(`${world.server.url}/s/demo%3Anothing`);
  await expect(page.getByText('could not be opened')).toBeVisible();
  await take(page, 'not-opened');
});

test('how sessions are', async ({ world }) => {
  const { window, pane } = await shop(world, 'demo');
  const { page } = window;
  await pane.turn('/think');
  await rewrite(page, ['"agent":{', '"isUnguarded":true,"agent":{']);
  await expect(pane.id('unguarded')).toBeVisible();
  await take(page, 'unguarded');
  await rewrite(page, ['"agent":{', '"isArchived":true,"agent":{']);
  await expect(page.getByText('This session is archived')).toBeVisible();
  await take(page, 'archived-session');
  await rewrite(page, [/"isAlive":true/, '"isAlive":false'], ['"agent":{', '"failure":{"code":"SESSION_TAKEN_OVER","message":"another server has taken this session over; its agent here was ended"},"agent":{']);
  await expect(pane.id('agent-failure')).toBeVisible();
  await take(page, 'taken-over');
  for (const [code, message] of [['SERVER_LOST', 'the server that ran this turn is gone; what its agent did meanwhile is not known here'], ['RATE_LIMITED', `the model's API has had enough: ${'try again later, '.repeat(20)}`]] as const) {
    await rewrite(page, [/"type":"turn_complete","turnId":"([^"]*)"/, `"type":"turn_error","turnId":"$1","errorCode":"${code}","errorMessage":${JSON.stringify(message)}`], [/"type":"turn_complete"/, `"type":"turn_error","errorCode":"${code}","errorMessage":${JSON.stringify(message)}`]);
    await expect(pane.id('error-row')).toBeVisible();
    await take(page, `error-${code.toLowerCase()}`);
  }
  await refuseMessages(page, { status: 409, code: 'DELIVERY_UNKNOWN', detail: 'the server stopped while this message was on its way; look whether the agent got it, and send it again if not' });
  await pane.send(LONG);
  await expect(pane.id('delivery')).toHaveAttribute('data-delivery', 'indeterminate');
  await take(page, 'delivery-unknown');
});

test('a server that goes and comes back', async ({ world }) => {
  const { window, pane } = await shop(world, 'demo');
  const { page } = window;
  window.expectFaults(/./);
  await pane.send('/hang');
  await expect(pane.id('agent-row').first()).toBeVisible();
  await world.server.kill();
  await expect(window.id('conn-pill')).not.toHaveAttribute('data-state', 'open');
  await take(page, 'reconnecting');
  await world.startAgain();
  await expect(pane.id('error-row').first()).toBeVisible();
  await take(page, 'server-restart');
  await world.server.kill();
  await expect(window.id('conn-pill')).not.toHaveAttribute('data-state', 'open');
  await pane.send('Said while nobody heard it');
  await take(page, 'reconnecting-and-said');
  await world.startAgain();
  await window.isConnected();
  await page.context().setOffline(true);
  await page.evaluate(() => dispatchEvent(new Event('offline')));
  await take(page, 'no-network');
});

test('ways in that lead nowhere', async ({ world }) => {
  await world.start();
  const window = await world.stranger();
  window.expectFaults(/./);
  const { page } = window;
  await page.goto(`${world.server.url}/#c=wrong`);
  await page.reload();
  await expect(page.getByTestId('sign-in')).toBeVisible();
  await take(page, 'sign-in-wrong');
  await page.route('**/api/**', (route) => route.abort());
  await page.route('**/auth/**', (route) => route.abort());
  await page.reload();
  await take(page, 'unreachable');
});

test('high contrast and large text', async ({ world }) => {
  const { window, pane } = await shop(world, 'demo');
  const { page } = window;
  await pane.turn('/diff');
  await pane.id('tool-card').first().getByRole('button').first().click();
  await page.keyboard.press('Control+k');
  await window.id('palette-input').fill('high contrast');
  await page.keyboard.press('Enter');
  await take(page, 'high-contrast');
});
