import { fireEvent, render, screen } from '@solidjs/testing-library';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { api } from '../../src/state/services';
import { toasts } from '../../src/state/toasts';
import { QueueBar } from '../../src/ui/composer/QueueBar';
import { fakeSession, ID, view } from './session';

describe('queue', () => {
  const steer = vi.spyOn(api, 'steerQueued');
  beforeEach(() => {
    steer.mockReset();
    steer.mockResolvedValue();
  });

  const show = (canSteer: boolean, state: 'running' | 'idle' = 'running') => {
    const first = view({ state, turn: 't1', queue: [{ id: 'q1', message: 'and this', attachments: [{ id: 'a1', name: 'shot.png', mimeType: 'image/png', bytes: 2000 }] }] });
    first.agent.abilities.steer = canSteer;
    render(() => <QueueBar session={fakeSession(first).session} />);
  };

  test('a message is put into the running turn where the agent takes it', () => {
    show(true);
    fireEvent.click(screen.getByTestId('queue-steer'));
    expect(steer.mock.calls).toEqual([[ID, 'q1']]);
  });

  test('an agent that cannot is not asked, and nothing is steered without a turn', () => {
    show(false);
    expect(screen.queryByTestId('queue-steer')).toBeNull();
    show(true, 'idle');
    expect(screen.queryByTestId('queue-steer')).toBeNull();
  });

  test('why it waits on is told', async () => {
    steer.mockRejectedValue(new Error('the turn is about to end'));
    show(true);
    fireEvent.click(screen.getByTestId('queue-steer'));
    await vi.waitFor(() => expect(toasts().at(-1)).toMatchObject({ title: 'It waits on', detail: 'The turn is about to end' }));
  });

  test('the files of a message are named', () => {
    show(false);
    expect(screen.getByTestId('queue-file').textContent).toBe('shot.png');
  });
});
