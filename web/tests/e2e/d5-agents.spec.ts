/** Agents that are silent, die, or outlive their server; turns that are stopped. */
import { withFakeAgent } from './fake-world';
import { expect, test, until } from './harness';

const NETWORK = /net::ERR_|WebSocket connection|Failed to load resource/;

test('B4 phantom spinner: silence is told, and can be ended', async ({ world }) => {
  const { window, sessionId } = await withFakeAgent(world, '[sessions]\nstall-seconds = 1\n');
  const pane = await window.openSession(sessionId);
  await pane.send('!open 3 !no-result');
  await expect(pane.id('turn-status')).toHaveAttribute('data-stalled', 'true');
  await expect(window.listed(sessionId)).toHaveAttribute('data-status', 'running');
  await pane.id('turn-status').getByTestId('restart').click();
  await pane.isIdle();
  await pane.turn('!say 2');
  await expect(pane.id('agent-row').last()).toContainText('s1 s2');
});

test('B4 phantom spinner: an agent that exits with 137 leaves a row, a sign in the list, and a way on', async ({ world }) => {
  const { window, sessionId } = await withFakeAgent(world);
  const pane = await window.openSession(sessionId);
  await pane.send('!open 3 !exit 137');
  await expect(pane.id('error-row')).toHaveAttribute('data-code', 'PROCESS_CRASH');
  await expect(pane.id('error-row')).toContainText('137');
  await expect(pane.id('turn-status')).toHaveCount(0);
  await expect(window.listed(sessionId)).toHaveAttribute('data-status', 'error');
  await pane.id('error-row').getByTestId('restart').click();
  await pane.turn('!say 2');
  await expect(window.listed(sessionId)).toHaveAttribute('data-status', 'idle');
  await expect(pane.id('agent-row').last()).toContainText('s1 s2');
});

test('req 3, B4: a failure that was looked at is no news any more', async ({ world }) => {
  const { window, project, sessionId } = await withFakeAgent(world);
  const other = await world.server.createSession(project);
  const pane = await window.openSession(sessionId);
  await window.openSession(other);
  await world.server.send(sessionId, '!open 3 !exit 137');
  await expect(window.listed(sessionId)).toHaveAttribute('data-status', 'error');
  await window.openSession(sessionId);
  await expect(pane.id('error-row')).toBeVisible();
  await expect(window.listed(sessionId)).toHaveAttribute('data-status', 'error');
  await window.openSession(other);
  await expect(window.listed(sessionId)).toHaveAttribute('data-status', 'idle');
  await window.openSession(sessionId);
  await pane.id('error-row').getByTestId('restart').click();
  await expect(window.listed(sessionId)).toHaveAttribute('data-status', 'idle');
});

test('B5 orphans: after kill -9 of the server nothing of the agent stays, and the page goes on', async ({ world }) => {
  const { window, sessionId } = await withFakeAgent(world);
  window.expectFaults(NETWORK);
  const pane = await window.openSession(sessionId);
  await pane.send('!spawn double !open 3 !hang');
  await pane.isRunning();
  await until('the agent has a grandchild', () => world.place.processes().some(({ command }) => command.includes('sleep 1000')));
  await expect(pane.id('delivery')).toHaveCount(0);
  await world.server.kill();
  await world.startAgain();
  const others = () => world.place.processes().filter(({ pid }) => pid !== world.server.pid);
  await until('only the server runs', () => others().length === 0, () => JSON.stringify(others()));
  await window.id('conn-pill').click();
  await window.isConnected();
  await pane.isIdle();
  await expect(pane.id('error-row')).toHaveAttribute('data-code', 'SERVER_RESTART');
  await pane.turn('!say 2');
  await expect(pane.id('agent-row').last()).toContainText('s1 s2');
});

test('B19 dead agent: killed twice, restarted, and a new session works', async ({ world }) => {
  const { window, sessionId } = await withFakeAgent(world);
  const pane = await window.openSession(sessionId);
  for (let death = 1; death <= 2; death += 1) {
    await pane.send('!open 1 !signal 9');
    await expect(pane.id('error-row')).toHaveCount(death);
    await expect(pane.id('turn-status')).toHaveCount(0);
    await pane.id('error-row').last().getByTestId('restart').click();
    await pane.turn('!say 2');
    await expect(window.listed(sessionId)).toHaveAttribute('data-status', 'idle');
  }
  const fresh = await window.newSession('Claude Code');
  await fresh.turn('!say 3');
  await expect(fresh.id('agent-row')).toContainText('s1 s2 s3');
});

test('B20 stop: a turn that runs is stopped after a reload', async ({ world }) => {
  const { window, sessionId } = await withFakeAgent(world);
  const pane = await window.openSession(sessionId);
  // Interrupted, it hears of it and ends; nothing else ends the pause before the test does.
  await pane.send('!say 3 !stall 50000 !say 3');
  await pane.isRunning();
  await window.page.reload();
  await pane.isRunning();
  await pane.id('stop').click();
  await pane.isIdle();
  await expect(pane.id('turn-end').last()).toHaveAttribute('data-status', 'cancelled');
  await expect(pane.id('stop')).toHaveCount(0);
  await pane.turn('!say 1');
});
