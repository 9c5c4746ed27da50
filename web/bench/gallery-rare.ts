/** What is seen seldom: sub-agents of the real Claude Code, a fault of the page itself, a word before danger, files on their way. Asserts nothing. */
import type { Page } from '@playwright/test';
import { able } from '../tests/e2e/able-world';
import { withFakeAgent } from '../tests/e2e/fake-world';
import { expect, test } from '../tests/e2e/harness';
import { realAgents, ScriptedModel } from '../tests/e2e/harness/agents';
import { take } from './gallery-camera';
import { shop } from './gallery-world';

test('sub-agents', async ({ world }) => {
  const model = new ScriptedModel();
  await model.start();
  const { window, pane } = await shop(world, 'claude-code', { config: realAgents(model, world.place, 'old') });
  const inner = (word: string): string => `tool:Bash {\\"command\\":\\"echo ${word}\\"}`;
  await pane.send(`tool:Agent {"description":"Look for callers","prompt":"${inner('from inside')}","subagent_type":"general-purpose","run_in_background":false}`);
  await pane.isIdle();
  await take(window.page, 'sub-agent-closed');
  await pane.id('tool-card').first().getByRole('button').first().click();
  await pane.id('sub-agent').getByTestId('tool-card').getByRole('button').first().click();
  await take(window.page, 'sub-agent-open');
  await pane.send(`tool:Agent {"description":"Write it down","prompt":"tool:Write {\\"file_path\\":\\"${world.place.project('shop')}/note.txt\\",\\"content\\":\\"hello\\"}","subagent_type":"general-purpose","run_in_background":false}`);
  await expect(pane.id('approval')).toBeVisible();
  await take(window.page, 'sub-agent-asks');
  await model.stop();
});

/** Has what rows or lists are made with fail from the next start of the page on. */
async function spoil(page: Page, part: 'rows' | 'lists'): Promise<void> {
  await page.addInitScript((part) => {
    const fail = (): never => { throw new Error('cannot read properties of undefined (reading “content”)'); };
    if (part === 'rows') Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', { get: fail });
    else Date.parse = fail;
  }, part);
}

test('faults of the page itself', async ({ world }) => {
  const { window, pane } = await shop(world, 'demo');
  window.expectFaults(/./);
  await pane.turn('hello');
  await spoil(window.page, 'rows');
  await window.page.reload();
  await expect(window.id('broken-pane')).toBeVisible();
  await take(window.page, 'broken-pane');
  await spoil(window.page, 'lists');
  await window.page.reload();
  await expect(window.id('broken')).toBeVisible();
  await take(window.page, 'broken');
});

test('a word before the agent acts unasked', async ({ world }) => {
  const { window, sessionId } = await withFakeAgent(world, '', ['--allow-bypass']);
  window.expectFaults(/403/);
  const pane = await window.openSession(sessionId);
  await pane.turn('!say 3');
  await pane.id('setting-mode').click();
  await take(window.page, 'modes');
  await window.page.getByRole('menuitemradio', { name: /Bypass/ }).click();
  await expect(window.id('unguarded-dialog')).toBeVisible();
  await take(window.page, 'unguarded-dialog');
  await window.id('unguarded-dialog').getByTestId('confirm').click();
  await expect(pane.id('unguarded')).toBeVisible();
  await take(window.page, 'unguarded-session');
});

test('files on their way', async ({ world }) => {
  const { window, pane } = await shop(world, 'able', { config: able('files') });
  await window.page.route('**/attachments', () => undefined);
  const picture = await window.page.screenshot({ clip: { x: 0, y: 0, width: 300, height: 200 } });
  await pane.id('attach-input').setInputFiles([
    { name: 'screenshot.png', mimeType: 'image/png', buffer: picture },
    { name: 'a-log-with-a-rather-long-name-of-the-build.txt', mimeType: 'text/plain', buffer: Buffer.alloc(48_000, 'x') },
  ]);
  await pane.input.fill('Why is the button cut off?');
  await expect(pane.root.locator('[data-testid="file"][data-state="waiting"]')).toHaveCount(2);
  await take(window.page, 'files-waiting');
});
