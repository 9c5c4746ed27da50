/** A server whose disk is full: the page says so, and goes on showing what agents say. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { withFakeAgent } from './fake-world';
import { expect, test } from './harness';

const DISK_MIB = 32;

/** Writes a file until not even a small piece fits any more. */
function fill(file: string): void {
  const open = openSync(file, 'w');
  for (const piece of [1 << 20, 4096, 512]) while (fits(open, piece));
  closeSync(open);
}

function fits(open: number, bytes: number): boolean {
  try {
    return writeSync(open, Buffer.alloc(bytes)) === bytes;
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
    return false;
  }
}

test('C28 full disk: a banner until there is room, and what agents say is shown meanwhile', async ({ world }) => {
  world.place.mountSmallDisk(DISK_MIB);
  const { window, sessionId } = await withFakeAgent(world);
  const pane = await window.openSession(sessionId);
  await window.page.setViewportSize({ width: 1280, height: 4000 });
  await world.server.send(sessionId, '!say 1 !stall 500 '.repeat(60));
  await expect(pane.rows('agent')).not.toHaveCount(0);
  const filling = join(world.place.data, 'filling');
  window.expectFaults(/status of 507/);
  fill(filling);
  const banner = window.id('disk-full');
  await expect(banner).toContainText('The disk is full');
  const stored = (await world.server.history(sessionId)).length;
  await expect.poll(async () => pane.rows('agent').count()).toBeGreaterThan(stored + 1);
  const refused = await world.server.call('POST', `/api/session/${encodeURIComponent(sessionId)}/send`, { message: 'no room', queue: true });
  expect(refused.status).toBe(507);
  await window.page.reload();
  await expect(banner).toBeVisible();
  rmSync(filling);
  await expect(banner).toHaveCount(0);
  await expect.poll(async () => (await world.server.history(sessionId)).length).toBeGreaterThan(stored + 1);
});
