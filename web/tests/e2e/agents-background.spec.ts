/**
 * Sub-agents and commands that the real Claude Code runs in the background, past the end of their turn. Each waits at a
 * gate, which a file in the project opens, so nothing here depends on time.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import type { HistoryPage } from '../../src/gen/contracts';
import { expect, type Pane, test as base, until, type Window, type World } from './harness';
import { claudeConfig, type Pin, PINS, ScriptedModel } from './harness/agents';
import { Server } from './harness/server';

/** A stopped server refuses connections, and the browser says so. */
const NETWORK = /ERR_CONNECTION|WebSocket connection/;
const IDLE = '[sessions]\nidle-minutes = 0\nidle-seconds = 1\n';
const NOTES = ['"look" was stopped', '"count" was stopped'] as const;

type Entries = HistoryPage['entries'];
type Real = { project: string; id: string; window: Window; pane: Pane };

const test = base.extend<{ pin: Pin; more: string; model: ScriptedModel; real: Real }>({
  pin: ['old', { option: true }],
  /** More of the configuration. */
  more: ['', { option: true }],
  model: async ({}, use) => {
    const model = new ScriptedModel();
    await model.start();
    await use(model);
    await model.stop();
  },
  real: async ({ pin, more, world, model }, use) => {
    world.place.write('home/.claude/settings.json', JSON.stringify({ permissions: { allow: ['Bash'] } }));
    const server = await world.start({ config: `${claudeConfig(model, pin)}${more}` });
    const project = world.place.project();
    await server.addProject(project);
    const id = await server.createSession(project, 'claude-code');
    const window = await world.window();
    await window.page.setViewportSize({ width: 1280, height: 1400 });
    await use({ project, id, window, pane: await window.openSession(id) });
  },
});

const wait = (gate: string): string => `until [ -e ${gate} ]; do sleep 0.05; done`;
const tool = (name: string, input: object): string => `tool:${name} ${JSON.stringify(input)}`;
const open = (project: string, gate: string): void => writeFileSync(join(project, gate), '');

/** The old version runs a sub-agent in the background only if it is asked to. */
function subAgent(prompt: string): string {
  return tool('Agent', { description: 'look', prompt, subagent_type: 'general-purpose', run_in_background: true });
}

/** A sub-agent that waits at `inner` and then writes a file, and a command that waits at `two` and `three`. */
function work(project: string): string {
  const inner = tool('Bash', { command: `${wait('inner')}; echo inner done`, description: 'inner' });
  const write = tool('Write', { file_path: join(project, 'note.txt'), content: 'hello\n' });
  const command = `echo one; ${wait('two')}; echo two; ${wait('three')}; echo three`;
  const background = tool('Bash', { command, description: 'count', run_in_background: true });
  return `${subAgent(`say:begin\n${inner}\nthen:writing\n${write}\nthen:end`)}\n${background}\nthen:started`;
}

/** The calls that run in the background, in the order in which they began. */
const inBackground = (pane: Pane): Locator => pane.root.locator('[data-testid="tool-card"]:has(> button [data-testid="background-tag"])');
const agentCard = (pane: Pane): Locator => inBackground(pane).first();
const commandCard = (pane: Pane): Locator => inBackground(pane).last();

async function expectRunning(pane: Pane, tasks: number): Promise<void> {
  const status = pane.id('background-status');
  await expect(status).toHaveAttribute('data-count', String(tasks));
  await expect(status).toContainText(`Running in the background: ${tasks === 1 ? '1 task' : `${tasks} tasks`}`);
}

/** Sends work and waits until its turn is over and both tasks run. */
async function begin({ pane, project }: Real): Promise<void> {
  await pane.send(work(project));
  await pane.isIdle();
  await expectRunning(pane, 2);
}

async function expand(card: Locator): Promise<void> {
  await card.getByRole('button').first().click();
}

