/** What stands between a person and harm: a word before the agent acts unasked, and a fault that stays where it is. */
import { demoWorld, moreSessions } from './demo-world';
import { withFakeAgent } from './fake-world';
import { expect, type Pane, test } from './harness';
import { fakeAgent } from './harness/place';

const UNGUARDED = 'Bypass permissions';

async function chooseMode(pane: Pane, name: string): Promise<void> {
  await pane.id('setting-mode').click();
  await pane.root.page().getByRole('menuitemradio', { name: new RegExp(name) }).click();
}

test('an agent acts unasked only after a person has said so, and the session shows it', async ({ world }) => {
  const { window, sessionId } = await withFakeAgent(world, '', ['--allow-bypass']);
  const pane = await window.openSession(sessionId);
  window.expectFaults(/403/);
  await pane.turn('!say 1');
  const dialog = window.id('unguarded-dialog');
  await chooseMode(pane, UNGUARDED);
  await expect(dialog).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await window.page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(pane.id('unguarded')).toHaveCount(0);
  await expect(pane.id('setting-mode')).not.toContainText(UNGUARDED);
  await chooseMode(pane, UNGUARDED);
  await dialog.getByTestId('confirm').click();
  await expect(pane.id('unguarded')).toBeVisible();
  await expect(pane.id('setting-mode')).toContainText(UNGUARDED);
  await pane.turn('!say 1');
  await window.page.reload();
  await expect(pane.id('unguarded')).toBeVisible();
});

test('where acting unasked was not allowed nobody is asked to confirm it, but told what to do', async ({ world }) => {
  const { window, sessionId } = await withFakeAgent(world);
  const pane = await window.openSession(sessionId);
  window.expectFaults(/403/);
  await pane.turn('!say 1');
  await chooseMode(pane, UNGUARDED);
  await expect(window.id('toasts')).toContainText('--allow-bypass');
  await expect(window.id('unguarded-dialog')).toHaveCount(0);
  await expect(pane.id('unguarded')).toHaveCount(0);
});

/** Agents that speak ACP, as they are configured: the modes they offer, the first in force. */
function acpAgents(agents: Record<string, string>): string {
  const entry = ([name, modes]: [string, string]): string =>
    `[agents.${name}]\ncommand = ${JSON.stringify(fakeAgent)}\nenv = { FAKE_AGENT_SPEAKS = "acp", FAKE_AGENT_MODES = ${JSON.stringify(modes)} }\n`;
  return Object.entries(agents).map(entry).join('');
}

test('modes of ACP agents that do not ask need a confirmation, and the band says what is in force', async ({ world }) => {
  const config = acpAgents({ qwen: 'default plan yolo', mine: 'code turbo' });
  const server = await world.start({ config, arguments: ['--allow-bypass'] });
  const project = world.place.project();
  await server.addProject(project);
  const [qwen, mine] = [await server.createSession(project, 'qwen'), await server.createSession(project, 'mine')];
  const window = await world.window();
  window.expectFaults(/403/);
  const dialog = window.id('unguarded-dialog');
  const known = await window.openSession(qwen);
  await expect(known.id('setting-mode')).toContainText('default');
  await expect(known.id('may-act')).toHaveCount(0);
  await chooseMode(known, 'plan');
  await expect(known.id('setting-mode')).toContainText('plan');
  await expect(dialog).toHaveCount(0);
  await chooseMode(known, 'yolo.*Acts without asking');
  await expect(dialog).toContainText('runs commands and changes files without asking');
  await dialog.getByTestId('confirm').click();
  await expect(known.id('unguarded')).toHaveText('Bypassing permissions');
  const unknown = await window.openSession(mine);
  await expect(unknown.id('may-act')).toHaveText('May act without asking');
  await expect(unknown.id('unguarded')).toHaveCount(0);
  await chooseMode(unknown, 'turbo');
  await expect(dialog).toContainText('is not known to ask');
  await dialog.getByTestId('confirm').click();
  await expect(unknown.id('setting-mode')).toContainText('turbo');
  await expect(unknown.id('may-act')).toBeVisible();
});

test('without the flag an unknown mode is refused with the name of the flag, and an agent that changes by itself is moved back', async ({ world }) => {
  const server = await world.start({ config: acpAgents({ qwen: 'default yolo', mine: 'code turbo' }) });
  const project = world.place.project();
  await server.addProject(project);
  const [qwen, mine] = [await server.createSession(project, 'qwen'), await server.createSession(project, 'mine')];
  const window = await world.window();
  window.expectFaults(/403/);
  const unknown = await window.openSession(mine);
  await chooseMode(unknown, 'turbo');
  await expect(window.id('toasts')).toContainText('--allow-bypass');
  await expect(window.id('unguarded-dialog')).toHaveCount(0);
  await expect(unknown.id('setting-mode')).toContainText('code');
  const known = await window.openSession(qwen);
  await known.turn('!mode yolo !stall 60000 !say 1');
  await expect(known.id('setting-mode')).toContainText('default');
  await expect(known.id('unguarded')).toHaveCount(0);
});

test('a session that the page cannot show takes no other with it, and comes back', async ({ world }) => {
  const { window, id, pane, project } = await demoWorld(world);
  const [other] = await moreSessions(world, project, 'Another one');
  await pane.turn('hello');
  window.expectFaults(/made up/);
  const { page } = window;
  await page.addInitScript(() => {
    const kept = globalThis as { isBroken?: boolean };
    const format = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format')?.get;
    kept.isBroken = true;
    Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', {
      get() {
        if (kept.isBroken) throw new Error('made up fault');
        return format?.call(this);
      },
    });
  });
  await page.reload();
  const broken = window.id('broken-pane');
  await expect(broken).toContainText(/made up fault/i);
  await expect(window.id('broken')).toHaveCount(0);
  await page.evaluate(() => { (globalThis as { isBroken?: boolean }).isBroken = false; });
  const shown = await window.openSession(other as string);
  await shown.turn('hello');
  await expect(broken).toBeHidden();
  await window.id('tabs').getByRole('tab').first().click();
  await expect(broken).toBeVisible();
  await broken.getByRole('button', { name: 'Try again' }).click();
  await expect(window.pane(id).id('agent-row').first()).toBeVisible();
  await expect(broken).toHaveCount(0);
});
