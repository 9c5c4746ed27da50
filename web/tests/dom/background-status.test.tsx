import { fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SessionView } from '../../src/protocol/frames';
import * as services from '../../src/state/services';
import { Composer } from '../../src/ui/composer/Composer';
import { BackgroundStatus } from '../../src/ui/pane/BackgroundStatus';
import { TurnStatus } from '../../src/ui/pane/TurnStatus';
import { StatusGlyph } from '../../src/ui/sidebar/SessionRow';
import { fakeSession, ID, view } from './session';

const running = (count: number, more: Partial<SessionView> = {}): SessionView => view({ background: { running: count }, ...more });

describe('background work of a session', () => {
  const request = vi.spyOn(services.connection, 'request');
  const connected = vi.spyOn(services.connection, 'state');
  const stopped = vi.spyOn(services.api, 'stopBackground');
  beforeEach(() => {
    stopped.mockReset().mockResolvedValue({} as never);
    vi.useFakeTimers();
    request.mockReset().mockResolvedValue({ type: 'ok', requestId: '1' });
    connected.mockReturnValue({ kind: 'open' } as never);
  });
  afterEach(() => vi.useRealTimers());

  const show = (first: SessionView) => {
    const fake = fakeSession(first);
    render(() => <><TurnStatus session={fake.session} /><BackgroundStatus session={fake.session} /><Composer session={fake.session} isShown={false} onSent={() => undefined} /></>);
    return fake;
  };

  test('is stopped by one button, and not by a second click on Stop', async () => {
    const fake = show(running(2, { state: 'running', turn: 't1' }));
    expect(screen.queryByTestId('stop-background')).toBeNull();
    fake.setView(running(2));
    const stop = screen.getByRole<HTMLButtonElement>('button', { name: 'Stop background work' });
    expect(stop.disabled).toBe(true);
    await vi.advanceTimersByTimeAsync(800);
    fireEvent.click(stop);
    expect(stopped.mock.calls).toEqual([[ID]]);
    expect(request, 'Stop is for turns only').not.toHaveBeenCalled();
  });

  test.each<[string, SessionView, string | null]>([
    ['nothing', view(), null],
    ['one task', running(1), 'Running in the background: 1 task'],
    ['two tasks', running(2), 'Running in the background: 2 tasks'],
    ['a request', running(1, { state: 'waiting', pending: ['p1'] }), 'Waiting for your answer. Running in the background: 1 task'],
    ['a turn', running(1, { state: 'running', turn: 't1' }), null],
  ])('is shown with %s', (_, first, text) => {
    show(first);
    expect(screen.queryByTestId('background-status')?.querySelector('span:not(.pulse)')?.textContent ?? null).toBe(text);
    expect(screen.queryByTestId('turn-status') === null).toBe(first.turn === undefined);
  });

  test('is counted beside what a turn does', () => {
    show(running(2, { state: 'running', turn: 't1' }));
    expect(screen.getByTestId('background-beside').textContent).toBe('2 in the background');
  });

  test.each([running(1), running(1, { state: 'waiting', pending: ['p1'] })])('keeps nobody from sending', (first) => {
    show(first);
    expect(screen.getByTestId('send').getAttribute('aria-label')).toBe('Send');
    expect(screen.queryByTestId('stop')).toBeNull();
  });

  test('has a sign of its own in lists and tabs', () => {
    render(() => <StatusGlyph status="background" background={12} />);
    const glyph = document.querySelector<HTMLElement>('.glyph') as HTMLElement;
    expect(glyph.title).toBe('Running in the background: 12 tasks');
    expect(glyph.querySelector('.hidden-text')?.textContent).toBe('Running in the background: 12 tasks');
    expect(glyph.querySelector('[aria-hidden]')?.textContent).toBe('9+');
  });
});