/** What a person sees of the transcript, with every call opened. */
async function transcript(pane: Pane): Promise<unknown> {
  const keys = await pane.keys();
  const cards = await pane.id('tool-card').evaluateAll((all) => all.map((card) => `${(card as HTMLElement).dataset['status']} ${card.querySelector('.tool-subject')?.textContent}`));
  const texts = await pane.id('agent-row').allInnerTexts();
  return { keys, cards, texts };
}

/**
 * Rows without what only a server knows: requests and their answers, times and ids. Sub-agents may stand among other rows
 * or behind their call, so each call has its own list.
 */
function comparable(entries: Entries): Record<string, unknown[]> {
  const lists: Record<string, unknown[]> = {};
  for (const entry of entries) {
    if (entry.type === 'permission') continue;
    const row = entry.type === 'tool_call'
      ? [entry.toolName, entry.toolOutput, entry.status, entry.errorCode, entry.detached ?? false]
      : [entry.type, 'content' in entry ? entry.content : undefined, entry.status];
    (lists[entry.parentCallId ?? ''] ??= []).push(row);
  }
  return lists;
}

/** The session as a server without any data of its own reads it from the agent's files. */
async function readFromFiles(world: World, { project, id }: Real): Promise<Entries> {
  const place = Object.assign(Object.create(world.place) as typeof world.place, { data: join(world.place.root, 'other-data') });
  const server = new Server(place, world.server.options);
  await server.start();
  await server.addProject(project);
  await server.json('POST', `/api/session/${encodeURIComponent(id)}/load`);
  const entries = await server.history(id);
  await server.stop();
  return entries;
}

/** Lets the work run to its end. */
async function finish({ pane, project }: Real): Promise<void> {
  open(project, 'inner');
  await pane.root.locator('[data-testid="approval-option"][data-kind="allow_once"]').first().click();
  await expectRunning(pane, 1);
  await expect(pane.rows('note').filter({ hasText: 'Agent "look" finished' })).toHaveCount(1);
  await pane.isIdle();
  open(project, 'two');
  open(project, 'three');
  await expect(pane.id('background-status')).toHaveCount(0);
  await expect(pane.rows('note').filter({ hasText: 'Background command "count" completed' })).toHaveCount(1);
  await pane.isIdle();
}

