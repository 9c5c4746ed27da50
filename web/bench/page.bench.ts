/** What a user waits for. Prints figures and asserts none of them: they depend on the machine. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { demoWorld, moreSessions } from '../tests/e2e/demo-world';
import { expect, test, type Window } from '../tests/e2e/harness';
import { milliseconds, print, quantile } from './figures';

const ITEMS_PER_TURN = 1000;

/** From the click on an element until what it shows is painted. */
async function shownAfterClick(window: Window, selector: string, sessionId: string): Promise<number> {
  return window.page.evaluate(({ selector, sessionId }) => new Promise<number>((done) => {
    const pane = `[data-testid="pane"][data-session="${sessionId}"].shown [data-testid="row"]`;
    const start = performance.now();
    const look = (): void => {
      if (!document.querySelector(pane)) return void requestAnimationFrame(look);
      // The task after a frame begins when that frame is painted.
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
    };
    document.querySelector<HTMLElement>(selector)?.click();
    look();
  }), { selector, sessionId });
}

test('first text', async ({ world }) => {
  const agent = resolve(import.meta.dirname, 'clock-agent.mjs');
  await world.start({ config: `[agents.clock]\ncommand = "node"\nargs = ["${agent}"]\n` });
  const project = world.place.project();
  await world.server.addProject(project);
  const id = await world.server.createSession(project, 'clock');
  const window = await world.window();
  const pane = await window.openSession(id);
  await window.page.evaluate(() => {
    const delays: number[] = [];
    Object.assign(globalThis, { delays });
    const known = new Set<string>();
    new MutationObserver(() => {
      for (const [, said] of document.body.textContent?.matchAll(/said at (\d{13})/g) ?? []) {
        if (!said || known.has(said)) continue;
        known.add(said);
        requestAnimationFrame(() => delays.push(Date.now() - Number(said)));
      }
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  for (let turn = 1; turn <= 15; turn += 1) {
    await pane.send(`go ${turn}`);
    await expect.poll(() => window.page.evaluate(() => (globalThis as unknown as { delays: number[] }).delays.length)).toBe(turn);
    await pane.isIdle();
  }
  const delays = await window.page.evaluate(() => (globalThis as unknown as { delays: number[] }).delays);
  print('first text after the agent\'s first words', milliseconds(delays), '<= 200 ms');
});

test('tabs and memory', async ({ world }) => {
  const { project, id, window, pane } = await demoWorld(world);
  const [other] = await moreSessions(world, project, 'other') as [string];
  for (const session of [id, other]) await world.server.turn(session, '/tools 300');
  await pane.isIdle();
  await window.openSession(other);
  const heap = (): Promise<number> => window.page.evaluate(() => {
    (globalThis as unknown as { gc?: () => void }).gc?.();
    return (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize;
  });
  const times: number[] = [];
  const switchOnce = async (): Promise<void> => {
    for (const session of [id, other]) times.push(await shownAfterClick(window, `[data-testid="tab"][data-session="${session}"]`, session));
  };
  await switchOnce();
  const before = await heap();
  for (let round = 0; round < 10; round += 1) await switchOnce();
  const after = await heap();
  print('switch to another tab', milliseconds(times), '< 100 ms');
  print('heap after 10 switches', `${(before / 2 ** 20).toFixed(1)} -> ${(after / 2 ** 20).toFixed(1)} MB (${((after / before - 1) * 100).toFixed(1)} %)`, 'flat, +-10 %');
});

test('a long session', async ({ world }) => {
  await world.start();
  const project = world.place.project();
  await world.server.addProject(project);
  const id = await world.server.createSession(project);
  for (let turn = 0; turn < 10; turn += 1) await world.server.turn(id, `/tools ${ITEMS_PER_TURN}`);
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const window = await world.window();
    await expect(window.listed(id)).toBeVisible();
    const closed = window.id('tab');
    if (await closed.count()) await closed.click({ button: 'middle' });
    await expect(window.id('empty')).toBeVisible();
    await window.page.reload();
    await expect(window.listed(id)).toBeVisible();
    times.push(await shownAfterClick(window, `[data-testid="session-row"][data-session="${id}"] button`, id));
    const nodes = await window.page.evaluate(() => document.querySelectorAll('*').length);
    if (round === 0) print('elements with 10,000 items', String(nodes), '< 3,000');
    await window.page.context().close();
  }
  print('open a session of 10,000 items', milliseconds(times), '< 500 ms');
});

test('streaming', async ({ world }) => {
  const { window: { page }, pane } = await demoWorld(world, { pace: 1 });
  await page.evaluate(() => {
    const waits: number[] = [];
    const long: number[] = [];
    Object.assign(globalThis, { waits, long });
    new PerformanceObserver((list) => long.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: 'longtask' });
    const channel = new MessageChannel();
    let asked = 0;
    // How long a task waits for its turn, which is what a key would wait.
    channel.port1.onmessage = () => waits.push(performance.now() - asked);
    setInterval(() => { asked = performance.now(); channel.port2.postMessage(0); }, 10);
  });
  await pane.send('/words 4000');
  await expect(pane.id('agent-row').last()).toBeVisible();
  await pane.input.evaluate((field) => {
    const keys: number[] = [];
    Object.assign(globalThis, { keys });
    field.addEventListener('keydown', (event) => requestAnimationFrame(() => keys.push(performance.now() - event.timeStamp)));
  });
  await pane.input.focus();
  await page.keyboard.type('the quick brown fox jumps over the lazy dog', { delay: 40 });
  const keys = await page.evaluate(() => (globalThis as unknown as { keys: number[] }).keys);
  print('a key while an answer streams', milliseconds(keys), 'p95 < 50 ms');
  await pane.isIdle(120_000);
  const { waits, long } = await page.evaluate(() => { const { waits, long } = globalThis as unknown as { waits: number[]; long: number[] }; return { waits, long }; });
  print('main thread while an answer streams', `waits p95 ${quantile(waits, 0.95).toFixed(1)} ms; ${long.length} long tasks, p95 ${long.length ? quantile(long, 0.95).toFixed(0) : 0} ms`, 'p95 < 50 ms');
});

test('size', () => {
  const sizes = execFileSync('node', [resolve(import.meta.dirname, '../scripts/budget.mjs')], { encoding: 'utf8' });
  print('scripts of a first visit', /initial scripts: ([\d.]+ KB gzip)/.exec(sizes)?.[1] ?? sizes, '<= 90 KB');
});
