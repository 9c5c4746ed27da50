/** Requirement 48: requests appear, change and vanish while somebody types. No key answers one, and no character is lost. */
import type { CDPSession } from '@playwright/test';
import type { ApprovalList, Queue, Upsert } from '../../src/gen/contracts';
import { expect, type Pane, test, type Window, type World } from './harness';
import { claudeConfig, PINS, ScriptedModel } from './harness/agents';
import { countAnswers } from './harness/answers';

/** `./x soak` runs many rounds with the fake agent; the suite has thirty with Claude Code, half of them with each pin, and a few with the fake one. */
const isSoak = Boolean(process.env['LIMINAL_SOAK']);
const FAKE_ROUNDS = isSoak ? 1000 : 10;
const REAL_ROUNDS = 30 / PINS.length;
/** In one of this many rounds the request stays until its buttons accept answers. */
const ARMED_EVERY = isSoak ? 20 : 4;
const LAST = 'touch the-end';

/** What is typed, one message after another: letters, digits, spaces, and what a person might answer with. */
const MESSAGES = ['1. please do not publish yet', 'wait a second', '2', 'y n 3 1 2', 'no', '12 3 yes 4 '];

/** Characters of Option with a key on Mac layouts, with the key's code. */
const OPTION_KEYS: readonly (readonly [string, string])[] = [
  ['¡', 'Digit1'], ['™', 'Digit2'], ['£', 'Digit3'], ['{', 'Digit8'], ['}', 'Digit9'], ['|', 'Digit7'], ['[', 'Digit5'], ['å', 'KeyA'], ['ñ', 'KeyN'], ['∑', 'KeyW'], ['ß', 'KeyS'], ['¥', 'KeyY'], ['\u00a0', 'Space'],
];

interface Typist {
  message(text: string): Promise<void>;
}

function plainTypist({ page }: Window): Typist {
  return { message: (text) => page.keyboard.type(text) };
}

/** Mixes what is typed with Option characters, as Chromium reports them on a Mac. */
function macTypist(window: Window, session: CDPSession, typed: (text: string) => void): Typist {
  let next = 0;
  const option = async (): Promise<void> => {
    const [text, code] = OPTION_KEYS[next++ % OPTION_KEYS.length] as readonly [string, string];
    const key = { key: text, code, modifiers: 1 };
    await session.send('Input.dispatchKeyEvent', { type: 'keyDown', text, unmodifiedText: text, ...key });
    await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
    typed(text);
  };
  return {
    message: async (text) => {
      for (const letter of text) {
        await window.page.keyboard.type(letter);
        typed(letter);
        await option();
      }
    },
  };
}

type Permission = Extract<Upsert, { type: 'permission' }>;

const isPermission = (item: Upsert): item is Permission => item.type === 'permission';

/** Rejects every request over the API, until the last one waits. The page must not do it. */
async function rejectAll(world: World, pane: Pane, sessionId: string): Promise<number> {
  const seen = new Set<string>();
  for (;;) {
    const { approvals } = await world.server.json<ApprovalList>('GET', '/api/approvals');
    const found = approvals.find((approval) => approval.sessionId === sessionId && !seen.has(approval.id));
    if (!found || !isPermission(found.item)) continue;
    if (found.item.input['command'] === LAST) return seen.size;
    seen.add(found.id);
    if (seen.size % ARMED_EVERY === 0) await pane.root.locator(`[data-item="${found.item.itemId}"][data-armed="true"]`).waitFor({ timeout: 3000 }).catch(() => undefined);
    await world.server.call('POST', `/api/approvals/${found.id}`, { optionId: 'deny', reason: `round ${seen.size}` });
  }
}

/** Takes what was sent out of the queue, in order. */
async function drain(world: World, sessionId: string, sent: string[]): Promise<void> {
  const path = `/api/session/${encodeURIComponent(sessionId)}/queue`;
  for (const { id, message } of (await world.server.json<Queue>('GET', path)).queue) {
    sent.push(message);
    await world.server.call('DELETE', `${path}/${id}`);
  }
}

interface Rounds {
  window: Window;
  pane: Pane;
  sessionId: string;
  count: number;
  isMac: boolean;
}

