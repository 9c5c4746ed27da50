// @vitest-environment jsdom
import { fireEvent, render, screen } from '@solidjs/testing-library';
import { describe, expect, test } from 'vitest';
import type { Upsert } from '../../src/gen/contracts';
import { Transcript } from '../../src/ui/transcript/Transcript';
import { fakeSession, item, message, permission, view } from './session';

const rows = (): HTMLElement[] => screen.getAllByTestId('row');
const row = (key: string): HTMLElement => rows().find((found) => found.dataset['key'] === key) as HTMLElement;

function show() {
  const fake = fakeSession(view({ state: 'running', turn: 't1' }));
  render(() => <Transcript session={fake.session} isShown={true} />);
  return fake;
}

const call = (status: Upsert['status'], more: object = {}): Upsert =>
  item({ itemId: 'b1', status, type: 'tool_call', toolName: 'Bash', toolArguments: { command: 'ls -la' }, callId: 'c1', kind: 'execute', ...more } as never);

describe('transcript', () => {
  test('an upsert changes its own row and no other element', () => {
    const fake = show();
    fake.tell(message('u1', 'hello', { origin: 'user' }));
    fake.tell(message('a1', 'one', { status: 'create' }));
    const [first, second] = rows();
    fake.tell(message('a1', 'one two', { status: 'update' }));
    fake.tell(message('a2', 'three'));
    expect(rows().slice(0, 2)).toEqual([first, second]);
    expect(rows()[0]).toBe(first);
    expect(rows()[1]).toBe(second);
    expect(second?.textContent).toContain('one two');
  });

  test('an old or repeated state changes nothing', () => {
    const fake = show();
    fake.tell(message('a1', 'one two', { status: 'update' }), 5);
    fake.tell(message('a1', 'one', { status: 'create' }), 3);
    fake.tell(message('a1', 'something else', { status: 'update' }), 5);
    expect(rows()).toHaveLength(1);
    expect(rows()[0]?.textContent).toContain('one two');
  });

  test('finished blocks keep their elements while the text grows', () => {
    const fake = show();
    fake.tell(message('a1', '# Title\n\nFirst **bold', { status: 'create' }));
    const part = () => [...row(rows()[0]?.dataset['key'] ?? '').querySelectorAll('.markdown > *')];
    const [title] = part();
    expect(rows()[0]?.textContent).not.toContain('**');
    fake.tell(message('a1', '# Title\n\nFirst **bold** text.\n\n```js\nconst a', { status: 'update' }));
    const [, paragraph, code] = part();
    expect(code?.tagName).toBe('FIGURE');
    fake.tell(message('a1', '# Title\n\nFirst **bold** text.\n\n```js\nconst a = 1;\n```\n\nDone.'));
    expect(part().slice(0, 3)).toEqual([title, paragraph, code]);
    expect(part()[0]).toBe(title);
    expect(part()[2]).toBe(code);
    expect(code?.textContent).toContain('const a = 1;');
  });

  test('what agents write runs nothing', () => {
    const fake = show();
    fake.tell(message('a1', '<img src=x onerror="alert(1)"> <script>alert(2)</script> [x](javascript:alert(3)) [y](https://example.org) ![z](https://example.org/z.png)'));
    const shown = rows()[0] as HTMLElement;
    expect(shown.querySelectorAll('script, img, [onerror]')).toHaveLength(0);
    expect([...shown.querySelectorAll('a')].map((link) => link.getAttribute('href'))).not.toContain('javascript:alert(3)');
    expect(shown.querySelector('a[href^=https]')?.getAttribute('rel')).toBe('noopener noreferrer');
    expect(shown.querySelector('.image-placeholder')).toBeTruthy();
  });

  test('a command shows the code by which it ended, also if it said nothing', async () => {
    const fake = show();
    fake.tell(call('complete', { toolOutput: '', exitCode: 3 }));
    fireEvent.click(screen.getByTestId('tool-card').querySelector('button') as Element);
    const chip = await screen.findByTestId('exit-code');
    expect(chip.textContent).toBe('exit 3');
    expect(chip.classList.contains('bad')).toBe(true);
  });

  test('a tool is done only with its result, and its body is built when it is opened', async () => {
    const fake = show();
    fake.tell(call('create', { toolArguments: {} }));
    expect(screen.getByTestId('tool-card').textContent).not.toContain('{}');
    fake.tell(call('update'));
    const card = screen.getByTestId('tool-card');
    expect(card.dataset['status']).not.toBe('ok');
    expect(card.querySelector('.tool-body')).toBeNull();
    fireEvent.click(card.querySelector('button') as Element);
    await screen.findByText('ls -la', { selector: '.command-line pre' });
    fake.tell(call('complete', { toolOutput: 'total 0', toolOutputIsError: false }));
    expect(screen.getByTestId('tool-card')).toBe(card);
    expect(card.dataset['status']).toBe('ok');
    expect(card.querySelector('.tool-body')?.hasAttribute('hidden')).toBe(false);
    expect(card.textContent).toContain('total 0');
  });

  test('a call that somebody rejected has not failed, and says so', () => {
    const fake = show();
    fake.tell(call('update'));
    fake.tell(permission('p1', { callId: 'c1' }));
    fake.tell({ ...permission('p1', { callId: 'c1', outcome: { optionId: 'no', by: 'user' } }), status: 'complete' } as Upsert);
    fake.tell(call('complete', { toolOutput: 'no', toolOutputIsError: true }));
    const card = screen.getByTestId('tool-card');
    expect(card.querySelector('.tool-status')?.textContent).toContain('rejected');
    expect(card.dataset['rejected']).toBe('true');
  });

  test.each<[string, object]>([
    ['Edit src/a.rs', { kind: 'edit', toolArguments: {}, title: 'Edit src/a.rs' }],
    ['Edit b.rs', { kind: 'edit', toolArguments: {}, title: 'Edit', diffs: [{ path: 'b.rs', newText: 'x' }] }],
    ['Search for it', { kind: 'search', toolArguments: {}, title: 'Search for it' }],
    ['Run ls', { kind: 'execute', toolArguments: { command: 'ls' }, title: 'Run ls' }],
  ])('a title says its verb once: %s', (words, more) => {
    show().tell(call('complete', { toolName: 'tool', ...more }));
    const line = screen.getByTestId('tool-card').querySelector('.line-button') as Element;
    expect([line.querySelector('.line-label'), line.querySelector('.tool-subject')].map((part) => part?.textContent).join(' ')).toBe(words);
  });

  test('an opened thought stays open when it grows', () => {
    const fake = show();
    const thought = (content: string, status: Upsert['status']): Upsert => item({ itemId: 'k1', status, type: 'thinking', providerId: 'p', content } as never);
    fake.tell(thought('I wonder', 'create'));
    const button = screen.getByTestId('thinking').querySelector('button') as HTMLElement;
    expect(button.getAttribute('aria-expanded')).toBe('false');
    fireEvent.click(button);
    fake.tell(thought('I wonder why', 'update'));
    expect(button.getAttribute('aria-expanded')).toBe('true');
    expect(screen.getByTestId('thinking').textContent).toContain('I wonder why');
  });
});
