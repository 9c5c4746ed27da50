import { fireEvent, render, screen } from '@solidjs/testing-library';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { connection } from '../../src/state/services';
import { ApprovalDock, safest } from '../../src/ui/docks/ApprovalDock';
import { fakeSession, ID, permission, view } from './session';

const settled = (): Promise<void> => new Promise((done) => { setTimeout(done); });

describe('approvals', () => {
  const request = vi.spyOn(connection, 'request');
  beforeEach(() => {
    request.mockReset();
    request.mockResolvedValue({ type: 'ok', requestId: '1' });
  });

  const show = () => {
    const fake = fakeSession(view({ state: 'waiting', turn: 't1', pending: ['p1'] }));
    render(() => <><textarea data-testid="elsewhere" /><ApprovalDock session={fake.session} isShown={true} /></>);
    return fake;
  };

  test('the safest option is a refusal that can be taken back', () => {
    expect(safest([{ optionId: 'a', name: '', kind: 'allow_always' }, { optionId: 'b', name: '', kind: 'allow_once' }])?.optionId).toBe('b');
    expect(safest([{ optionId: 'a', name: '', kind: 'allow_once' }, { optionId: 'b', name: '', kind: 'reject_once' }])?.optionId).toBe('b');
  });

  test('an option of an unknown kind is never the safest while there is another', () => {
    expect(safest([{ optionId: 'a', name: '', kind: 'other' }, { optionId: 'b', name: '', kind: 'allow_always' }])?.optionId).toBe('b');
    expect(safest([{ optionId: 'a', name: '', kind: 'other' }])?.optionId).toBe('a');
    expect(safest([])).toBeUndefined();
  });

  test('options stand as the agent offered them and the safest has the focus', async () => {
    show().tell(permission('p1'));
    await settled();
    expect(screen.getAllByTestId('approval-option').map((found) => found.dataset['option'])).toEqual(['always', 'once', 'no']);
    expect((document.activeElement as HTMLElement).dataset['option']).toBe('no');
  });

  test('whoever writes keeps the focus, and digits are text to them', async () => {
    const fake = show();
    const field = screen.getByTestId('elsewhere') as HTMLTextAreaElement;
    field.value = 'half a sentence';
    field.focus();
    fake.tell(permission('p1'));
    await settled();
    expect(document.activeElement).toBe(field);
    fireEvent.keyDown(field, { key: '1' });
    expect(request).not.toHaveBeenCalled();
  });

  test('a digit answers once with the option of that place', async () => {
    show().tell(permission('p1'));
    await settled();
    fireEvent.keyDown(document.body, { key: '2' });
    fireEvent.keyDown(document.body, { key: '1' });
    expect(request.mock.calls).toEqual([[{ type: 'session:permission', sessionId: ID, itemId: 'p1', optionId: 'once' }]]);
  });

  test('answered elsewhere, it is gone', async () => {
    const fake = show();
    fake.tell(permission('p1'));
    await settled();
    fake.tell({ ...permission('p1', { outcome: { optionId: 'no', by: 'user' } }), status: 'complete' });
    expect(screen.queryByTestId('approval')).toBeNull();
    expect(request).not.toHaveBeenCalled();
  });

  test('a failed answer can be given again', async () => {
    request.mockRejectedValueOnce(new Error('the socket is closed'));
    show().tell(permission('p1'));
    await settled();
    fireEvent.keyDown(document.body, { key: '3' });
    await settled();
    fireEvent.keyDown(document.body, { key: '3' });
    expect(request).toHaveBeenCalledTimes(2);
  });

  test('questions are answered together, by choice or in own words', async () => {
    const questions = [
      { question: 'Which colour?', multiSelect: false, options: [{ label: 'Red' }, { label: 'Blue' }] },
      { question: 'Which sizes?', multiSelect: true, options: [{ label: 'S' }, { label: 'L' }] },
    ];
    show().tell(permission('p1', { questions }));
    await settled();
    fireEvent.click(screen.getByLabelText('Red'));
    fireEvent.click(screen.getByTestId('answer'));
    expect(request).not.toHaveBeenCalled();
    fireEvent.click(screen.getByLabelText('S'));
    fireEvent.click(screen.getByLabelText('L'));
    fireEvent.input(screen.getByLabelText('Own answer to: Which sizes?'), { target: { value: 'XS' } });
    fireEvent.click(screen.getByTestId('answer'));
    expect(request.mock.calls[0]?.[0]).toMatchObject({ answers: { 'Which colour?': 'Red', 'Which sizes?': 'S, L, XS' } });
  });
});