async function typeThrough(world: World, { window, pane, sessionId, count: rounds, isMac }: Rounds): Promise<void> {
  const { page } = window;
  const answers = countAnswers(page);
  // Sockets that were there before are not counted.
  await page.reload();
  await pane.isReady();
  await window.isConnected();
  const written: string[] = [];
  const sent: string[] = [];
  let current = '';
  const typist = isMac ? macTypist(window, await page.context().newCDPSession(page), (text) => { current += text; }) : plainTypist(window);
  let isOver = false;
  const type = async (): Promise<void> => {
    for (let count = 0; !isOver; count += 1) {
      const text = MESSAGES[count % MESSAGES.length] as string;
      await typist.message(text);
      written.push(isMac ? current : text);
      current = '';
      // Twice: the second one meets an empty field.
      await page.keyboard.press('Enter');
      await page.keyboard.press('Enter');
      if (count % 5 === 4) await drain(world, sessionId, sent);
    }
  };
  await pane.input.click();
  const typing = type();
  const rejected = await rejectAll(world, pane, sessionId);
  isOver = true;
  await typing;
  await page.keyboard.type('left 1 2 3 over');
  await expect(pane.input).toBeFocused();
  await expect(pane.input).toHaveValue('left 1 2 3 over');
  await expect.poll(async () => {
    await drain(world, sessionId, sent);
    return sent.length;
  }).toBe(written.length);
  expect(sent).toEqual(written);
  expect(answers.sent).toEqual([]);
  const requests = (await world.server.history(sessionId)).filter(isPermission);
  const settled = requests.filter((item) => item.outcome !== undefined);
  expect(settled.filter((item) => item.outcome?.by === 'user' && !item.outcome.reason?.startsWith('round '))).toEqual([]);
  expect(settled).toHaveLength(rounds);
  expect(rejected).toBeGreaterThanOrEqual(rounds / 2);
  await expect(pane.id('approval')).toContainText(LAST);
  console.log(`${rounds} requests, ${written.length} messages, ${sent.join('').length} characters: 0 answers given, 0 characters lost`);
}

for (const layout of ['plain', 'Mac'] as const) {
  test(`req 48: ${FAKE_ROUNDS} requests of the fake agent come and go while somebody types, ${layout} keyboard`, async ({ world }) => {
    if (isSoak) test.setTimeout(3_600_000);
    await world.start({ fake: true });
    const project = world.place.project();
    await world.server.addProject(project);
    const sessionId = await world.server.createSession(project, 'claude-code');
    const window = await world.window();
    if (layout === 'Mac') await window.page.addInitScript(() => Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' }));
    const pane = await window.openSession(sessionId);
    // Some are withdrawn by the agent itself.
    const asks = Array.from({ length: FAKE_ROUNDS }, (_, round) => (round % 5 === 4 ? `!brief 40 touch r${round}` : `!perm touch r${round}`));
    await world.server.send(sessionId, [...asks, `!perm ${LAST}`].join('\n'));
    await typeThrough(world, { window, pane, sessionId, count: FAKE_ROUNDS, isMac: layout === 'Mac' });
  });
}

const real = test.extend<{ model: ScriptedModel }>({
  model: async ({}, use) => {
    const model = new ScriptedModel();
    await model.start();
    await use(model);
    await model.stop();
  },
});

for (const pin of PINS) {
  real(`req 48, Claude Code, ${pin} pin: ${REAL_ROUNDS} requests come and go while somebody types`, async ({ world, model }) => {
    await world.start({ config: claudeConfig(model, pin) });
    const project = world.place.project();
    await world.server.addProject(project);
    const sessionId = await world.server.createSession(project, 'claude-code');
    const window = await world.window();
    const pane = await window.openSession(sessionId);
    const call = (command: string): string => `tool:Bash ${JSON.stringify({ command, description: 'Make a file' })}`;
    const asks = Array.from({ length: REAL_ROUNDS }, (_, round) => call(`touch r${round}`));
    await world.server.send(sessionId, [...asks, call(LAST)].join(' then:next '));
    await typeThrough(world, { window, pane, sessionId, count: REAL_ROUNDS, isMac: false });
  });
}
