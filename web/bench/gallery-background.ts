/** Work that its turn leaves running: sub-agents and commands in the background, and how they end. Asserts nothing. */
import { moreSessions } from '../tests/e2e/demo-world';
import { expect, test } from '../tests/e2e/harness';
import { take } from './gallery-camera';
import { prompter, shop } from './gallery-world';

const TURN = 'turn-in-the-background';
const ABILITIES = { models: [], commands: [], permissionModes: [], options: [], attachments: { images: false, files: false }, steer: false };
const OPTIONS = [{ optionId: 'yes', name: 'Allow once', kind: 'allow_once' }, { optionId: 'no', name: 'Reject', kind: 'reject_once' }];

/** Frames of one session, numbered behind those of the server. */
function script(sessionId: string) {
  let seq = 1000;
  const firsts = new Map<string, number>();
  const began = new Date(Date.now() - 95_000).toISOString();
  const item = (itemId: string, status: string, body: object): object => {
    seq += 1;
    if (!firsts.has(itemId)) firsts.set(itemId, seq);
    const payload = { turnId: TURN, sessionId, itemId, status, startedAt: began, sourceTimestamp: new Date().toISOString(), emittedAt: began, ...body };
    return { type: 'session:upsert', sessionId, seq, firstSeq: firsts.get(itemId), payload };
  };
  const call = (itemId: string, status: string, toolName: string, toolArguments: object, body: object): object =>
    item(itemId, status, { type: 'tool_call', callId: itemId, toolName, toolArguments, ...body });
  const turn = (payload: object): object => ({ type: 'session:turn', sessionId, seq: seq += 1, payload: { turnId: TURN, sessionId, ...payload } });
  const state = (body: object): object => ({ type: 'session:state', sessionId, state: 'idle', isAlive: true, pending: [], queue: [], agent: { abilities: ABILITIES, unknownLines: 0 }, title: 'Release the shop', ...body });
  return { item, call, turn, state };
}

type Script = ReturnType<typeof script>;

const build = ({ call }: Script, status: string, body: object): object =>
  call('build', status, 'Bash', { command: 'npm run build', run_in_background: true }, { kind: 'execute', detached: true, ...body });
const agent = ({ call }: Script, status: string, body: object = {}): object =>
  call('agent', status, 'Agent', { description: 'Look for callers', prompt: 'Find every caller of checkout()' }, { title: 'Look for callers', detached: true, ...body });

test('work in the background', async ({ world }) => {
  const { window, pane, id, project } = await shop(world, 'demo');
  const { page } = window;
  await moreSessions(world, project, 'Write the release notes', 'Why is the build slow?');
  await pane.turn('hello');
  const send = await prompter(page);
  await expect(pane.id('agent-row').first()).toBeVisible();
  const told = script(id);
  const { item, call, turn, state } = told;
  send(
    turn({ type: 'turn_started', modelId: 'm', providerId: 'p' }),
    item('prompt', 'complete', { type: 'message', origin: 'user', content: 'Build it and look for callers of checkout' }),
    build(told, 'update', { toolOutput: '> shop@1.0.0 build\n> vite build\n\n\u001b[36mvite\u001b[39m building for production…\n' }),
    agent(told, 'update'),
    item('said', 'complete', { type: 'message', origin: 'agent', content: 'Both run in the background. I will report when they are done.' }),
    state({ state: 'running', turn: TURN, turnStartedAt: new Date(Date.now() - 12_000).toISOString(), background: { running: 2 } }),
  );
  await expect(pane.id('background-beside')).toBeVisible();
  await take(page, 'background-in-turn');
  send(
    turn({ type: 'turn_complete', status: 'completed', usage: { inputTokens: 1200, outputTokens: 80 } }),
    call('grep', 'complete', 'Grep', { pattern: 'checkout\\(' }, { kind: 'search', parentCallId: 'agent', toolOutput: 'src/cart.ts:12' }),
    call('read', 'update', 'Bash', { command: 'git log --oneline src/cart.ts' }, { kind: 'execute', parentCallId: 'agent' }),
    item('inner', 'update', { type: 'message', origin: 'agent', parentCallId: 'agent', content: 'The cart calls it once; now its history' }),
    state({ background: { running: 2 } }),
  );
  await expect(pane.id('background-status')).toBeVisible();
  await take(page, 'background-closed');
  for (const index of [0, 1]) await pane.root.locator('[data-testid="row"] > [data-testid="tool-card"]').nth(index).getByRole('button').first().click();
  await expect(pane.id('sub-agent')).toBeVisible();
  await take(page, 'background-open');
  await page.setViewportSize({ width: 390, height: 780 });
  await window.id('drawer').click();
  await take(page, 'background-list', [390]);
  await page.setViewportSize({ width: 390, height: 780 });
  await page.locator('.scrim').click({ position: { x: 380, y: 400 } });
  await page.setViewportSize({ width: 1440, height: 900 });
  send(
    item('asked', 'create', { type: 'permission', parentCallId: 'agent', callId: 'read', toolName: 'Bash', title: 'Bash: git log', input: { command: 'git log --oneline src/cart.ts' }, acceptsReason: true, options: OPTIONS }),
    state({ state: 'waiting', pending: ['asked'], background: { running: 2 } }),
  );
  await expect(pane.id('approval')).toBeVisible();
  await take(page, 'background-asks');
  send(
    build(told, 'complete', { toolOutput: 'built in 41.20s\n', exitCode: 0 }),
    agent(told, 'error', { errorCode: 'BACKGROUND_ENDED', errorMessage: 'Look for callers was stopped' }),
    item('inner', 'error', { type: 'message', origin: 'agent', parentCallId: 'agent', content: 'The cart calls it once; now its history', errorCode: 'BACKGROUND_ENDED', errorMessage: 'Look for callers was stopped' }),
    item('asked', 'error', { type: 'permission', parentCallId: 'agent', callId: 'read', toolName: 'Bash', title: 'Bash: git log', input: { command: 'git log --oneline src/cart.ts' }, acceptsReason: true, options: OPTIONS, outcome: { by: 'agent' } }),
    state({}),
  );
  await expect(pane.id('background-status')).toBeHidden();
  await take(page, 'background-over');
});
