/** The real Claude Code and the real Codex behind the page; only the model is scripted. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator } from '@playwright/test';
import { clause, expect, type Pane, test as base, type Window, type World } from './harness';
import { claude, claudeEnvironment, type Pin, PINS, realAgents, ScriptedModel } from './harness/agents';

const test = base.extend<{ pin: Pin; model: ScriptedModel; real: { window: Window; project: string } }>({
  /** Which Claude Code answers; tests of it run with each. */
  pin: ['old', { option: true }],
  model: async ({}, use) => {
    const model = new ScriptedModel();
    await model.start();
    await use(model);
    await model.stop();
  },
  real: async ({ pin, world, model }, use) => {
    const server = await world.start({ config: realAgents(model, world.place, pin) });
    const project = world.place.project();
    await server.addProject(project);
    await use({ window: await world.window(), project });
  },
});

const WRITE = (project: string): string => `tool:Write {"file_path":"${project}/note.txt","content":"hello\\n"}`;
const ESCALATE = (project: string): string =>
  `tool:exec_command {"cmd":"touch ${project}/made","sandbox_permissions":"require_escalated","justification":"why"}`;
const SHELL = 'echo in the shell';
const CLAUDE_WORK = `think:let me look tool:Bash {"command":"${SHELL}","description":"look"}\nthen: say:that was it`;
const CODEX_WORK = `think:let me look tool:exec_command {"cmd":"${SHELL}"}\nthen: say:that was it`;
const PATCH = String.raw`tool:apply_patch {"input":"*** Begin Patch\n*** Add File: a.txt\n+hello\n*** End Patch\n"}`;

async function allow(pane: Pane): Promise<void> {
  await pane.root.locator('[data-testid="approval-option"][data-kind="allow_once"]').first().click();
  await expect(pane.id('approval')).toHaveCount(0);
}

/** A call that ran a command shows its name, its arguments as they were given, and its result. */
async function expectCall(card: Locator, name: string, command: string, output: string): Promise<void> {
  await expect(card).toHaveAttribute('data-status', 'ok');
  await card.getByRole('button').first().click();
  await expect(card.locator('.tool-foot .mono')).toHaveText(name);
  await expect(card.locator('.command-line')).toContainText(command);
  await expect(card.getByTestId('output')).toContainText(output);
  await card.getByTestId('raw-toggle').click();
  await expect(card.getByTestId('raw-input')).toContainText(command);
}

/** What was asked, a thought, a call with its result and an answer, in this order; then later answers. */
async function expectStored(pane: Pane, name: string, command: string, ...later: string[]): Promise<void> {
  await expect(pane.id('agent-row')).toHaveText([/that was it/, ...later.map((answer) => new RegExp(answer))]);
  await expect(pane.rows('user')).toHaveText([/let me look/, ...later.map((answer) => new RegExp(`say:${answer}`))]);
  await pane.id('thinking').getByRole('button').first().click();
  await expect(pane.id('thinking')).toContainText('let me look');
  await expectCall(pane.id('tool-card'), name, command, 'in the shell');
  const kinds = await pane.root.locator('[data-testid="row"]').evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset['kind']));
  const shown = kinds.filter((kind) => ['user', 'thinking', 'tool', 'agent'].includes(kind ?? ''));
  expect(shown).toEqual(['user', 'thinking', 'tool', 'agent', ...later.flatMap(() => ['user', 'agent'])]);
}

/** Opens a session by a server that has none of its own data. */
async function openWithoutData(world: World, model: ScriptedModel, pin: Pin, project: string, first: Pane): Promise<Pane> {
  const id = await first.sessionId();
  await first.page.close();
  await world.server.stop();
  rmSync(world.place.data, { recursive: true });
  const server = await world.start({ config: realAgents(model, world.place, pin) });
  await server.addProject(project);
  const window = await world.window();
  await expect(window.listed(id)).toContainText('terminal');
  return window.openSession(id);
}

