import { fireEvent, render, screen } from '@solidjs/testing-library';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { setPref } from '../../src/state/prefs';
import { api, connection, drafts, outbox } from '../../src/state/services';
import { Composer } from '../../src/ui/composer/Composer';
import { QueueBar } from '../../src/ui/composer/QueueBar';
import { triggerAt } from '../../src/ui/composer/Suggestions';
import { fakeSession, ID, message, view } from './session';

describe('composer', () => {
  const send = vi.spyOn(outbox, 'send');
  const request = vi.spyOn(connection, 'request');
  beforeEach(() => {
    send.mockReset().mockReturnValue('id');
    request.mockReset();
    request.mockResolvedValue({ type: 'ok', requestId: '1' });
    vi.spyOn(connection, 'state').mockReturnValue({ kind: 'open' });
    drafts.clear(ID);
    setPref('sendWith', 'enter');
  });

  const show = (state = view()) => {
    const fake = fakeSession(state);
    render(() => <Composer session={fake.session} isShown={true} onSent={() => undefined} />);
    return fake;
  };
  const field = (): HTMLTextAreaElement => screen.getByTestId('composer-input') as HTMLTextAreaElement;
  const type = (text: string): void => void fireEvent.input(field(), { target: { value: text } });
  const press = (key: string, more: object = {}): boolean => fireEvent.keyDown(field(), { key, ...more });

  test('Enter sends the text as it was typed, and empties the field and the draft', () => {
    show();
    type('  one\ntwo ');
    press('Enter');
    expect(send.mock.calls).toEqual([[ID, '  one\ntwo ', []]]);
    expect(field().value).toBe('');
    expect(drafts.get(ID)).toBe('');
  });

  test('a session whose agent is being started cannot be stopped', () => {
    const fake = show(view({ state: 'starting' }));
    type('hello');
    expect(screen.queryByTestId('stop')).toBeNull();
    expect(screen.getByTestId('send').getAttribute('aria-label')).toBe('Send');
    press('Escape');
    press('Escape');
    expect(request).not.toHaveBeenCalled();
    fake.setView(view({ state: 'running' }));
    expect(screen.getByTestId('stop')).toBeTruthy();
  });

  test('Shift+Enter, composition and white space send nothing', () => {
    show();
    type('あ');
    press('Enter', { shiftKey: true });
    press('Enter', { isComposing: true });
    press('Enter', { keyCode: 229 });
    type('  \n');
    press('Enter');
    expect(send).not.toHaveBeenCalled();
  });

  test('with the keys swapped, only Ctrl+Enter sends', () => {
    setPref('sendWith', 'mod-enter');
    show();
    type('one');
    press('Enter');
    expect(send).not.toHaveBeenCalled();
    press('Enter', { ctrlKey: true });
    expect(send).toHaveBeenCalledOnce();
  });

  test('what is typed is a draft, and news of the session does not touch it', () => {
    const fake = show();
    type('half a thought');
    fake.tell(message('i1', 'an answer'));
    fake.setView(view({ state: 'running' }));
    expect(field().value).toBe('half a thought');
    expect(drafts.get(ID)).toBe('half a thought');
  });

  test('while a turn runs Stop is there, Enter still sends, and Escape twice stops', async () => {
    show(view({ state: 'running', turn: 't1' }));
    expect(screen.getByTestId('stop')).toBeTruthy();
    type('next');
    press('Enter');
    expect(send).toHaveBeenCalledOnce();
    press('Escape');
    expect(request).not.toHaveBeenCalled();
    press('Escape');
    expect(request.mock.calls).toEqual([[{ type: 'session:cancel', sessionId: ID }]]);
  });

  test('↑ in the empty field recalls what was asked before', () => {
    const fake = show();
    fake.tell(message('u1', 'first', { origin: 'user' }));
    fake.tell(message('u2', 'second', { origin: 'user' }));
    press('ArrowUp');
    expect(field().value).toBe('second');
    press('ArrowUp');
    expect(field().value).toBe('first');
  });

  test('a command that is typed to its end is sent by the first Enter', () => {
    const commands = [{ name: 'compact', description: 'Makes it short' }];
    show(view({ agent: { ...view().agent, abilities: { ...view().agent.abilities, commands } } }));
    type('/compact');
    expect(screen.queryAllByTestId('suggestion')).toHaveLength(1);
    press('Enter');
    expect(send.mock.calls).toEqual([[ID, '/compact', []]]);
  });

  test('commands are offered by /, chosen by Enter, and left by Escape without losing text', () => {
    const commands = [{ name: 'compact', description: 'Makes it short' }, { name: 'review', description: 'Reads it' }];
    show(view({ agent: { ...view().agent, abilities: { ...view().agent.abilities, commands } } }));
    type('/rev');
    expect(field().getAttribute('aria-expanded')).toBe('true');
    press('Enter');
    expect(field().value).toBe('/review ');
    expect(send).not.toHaveBeenCalled();
    type('/c');
    press('Escape');
    expect([field().value, field().getAttribute('aria-expanded')]).toEqual(['/c', 'false']);
  });
});

test('only a slash at the beginning and an @ at the beginning of a word ask for suggestions', () => {
  expect(triggerAt('/co', 3)).toEqual({ kind: 'command', query: 'co', start: 0, end: 3 });
  expect(triggerAt('see @src/a', 10)).toEqual({ kind: 'file', query: 'src/a', start: 4, end: 10 });
  for (const text of ['a /co', 'me@example.org', '/co and', '@a b']) expect(triggerAt(text, text.length)).toBeUndefined();
});

describe('queue', () => {
  const queue = [{ id: 'q1', message: 'one' }, { id: 'q2', message: 'two' }];

  test('entries are moved, edited, removed and sent by the server', () => {
    const edit = vi.spyOn(api, 'editQueued').mockResolvedValue({ queue });
    const remove = vi.spyOn(api, 'removeQueued').mockResolvedValue({ queue });
    const now = vi.spyOn(api, 'sendQueuedNow').mockResolvedValue({});
    const fake = fakeSession(view({ state: 'running', queue }));
    render(() => <QueueBar session={fake.session} />);
    fireEvent.click(screen.getAllByTestId('queue-down')[0] as Element);
    expect(edit).toHaveBeenLastCalledWith(ID, 'q1', { position: 1 });
    fireEvent.click(screen.getAllByTestId('queue-edit')[1] as Element);
    const field = screen.getByLabelText('Queued message') as HTMLTextAreaElement;
    fireEvent.input(field, { target: { value: 'two!' } });
    fireEvent.keyDown(field, { key: 'Enter' });
    expect(edit).toHaveBeenLastCalledWith(ID, 'q2', { message: 'two!' });
    fireEvent.click(screen.getAllByTestId('queue-remove')[0] as Element);
    expect(remove).toHaveBeenLastCalledWith(ID, 'q1');
    fireEvent.click(screen.getAllByTestId('queue-now')[1] as Element);
    expect(now).toHaveBeenLastCalledWith(ID, 'q2');
  });

  test('the queue of another window is shown', () => {
    const fake = fakeSession(view({ state: 'running', queue }));
    render(() => <QueueBar session={fake.session} />);
    fake.setView(view({ state: 'running', queue: [{ id: 'q2', message: 'two' }, { id: 'q3', message: 'three' }] }));
    expect(screen.getAllByTestId('queue-entry').map((found) => found.dataset['id'])).toEqual(['q2', 'q3']);
  });
});