for (const pin of PINS) {
  test.describe(`background work, ${pin} pin of Claude Code`, () => {
    test.use({ pin });

    test.describe('with a short idle limit', () => {
      test.use({ more: IDLE });

      test('it is followed past its turn in every window, over the idle limit, a reload and messages', async ({ world, real }) => {
        const { project, id, window, pane } = real;
        await begin(real);
        await expect(pane.id('background-tag')).toHaveCount(2);
        await expect(window.listed(id).locator('.glyph')).toHaveAttribute('data-status', 'background');
        await expand(commandCard(pane));
        await expect(commandCard(pane).getByTestId('output')).toContainText('one');
        await expand(agentCard(pane));
        await expect(pane.id('sub-agent').getByTestId('agent-row')).toHaveText(/begin/);
        await expect(pane.id('sub-agent').getByTestId('tool-card')).toHaveAttribute('data-status', 'running');

        const other = await world.window();
        await other.page.setViewportSize({ width: 1280, height: 1400 });
        const there = await other.openSession(id);
        await expectRunning(there, 2);
        const idle = await world.server.createSession(project, 'claude-code');
        await until('an idle agent is ended', async () => !(await world.server.status(idle)).isAlive);
        expect((await world.server.status(id)).isAlive).toBe(true);
        await expand(commandCard(there));
        open(project, 'two');
        for (const each of [pane, there]) await expect(commandCard(each).getByTestId('output')).toContainText('two');

        await window.page.reload();
        await expectRunning(pane, 2);
        await expect(commandCard(pane)).toHaveAttribute('data-status', 'running');
        await there.turn('say:meanwhile');
        await expect(there.id('agent-row').last()).toContainText('meanwhile');
        open(project, 'inner');
        await expect(pane.id('background-status')).toContainText('Waiting for your answer');
        await expect(there.id('approval')).toBeVisible();
        expect(existsSync(join(project, 'note.txt'))).toBe(false);
        await pane.root.locator('[data-testid="approval-option"][data-kind="allow_once"]').first().click();
        await expect(there.id('approval')).toHaveCount(0);
        await expectRunning(there, 1);
        expect(readFileSync(join(project, 'note.txt'), 'utf8')).toBe('hello\n');
        await expect(pane.rows('note').filter({ hasText: 'Agent "look" finished' })).toHaveCount(1);
        open(project, 'three');
        for (const each of [pane, there]) {
          await expect(each.rows('note').filter({ hasText: 'Background command "count" completed' })).toHaveCount(1);
          await expect(each.id('background-status')).toHaveCount(0);
          await each.isIdle();
        }
        const fresh = await (await world.tab(window)).pane(id);
        await fresh.isReady();
        await fresh.page.setViewportSize({ width: 1280, height: 1400 });
        await expect(fresh.rows('note')).toHaveCount(2);
        const expected = await transcript(fresh);
        for (const each of [pane, there]) await expect.poll(() => transcript(each)).toEqual(expected);
        await until('the agent is ended', async () => !(await world.server.status(id)).isAlive);
      });
    });

    test('a server that reads the agent\'s files shows the same rows', async ({ world, real }) => {
      await begin(real);
      await finish(real);
      real.window.expectFaults(NETWORK);
      const rows = comparable(await world.server.history(real.id));
      await world.server.stop();
      expect(comparable(await readFromFiles(world, real))).toEqual(rows);
    });

    test('a stopped server says what it ended, and what is said next keeps its turn', async ({ world, real }) => {
      const { id, window, pane } = real;
      window.expectFaults(NETWORK);
      await begin(real);
      await pane.send('words:2000 slow:20ms');
      await expect(pane.id('agent-row').last()).toContainText('word3');
      await pane.send('say:queued');
      await expect(pane.id('queue-entry')).toHaveCount(1);
      await world.server.stop();
      await world.startAgain();
      await window.id('conn-pill').click();
      await window.isConnected();
      for (const card of [agentCard(pane), commandCard(pane)]) await expect(card).toHaveAttribute('data-status', 'ended');
      await expect(pane.id('background-status')).toHaveCount(0);
      const ended = (await world.server.history(id)).filter((entry) => entry.errorCode === 'BACKGROUND_ENDED');
      expect(ended).toHaveLength(3);
      await pane.id('queue-resume').click();
      await expect(pane.id('agent-row').last()).toHaveText(/queued/);
      await pane.isIdle();
      await pane.turn('say:next');
      await expect(pane.id('agent-row').last()).toHaveText(/next/);
      const entries = await world.server.history(id);
      for (const said of ['queued', 'next']) {
        const own = entries.filter((entry) => entry.type === 'message' && [`say:${said}`, said].includes(entry.content));
        expect(own).toHaveLength(2);
        expect(new Set(own.map((entry) => entry.turnId)).size).toBe(1);
      }
      expect(entries.filter((entry) => entry.errorCode === 'BACKGROUND_ENDED')).toEqual(ended);
    });

    test('it is stopped by its button, and says so', async ({ world, real }) => {
      const { id, pane } = real;
      await begin(real);
      await pane.id('stop-background').click();
      await expect(pane.id('background-status')).toHaveCount(0);
      for (const card of [agentCard(pane), commandCard(pane)]) {
        await expect(card).toHaveAttribute('data-status', 'ended');
        await expect(card.getByTestId('tool-ended')).toContainText('was stopped');
      }
      for (const note of NOTES) await expect(pane.rows('note').filter({ hasText: note })).toHaveCount(1);
      await pane.isIdle();
      await pane.turn('say:next');
      await expect(pane.id('agent-row').last()).toHaveText(/next/);
      const open = (await world.server.history(id)).filter((entry) => entry.status !== 'complete' && entry.status !== 'error');
      expect(open).toEqual([]);
    });
  });
}