/** The pane that is shown instead of another one. */
async function shownPane(window: Window, other: string): Promise<Pane> {
  const shown = window.page.locator(`[data-testid="pane"].shown:not([data-session="${other}"])`);
  await expect(shown).toBeVisible();
  return window.pane(await shown.getAttribute('data-session') as string);
}

async function stopsInTheMiddle(pane: Pane): Promise<void> {
  await pane.send('words:2000 slow:20ms');
  await expect(pane.id('agent-row').last()).toContainText(/\w+ \w+/);
  await pane.id('stop').click();
  await pane.isIdle();
  await pane.turn('say:still here');
  await expect(pane.id('agent-row').last()).toContainText('still here');
}

async function answerStreams(pane: Pane): Promise<void> {
  await pane.send('words:60 slow:20ms');
  await expect(pane.root.locator('[data-testid="row"][data-kind="agent"][data-status="update"]')).toHaveCount(1);
  await pane.isIdle();
  await expect(pane.root.locator('[data-testid="row"][data-kind="agent"][data-status="complete"]')).toHaveCount(1);
  await pane.turn('say:the last word');
  await expect(pane.id('agent-row').last()).toContainText('the last word');
}

/** What Claude Code answers in a terminal, in the same project. */
async function inTerminal(pin: Pin, world: World, model: ScriptedModel, project: string, ...words: string[]): Promise<string> {
  const environment = { PATH: process.env['PATH'] ?? '', HOME: world.place.home, ...claudeEnvironment(model) };
  const running = promisify(execFile)(claude[pin], ['-p', ...words], { cwd: project, env: environment });
  running.child.stdin?.end();
  return (await running).stdout;
}

