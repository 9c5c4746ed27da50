import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { QueuedMessage, QueuePause } from '../../src/gen/contracts';
import { hide, overlay } from '../../src/state/screen';
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
    await vi.waitFor(() => expect(toasts().at(-1)).toMatchObject({ title: "Couldn't steer, still queued", detail: 'The turn is about to end' }));
  });

  describe('paused', () => {
    const resume = vi.spyOn(api, 'resumeQueue');
    const remove = vi.spyOn(api, 'removeQueued');
    beforeEach(() => {
      vi.useFakeTimers();
      for (const spy of [resume, remove]) spy.mockReset().mockResolvedValue({ queue: [] });
    });
    afterEach(() => {
      vi.useRealTimers();
      hide();
    });

    const queue = ['q1', 'q2'].map((id) => ({ id, message: id }));
    const paused = (reason: QueuePause, waiting: QueuedMessage[] = queue) => {
      const made = fakeSession(view({ queue: waiting, queuePaused: reason }));
      render(() => <QueueBar session={made.session} />);
      return made;
    };

    test.each<[QueuePause, string]>([
      ['rejected', 'Queue paused: you rejected a request'],
      ['timeout', 'Queue paused: a request timed out'],
      ['failed', 'Queue paused: the last turn failed'],
      ['cancelled', 'Queue paused: you stopped the turn'],
      ['restart', 'Queue paused: the server restarted'],
    ])('%s is explained', (reason, text) => {
      paused(reason);
      expect(screen.getByTestId('queue').textContent).toContain('Queued (2)');
      expect(screen.getByTestId('queue-paused').textContent).toContain(text);
    });

    test('a message that was not sent is named as the reason', () => {
      paused('failed', [{ id: 'q1', message: 'q1', failure: { code: 'SPAWN_FAILED', message: 'no agent' } }]);
      expect(screen.getByTestId('queue-paused').textContent).toContain("a message couldn't be sent");
    });

    test('a queue that is not paused shows no pause', () => {
      show(false);
      expect(screen.queryByTestId('queue-paused')).toBeNull();
    });

    test('no button acts within 700 ms of its appearing or of another reason', () => {
      const { setView } = paused('rejected');
      fireEvent.click(screen.getByTestId('queue-resume'));
      vi.advanceTimersByTime(699);
      fireEvent.click(screen.getByTestId('queue-resume'));
      expect(resume).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      setView(view({ queue, queuePaused: 'failed' }));
      fireEvent.click(screen.getByTestId('queue-resume'));
      fireEvent.click(screen.getByTestId('queue-discard'));
      expect([resume, remove].map((spy) => spy.mock.calls.length)).toEqual([0, 0]);
      vi.advanceTimersByTime(700);
      fireEvent.click(screen.getByTestId('queue-resume'));
      expect(resume.mock.calls).toEqual([[ID]]);
    });

    test('one message is discarded at once, several after a question', () => {
      paused('rejected', queue.slice(0, 1));
      vi.advanceTimersByTime(700);
      fireEvent.click(screen.getByTestId('queue-discard'));
      expect(remove.mock.calls).toEqual([[ID, 'q1']]);
      cleanup();
      paused('rejected');
      vi.advanceTimersByTime(700);
      fireEvent.click(screen.getByTestId('queue-discard'));
      expect(remove).toHaveBeenCalledOnce();
      expect(overlay()).toEqual({ kind: 'discard-queue', sessionId: ID, ids: ['q1', 'q2'] });
    });
  });

  test('the files of a message are named', () => {
    show(false);
    expect(screen.getByTestId('queue-file').textContent).toBe('shot.png');
  });
});
