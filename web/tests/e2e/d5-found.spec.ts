/** Sessions that were begun elsewhere: found, opened, and noticed when they go on elsewhere. */
import { appendFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './harness';
import { claudeLine, claudeSession, codexSession, idOf, lines } from './harness/on-disk';
import { codexConfig } from './harness/agents';

test('B10 existing sessions: listed for paths with dots, underscores, spaces and links', async ({ world }) => {
  const server = await world.start({ fake: true, config: codexConfig() });
  const names = ['my.app', 'under_score', 'with space', 'ünïcode'];
  for (const [index, name] of names.entries()) {
    const directory = world.place.project(name);
    claudeSession(world.place, directory, index + 1, `claude in ${name}`);
    codexSession(world.place, directory, index + 1, `codex in ${name}`);
    await server.addProject(directory);
  }
  const real = world.place.project('real');
  symlinkSync(real, join(world.place.root, 'link'));
  claudeSession(world.place, real, 20, 'claude behind the link');
  await server.addProject(join(world.place.root, 'link'));
  const window = await world.window();
  for (const name of names) {
    await expect(window.id('session-row').filter({ hasText: `claude in ${name}` })).toHaveCount(1);
    await expect(window.id('session-row').filter({ hasText: `codex in ${name}` })).toHaveCount(1);
  }
  await expect(window.id('session-row').filter({ hasText: 'claude behind the link' })).toHaveCount(1);
});

test('B10 existing sessions: one whose directory is gone is listed and read', async ({ world }) => {
  const server = await world.start({ fake: true });
  const project = world.place.project('gone');
  claudeSession(world.place, project, 1, 'where is it');
  await server.addProject(project);
  rmSync(project, { recursive: true });
  const window = await world.window();
  const pane = await window.openSession(`claude-code:${idOf(1, 4)}`);
  await expect(pane.id('agent-row')).toContainText('answer to where is it');
  await pane.id('tool-card').getByRole('button').first().click();
  await expect(pane.id('tool-card')).toContainText('in the file');
});

test('B11 existing sessions: opened with their tools and thoughts', async ({ world }) => {
  const server = await world.start({ fake: true });
  const project = world.place.project('my.app_one two');
  claudeSession(world.place, project, 1, 'begun in a terminal');
  await server.addProject(project);
  const window = await world.window();
  const pane = await window.openSession(`claude-code:${idOf(1, 4)}`);
  await expect(pane.rows('user')).toHaveText(/begun in a terminal/);
  await expect(pane.id('thinking')).toHaveCount(1);
  await expect(pane.id('agent-row')).toContainText('answer to begun in a terminal');
  await pane.id('thinking').getByRole('button').first().click();
  await expect(pane.id('thinking')).toContainText('Let me look.');
  const fold = pane.id('fold');
  if (await fold.count() > 0) await fold.getByRole('button').first().click();
  await pane.id('tool-card').getByRole('button').first().click();
  await expect(pane.id('tool-card')).toContainText('in the file');
});

test('B12 divergence: a session that goes on in another program says so, and is read again', async ({ world }) => {
  const server = await world.start({ fake: true });
  const project = world.place.project();
  const file = claudeSession(world.place, project, 1, 'begun in a terminal');
  await server.addProject(project);
  const window = await world.window();
  const pane = await window.openSession(`claude-code:${idOf(1, 4)}`);
  let number = 6;
  await expect(async () => {
    // The server compares with what it saw last, so the other program goes on until it was seen.
    appendFileSync(file, lines([claudeLine(project, idOf(1, 4), number, 'user', `gone on elsewhere ${number}`), claudeLine(project, idOf(1, 4), number + 1, 'assistant', { type: 'text', text: `heard ${number}` })]));
    number += 2;
    await expect(pane.id('diverged')).toBeVisible({ timeout: 2000 });
  }).toPass();
  await pane.id('diverged').getByRole('button', { name: 'Read it again' }).click();
  await expect(pane.id('diverged')).toHaveCount(0);
  await expect(pane.id('agent-row').last()).toContainText(`heard ${number - 2}`);
  await expect(pane.rows('user').last()).toContainText(`gone on elsewhere ${number - 2}`);
});