for (const pin of PINS) {
  test.describe(`${pin} pin of Claude Code`, () => {
    test.use({ pin });

    test('TC-8.1a Claude Code: a session is made, and its answer streams', async ({ real }) => {
      await answerStreams(await real.window.newSession('Claude Code'));
    });

    test('TC-8.1b Claude Code: a tool asks, is allowed in the page, runs and shows its change', async ({ real }) => {
      const pane = await real.window.newSession('Claude Code');
      await pane.send(WRITE(real.project));
      await expect(pane.id('approval')).toBeVisible();
      expect(existsSync(join(real.project, 'note.txt'))).toBe(false);
      await allow(pane);
      await pane.isIdle();
      expect(readFileSync(join(real.project, 'note.txt'), 'utf8')).toBe('hello\n');
      await expect(pane.id('tool-card')).toHaveAttribute('data-status', 'ok');
      await pane.id('tool-card').getByRole('button').first().click();
      await expect(pane.id('diff')).toContainText('hello');
      await expect(pane.id('permission-row')).toHaveAttribute('data-outcome', 'allowed');
    });

    test('TC-8.1b Claude Code: a call shows its name, its arguments and its result', async ({ real }) => {
      const pane = await real.window.newSession('Claude Code');
      await pane.turn(`tool:Bash {"command":"${SHELL}","description":"look"}`);
      await expectCall(pane.id('tool-card'), 'Bash', SHELL, 'in the shell');
    });

    test('TC-7.3a Claude Code: a session that is loaded shows its thoughts, calls and answers', async ({ world, model, real }) => {
      const first = await real.window.newSession('Claude Code');
      await first.turn(CLAUDE_WORK);
      const pane = await openWithoutData(world, model, pin, real.project, first);
      await expectStored(pane, 'Bash', SHELL);
      await pane.turn('say:from the page');
      await expect(pane.id('agent-row').last()).toContainText('from the page');
    });

    test('B8 approvals, Claude Code: one of a sub-agent survives a reload', async ({ real }) => {
      const pane = await real.window.newSession('Claude Code');
      const inner = WRITE(real.project).replaceAll('\\', '\\\\').replaceAll('"', '\\"');
      await pane.send(`tool:Agent {"description":"look","prompt":"${inner}","subagent_type":"general-purpose","run_in_background":false}`);
      await expect(pane.id('approval')).toBeVisible();
      await real.window.page.reload();
      await expect(pane.id('approval')).toBeVisible();
      await allow(pane);
      await pane.isIdle();
      expect(readFileSync(join(real.project, 'note.txt'), 'utf8')).toBe('hello\n');
    });

    test('req 33, Claude Code: what a sub-agent does stands inside its call, and is made when it is opened', async ({ real }) => {
      const pane = await real.window.newSession('Claude Code');
      await pane.send('tool:Agent {"description":"look","prompt":"tool:Bash {\\"command\\":\\"echo from inside\\"}","subagent_type":"general-purpose","run_in_background":false}');
      const group = pane.id('tool-card').first();
      await clause('33b', () => expect(group).toHaveAttribute('data-status', 'ok'));
      await clause('33c', () => expect(group.locator('.chip')).toHaveText(/\d steps?/));
      await clause('33d', async () => {
        await expect(pane.id('sub-agent')).toHaveCount(0);
        await expect(pane.id('tool-card')).toHaveCount(1);
      });
      await group.getByRole('button').first().click();
      const inner = pane.id('sub-agent').getByTestId('tool-card');
      await clause('33a', async () => {
        await expect(inner).toHaveCount(1);
        await expect(inner).toHaveAttribute('data-status', 'ok');
        await expect(inner).toContainText('echo from inside');
      });
      await group.getByRole('button').first().click();
      await expect(pane.id('sub-agent')).toHaveCount(0);
    });

    test('req 52, Claude Code: its mode is shown from the beginning, and what is chosen holds', async ({ real }) => {
      const pane = await real.window.newSession('Claude Code');
      const menu = pane.id('setting-mode');
      await expect(menu).toHaveAccessibleName('Mode: Ask first');
      await menu.click();
      await real.window.page.getByRole('menuitemradio', { name: /Accept edits/ }).click();
      await expect(menu).toHaveAccessibleName('Mode: Accept edits');
      await pane.turn(WRITE(real.project));
      expect(readFileSync(join(real.project, 'note.txt'), 'utf8')).toBe('hello\n');
      await expect(pane.id('approval')).toHaveCount(0);
      await expect(menu).toHaveAccessibleName('Mode: Accept edits');
    });

    test('TC-8.1c Claude Code: a turn is stopped in the middle, and the next one works', async ({ real }) => {
      await stopsInTheMiddle(await real.window.newSession('Claude Code'));
    });

    test('req 46, Claude Code: a message that waits is put into the turn that runs', async ({ real }) => {
      const pane = await real.window.newSession('Claude Code');
      await pane.send('tool:Bash {"command":"until [ -e go ]; do sleep 0.05; done; rm go"}');
      await allow(pane);
      await pane.send('say:taken in');
      await pane.id('queue-steer').click();
      await expect(pane.id('queue-entry')).toHaveCount(0);
      await clause('46f', () => expect(pane.rows('user')).toHaveText([/tool:Bash/, /taken in/]));
      writeFileSync(join(real.project, 'go'), '');
      await pane.isIdle();
      await expect(pane.rows('turn-end')).toHaveCount(1);
      await expect(pane.rows('user')).toHaveCount(2);
    });

    test('TC-8.3a both agents: tabs switch, and each keeps its history', async ({ real }) => {
      const { window } = real;
      const one = await window.newSession('Claude Code');
      await one.turn('say:by the first');
      const two = await window.newSession('Codex');
      await two.turn('say:by the second');
      await window.id('tab').first().click();
      await expect(one.id('agent-row')).toHaveText(/by the first/);
      await expect(two.root).not.toHaveClass(/\bshown\b/);
      await window.id('tab').last().click();
      await expect(two.id('agent-row')).toHaveText(/by the second/);
      await window.page.reload();
      await expect(two.id('agent-row')).toHaveText(/by the second/);
      await window.id('tab').first().click();
      await expect(one.id('agent-row')).toHaveText(/by the first/);
    });

    test('TC-8.3b Claude Code: a session begun in a terminal is listed, opened and continued', async ({ world, model, real }) => {
      expect(await inTerminal(pin, world, model, real.project, CLAUDE_WORK)).toContain('that was it');
      expect(await inTerminal(pin, world, model, real.project, '--continue', 'say:and again')).toContain('and again');
      const row = real.window.id('session-row').filter({ hasText: 'let me look' });
      await expect(row).toHaveCount(1);
      const pane = await real.window.openSession(await row.getAttribute('data-session') as string);
      await expectStored(pane, 'Bash', SHELL, 'and again');
      await pane.turn('say:from the page');
      await expect(pane.id('agent-row').last()).toContainText('from the page');
    });

    test('B12 divergence, Claude Code: a session that was continued in a terminal goes on in a fork', async ({ world, model, real }) => {
      const { window } = real;
      const pane = await window.newSession('Claude Code');
      await pane.turn('say:from inside');
      const id = await pane.sessionId();
      let times = 0;
      await expect(async () => {
        // What comes right after a turn is taken for the agent's own, so the other program goes on until it was seen.
        await inTerminal(pin, world, model, real.project, '--resume', id.replace('claude-code:', ''), `say:outside ${times += 1}`);
        await expect(pane.id('diverged')).toBeVisible({ timeout: 5000 });
      }).toPass();
      await pane.id('diverged').getByTestId('fork').click();
      const fork = await shownPane(window, id);
      await expect(fork.id('agent-row').first()).toContainText('from inside');
      await expect(fork.id('agent-row').last()).toContainText(`outside ${times}`);
      await fork.turn('say:on our own');
      await expect(fork.id('agent-row').last()).toContainText('on our own');
      await window.id('tab').first().click();
      await expect(pane.rows('user').filter({ hasText: 'on our own' })).toHaveCount(0);
    });
  });
}

