/** Hostile text in every place that shows text: nothing runs, nothing is fetched, and it is seen as what it is. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from '@playwright/test';
import type { ApprovalList } from '../../src/gen/contracts';
import { visiblePieces } from '../../src/render/visible-text';
import { stripAnsi } from '../../src/render/ansi';
import { clause, expect, type Pane, test, until, type Window, type World } from './harness';
import { PAYLOADS } from './payloads.mjs';

const AGENT = resolve(import.meta.dirname, 'hostile-agent.mjs');
const config = `[agents.hostile]\ncommand = "node"\nargs = ["${AGENT}"]\n`;

interface Trap {
  window: Window;
  /** Fails if anything ran, was asked for elsewhere, or became an element. */
  isUntouched(): Promise<void>;
}

declare global {
  interface Window { pwned?: unknown; violations: string[] }
}

/** A window that notes whatever hostile text achieves. */
async function trap(world: World): Promise<Trap> {
  const window = await world.window();
  const { page } = window;
  const dialogs: string[] = [];
  const foreign: string[] = [];
  const own = new URL(world.server.url).host;
  const note = (address: string): void => { if (!address.startsWith('blob:') && new URL(address).host !== own) foreign.push(address); };
  page.on('dialog', (dialog) => { dialogs.push(dialog.message()); void dialog.dismiss(); });
  page.on('request', (request) => note(request.url()));
  page.on('websocket', (socket) => note(socket.url()));
  page.on('frameattached', (frame) => foreign.push(`frame ${frame.url()}`));
  await page.addInitScript(() => {
    globalThis.window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => globalThis.window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
  });
  await page.reload();
  await window.isConnected();
  const isUntouched = async (): Promise<void> => {
    await clause('25c', async () => expect(await page.evaluate(() => globalThis.window.pwned)).toBeUndefined());
    await clause('25f', async () => expect(await page.evaluate(() => globalThis.window.violations)).toEqual([]));
    await clause('25b', async () => expect(await page.evaluate(suspects)).toEqual([]));
    await clause('25d', () => expect({ dialogs, foreign }).toEqual({ dialogs: [], foreign: [] }));
  };
  return { window, isUntouched };
}

/** Elements and attributes that the page itself never makes. */
function suspects(): string[] {
  const foreign = 'iframe,object,embed,img,video,audio,source,math,base,style,template,:not(body)>noscript,marquee,xss,foreignObject,animate,set,use,body script,main meta,body link,form[action],[formaction],[background],[srcdoc],[id=x]';
  const found = [...document.querySelectorAll(foreign)].map((element) => `${element.tagName} in ${element.parentElement?.className ?? ""}`);
  for (const element of document.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      const isAddress = ['href', 'src', 'xlink:href', 'action'].includes(name);
      if (/^on/i.test(name) || (isAddress && /^\W*(javascript|data|vbscript):/i.test(value)) || (name === 'style' && /url\(/i.test(value))) {
        found.push(`${element.tagName} ${name}=${value.slice(0, 200)}`);
      }
    }
  }
  return found;
}

async function setUp(world: World): Promise<Trap & { pane: Pane; id: string }> {
  await world.start({ config });
  const project = world.place.project();
  await world.server.addProject(project);
  const id = await world.server.createSession(project, 'hostile');
  const caught = await trap(world);
  return { ...caught, pane: await caught.window.openSession(id), id };
}

/** With what hides made visible, as agents' words are shown where they are approved. */
const seen = (text: string): string => visiblePieces(text).map((piece) => piece.hidden ?? piece.text).join('');
const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0] ?? '';

/** The texts of all rows of a kind, seen from the first to the last: only those near the view have elements. */
async function textsOf(pane: Pane, kind: string, part = ''): Promise<string[]> {
  const found = new Map<string, string>();
  const selector = `[data-testid="row"][data-kind="${kind}"]`;
  const scroller = pane.id('transcript');
  await scroller.evaluate((element) => element.scrollTo({ top: 0 }));
  for (let isEnd = false; !isEnd;) {
    await scroller.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const shown = await pane.root.locator(selector).evaluateAll(
      (rows, inner) => rows.map((row) => [(row as HTMLElement).dataset['key'] ?? '', (inner ? row.querySelector(inner) : row)?.textContent ?? ''] as const), part,
    );
    for (const [key, text] of shown) found.set(key, text);
    isEnd = await scroller.evaluate((element) => {
      const before = element.scrollTop;
      element.scrollBy({ top: element.clientHeight / 2 });
      return element.scrollTop === before;
    });
  }
  return [...found.values()];
}

