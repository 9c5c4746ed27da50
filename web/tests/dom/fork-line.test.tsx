import { fireEvent, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { describe, expect, test, vi } from 'vitest';
import type { ForkedFrom, SessionStatus } from '../../src/gen/contracts';
import { active } from '../../src/state/tabs';
import { ForkLine } from '../../src/ui/pane/ForkLine';
import { fakeSession, ID, view } from './session';

function show(forkedFrom?: ForkedFrom) {
  const status = (from: ForkedFrom | undefined): SessionStatus => ({ sessionId: ID, cliType: 'demo', directory: '/p', ...view(), ...(from ? { forkedFrom: from } : {}) });
  const [shown, setShown] = createSignal(status(forkedFrom));
  const refreshStatus = vi.fn();
  render(() => <ForkLine session={{ ...fakeSession().session, status: shown, refreshStatus }} />);
  return { tell: (from: ForkedFrom) => setShown(status(from)) };
}

describe('what a session was forked from', () => {
  test('nothing is said of one that is no fork', () => {
    show();
    expect(screen.queryByTestId('forked-from')).toBeNull();
  });

  test('is a way back to it', () => {
    show({ sessionId: 'demo:source', title: 'The fox' });
    const link = screen.getByRole('link', { name: 'The fox' });
    expect(link.getAttribute('href')).toBe('/s/demo%3Asource');
    fireEvent.click(link);
    expect(active()).toBe('demo:source');
  });

  test('is words only when it is gone', () => {
    const { tell } = show({ sessionId: 'demo:source', title: 'The fox' });
    tell({ sessionId: 'demo:source', title: 'The fox', isGone: true });
    expect(screen.queryByRole('link')).toBeNull();
    expect(screen.getByTestId('forked-from').textContent).toContain('“The fox”');
  });
});
