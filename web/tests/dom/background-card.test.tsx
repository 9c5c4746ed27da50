// @vitest-environment jsdom
import { fireEvent, render, screen } from '@solidjs/testing-library';
import { describe, expect, test, vi } from 'vitest';
import type { Upsert } from '../../src/gen/contracts';
import { Transcript } from '../../src/ui/transcript/Transcript';
import { fakeSession, item, view } from './session';

const call = (status: Upsert['status'], more: object = {}): Upsert =>
  item({ itemId: 'b1', status, type: 'tool_call', toolName: 'Bash', toolArguments: { command: 'npm run build' }, callId: 'c1', kind: 'execute', detached: true, ...more } as never);

describe('the card of background work', () => {
  const show = (payload: Upsert) => {
    const fake = fakeSession(view({ background: { running: 1 } }));
    render(() => <Transcript session={fake.session} isShown={true} />);
    fake.tell(payload);
    return fake;
  };
  const card = (): HTMLElement => screen.getByTestId('tool-card');

  test('runs after its turn, counts, and says where it runs', () => {
    show(call('update', { startedAt: new Date(Date.now() - 65_000).toISOString() }));
    expect(card().dataset['status']).toBe('running');
    expect(card().querySelector('.spinner')).not.toBeNull();
    expect(screen.getByTestId('background-tag').textContent).toBe('background');
    expect(screen.getByTestId('tool-elapsed').textContent).toMatch(/^1 min 0\d s$/);
  });

  test('keeps its tag when it is done, and counts no more', () => {
    show(call('complete', { toolOutput: 'built' }));
    expect(card().dataset['status']).toBe('ok');
    expect(screen.queryByTestId('background-tag')).not.toBeNull();
    expect(screen.queryByTestId('tool-elapsed')).toBeNull();
  });

  test('says why it was ended, without alarm', async () => {
    show(call('error', { errorCode: 'BACKGROUND_ENDED', errorMessage: 'npm run build was stopped' }));
    expect(card().dataset['status']).toBe('ended');
    expect(screen.getByTestId('tool-ended').textContent).toBe('npm run build was stopped');
    fireEvent.click(screen.getByRole('button', { name: /Run/ }));
    await vi.waitFor(() => expect(screen.getByTestId('raw-toggle')).toBeTruthy());
    expect(screen.queryByRole('alert')).toBeNull();
    expect(card().textContent?.split('was stopped')).toHaveLength(2);
  });

  test('of a tool that failed stays as it was', async () => {
    show(call('error', { errorCode: 'RESPONSE_ERROR', errorMessage: 'no such file' }));
    fireEvent.click(screen.getByRole('button', { name: /Run/ }));
    await vi.waitFor(() => expect(screen.getByRole('alert').textContent).toBe('no such file'));
    expect(card().dataset['status']).toBe('error');
  });
});