function expectEach(texts: readonly string[], wanted: (payload: string) => string): void {
  const missing = PAYLOADS.filter((payload) => !texts.some((text) => text.includes(wanted(payload))));
  expect(missing).toEqual([]);
}

async function clickEverything(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const link of document.querySelectorAll<HTMLElement>('.markdown a:not([href^=http]), .image-placeholder')) link.click();
  });
}

test('the corpus is large enough to mean something', () => {
  expect(new Set(PAYLOADS).size).toBeGreaterThanOrEqual(60);
});

for (const scene of ['messages', 'stream', 'thoughts']) {
  test(`xss: agent's ${scene}`, async ({ world }) => {
    const { window, pane, id, isUntouched } = await setUp(world);
    if (scene === 'thoughts') {
      await pane.send('thoughts');
      await pane.id('thinking').first().getByRole('button').click();
      await world.server.isIdle(id);
    } else await world.server.turn(id, scene);
    await pane.isIdle();
    const texts = await textsOf(pane, scene === 'thoughts' ? 'thinking' : 'agent');
    expect(texts.length).toBeGreaterThanOrEqual(PAYLOADS.length - 1);
    // Markdown takes some of it for markup; what is not markdown's must be there letter by letter.
    for (const literal of PAYLOADS.filter((payload) => payload.startsWith('<') && !/[`\n\\_*&\u00a0\u0001]|^<(javascript|http):|<!--/.test(payload))) {
      expect(texts.some((text) => text.includes(literal)), literal).toBe(true);
    }
    await clickEverything(window.page);
    await isUntouched();
  });
}

test('xss: user messages and error messages', async ({ world }) => {
  const { pane, id, isUntouched } = await setUp(world);
  for (const payload of PAYLOADS) await world.server.turn(id, payload);
  await pane.isIdle();
  expectEach(await textsOf(pane, 'user', '.user-bubble'), (payload) => payload);
  expectEach(await textsOf(pane, 'error', '.error-message'), (payload) => payload);
  await isUntouched();
});

test('xss: names and titles of tools', async ({ world }) => {
  const { pane, id, isUntouched } = await setUp(world);
  await world.server.turn(id, 'tools');
  await pane.isIdle();
  expectEach(await textsOf(pane, 'tool', '.line-button'), (payload) => seen(firstLine(payload)).trim());
  await isUntouched();
});

test('xss: arguments, places and output of a tool', async ({ world }) => {
  const { pane, id, isUntouched } = await setUp(world);
  await world.server.turn(id, 'body');
  const card = pane.id('tool-card');
  await card.getByRole('button').first().click();
  await expect(pane.id('output')).toBeVisible();
  const text = (await card.textContent()) ?? '';
  expectEach([text], seen);
  const output = (await pane.id('output').textContent()) ?? '';
  expectEach([output.replace(/\n+/g, '\n')], (payload) => stripAnsi(payload).split('\n')[0] ?? '');
  await pane.id('raw-toggle').click();
  expectEach([(await pane.id('raw-input').textContent()) ?? ''], (payload) => JSON.stringify(payload));
  await isUntouched();
});

test('xss: commands and what they print', async ({ world }) => {
  const { pane, id, isUntouched } = await setUp(world);
  await world.server.turn(id, 'command');
  await pane.id('tool-card').getByRole('button').first().click();
  await expect(pane.id('output')).toBeVisible();
  expectEach([(await pane.root.locator('.command-line').textContent()) ?? ''], seen);
  await isUntouched();
});

test('xss: paths and lines of changes', async ({ world }) => {
  const { pane, id, isUntouched } = await setUp(world);
  await world.server.turn(id, 'diffs');
  await pane.id('tool-card').getByRole('button').first().click();
  await expect(pane.id('diff')).toHaveCount(PAYLOADS.length);
  const text = (await pane.id('tool-card').textContent()) ?? '';
  expectEach([text], (payload) => firstLine(payload));
  await pane.id('diff-mode').first().click();
  await isUntouched();
});

test('xss: plans', async ({ world }) => {
  const { pane, id, isUntouched } = await setUp(world);
  await world.server.turn(id, 'plan');
  await expect(pane.id('plan-row')).toBeVisible();
  expectEach([(await pane.id('plan-row').textContent()) ?? ''], (payload) => payload);
  await isUntouched();
});

async function reject(world: World, itemId: string | null): Promise<void> {
  const { approvals } = await world.server.json<ApprovalList>('GET', '/api/approvals');
  const found = approvals.find((approval) => approval.item.itemId === itemId);
  await world.server.json('POST', `/api/approvals/${found?.id}`, { optionId: 'no' });
}

test('xss: titles and options of permissions', async ({ world }) => {
  const { window, pane, isUntouched } = await setUp(world);
  await pane.send('permission');
  for (const payload of PAYLOADS) {
    const approval = pane.id('approval');
    await expect(approval.getByTestId('approval-title')).toContainText(seen(firstLine(payload)));
    const text = (await approval.textContent()) ?? '';
    expect(text).toContain(seen(payload));
    expect(await approval.getByTestId('approval-option').first().textContent()).toContain(seen(payload));
    await expect(window.id('needs-you')).toBeVisible();
    const asked = await approval.getAttribute('data-item');
    // Over the API: in the page each of them would have to be left alone for 700 ms first.
    await reject(world, asked);
    await expect(pane.root.locator(`[data-testid="approval"][data-item="${asked}"]`)).toHaveCount(0);
  }
  await pane.isIdle();
  await isUntouched();
});

test('xss: questions and their answers', async ({ world }) => {
  const { pane, isUntouched } = await setUp(world);
  await pane.send('question');
  await expect(pane.id('question')).toHaveCount(PAYLOADS.length);
  expectEach([(await pane.id('questions').textContent()) ?? ''], seen);
  await isUntouched();
});

test('xss: descriptions of commands and names of modes', async ({ world }) => {
  const { window, pane, isUntouched } = await setUp(world);
  await pane.input.pressSequentially('/');
  await expect(window.id('suggestion').first()).toBeVisible();
  const texts = await window.id('suggestion').allTextContents();
  for (const payload of PAYLOADS.slice(0, texts.length)) expect(texts.some((text) => text.includes(payload)), payload).toBe(true);
  await pane.input.press('Escape');
  await pane.id('setting-mode').click();
  expectEach(await window.page.getByRole('menuitemradio').allTextContents(), (payload) => payload);
  await isUntouched();
});

test('xss: titles, by the agent and by hand', async ({ world }) => {
  const { window, pane, id, isUntouched } = await setUp(world);
  await world.server.turn(id, 'title');
  for (const payload of PAYLOADS) {
    const title = firstLine(payload);
    const answer = await world.server.call('POST', `/api/session/${encodeURIComponent(id)}/title`, { title });
    expect(answer.status, title).toBe(200);
    const { title: kept } = await answer.json() as { title: string };
    await until(title, async () => (await pane.root.locator('h1').textContent()) === kept);
    for (const place of [window.listed(id), window.id('tab')]) await until(title, async () => (await place.locator('.truncate').textContent()) === kept);
  }
  await isUntouched();
});

test('xss: names of directories', async ({ world }) => {
  await world.start();
  const { window, isUntouched } = await trap(world);
  const names = PAYLOADS.map((payload, index) => `${index} ${payload.replaceAll('/', '\u2215')}`);
  for (const name of names) {
    const path = join(world.place.root, name);
    mkdirSync(path);
    await world.server.addProject(path, false);
  }
  await expect(window.id('project')).toHaveCount(names.length);
  const texts = await window.id('project-toggle').allTextContents();
  for (const name of names) expect(texts.some((text) => text.includes(name)), name).toBe(true);
  await isUntouched();
});

test('xss: what a search finds', async ({ world }) => {
  const { window, id, isUntouched } = await setUp(world);
  await world.server.turn(id, 'messages');
  await window.page.keyboard.press('Control+k');
  for (const word of ['pwned', 'script', 'evil.example', 'onerror']) {
    await window.id('palette-input').fill(word);
    await expect(window.page.getByText('Messages', { exact: true })).toBeVisible();
    await isUntouched();
  }
});