test('TC-8.2a Codex: a session is made, and its answer streams', async ({ real }) => {
  await answerStreams(await real.window.newSession('Codex'));
});

test('TC-8.2b Codex: a tool asks, is allowed in the page, and a patch is shown as a change', async ({ real }) => {
  const pane = await real.window.newSession('Codex');
  await pane.send(ESCALATE(real.project));
  await allow(pane);
  await pane.isIdle();
  expect(existsSync(join(real.project, 'made'))).toBe(true);
  await pane.turn(PATCH);
  const card = pane.id('tool-card').last();
  await expect(card).toHaveAttribute('data-status', 'ok');
  await card.getByRole('button').first().click();
  await expect(card.getByTestId('diff')).toContainText('hello');
});

test('TC-8.2b Codex: a call shows its name, its arguments and its result', async ({ real }) => {
  const pane = await real.window.newSession('Codex');
  await pane.turn(`tool:exec_command {"cmd":"${SHELL}"}`);
  await expectCall(pane.id('tool-card'), 'exec_command', SHELL, 'in the shell');
});

test('Codex: a turn is stopped in the middle, and the next one works', async ({ real }) => {
  await stopsInTheMiddle(await real.window.newSession('Codex'));
});

test('Codex: a session is forked from its menu, and both go on by themselves', async ({ real }) => {
  const { window } = real;
  const pane = await window.newSession('Codex');
  await pane.turn('say:remember the fox');
  const id = await pane.sessionId();
  await pane.id('pane-menu').click();
  await window.page.getByRole('menuitem', { name: 'Fork session' }).click();
  const fork = await shownPane(window, id);
  await expect(fork.id('agent-row')).toHaveText([/remember the fox/]);
  await fork.turn('say:and the hound');
  await expect(fork.id('agent-row')).toHaveText([/remember the fox/, /and the hound/]);
  await fork.id('forked-from').getByRole('link').click();
  await expect(pane.root).toHaveClass(/\bshown\b/);
  await expect(pane.id('forked-from')).toHaveCount(0);
  await window.id('tab').first().click();
  await expect(pane.id('agent-row')).toHaveText([/remember the fox/]);
});

test('TC-7.3b B10, B11 existing sessions, Codex: a session that is loaded shows its thoughts, calls and answers', async ({ pin, world, model, real }) => {
  const first = await real.window.newSession('Codex');
  await first.turn(CODEX_WORK);
  await expectStored(await openWithoutData(world, model, pin, real.project, first), 'exec_command', SHELL);
});
