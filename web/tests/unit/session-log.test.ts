import { describe, expect, it } from 'vitest';
import type { HistoryPage, Upsert } from '../../src/gen/contracts';
import { createSessionLog, type SessionLog } from '../../src/model/session-log';
import { append, history, message, SESSION, state, subscribed, tool, turnComplete, turnError, turnStarted, upsert } from './support/frames';

function loaded(entries: Upsert[] = [], seq = entries.length, before?: number): SessionLog {
  const log = createSessionLog(SESSION);
  log.apply(subscribed('reset', seq));
  log.apply(history(seq, entries, [], before));
  return log;
}

function text(log: SessionLog, id: string): string | undefined {
  const item = log.items.get(id)?.state;
  return item?.type === 'message' ? item.content : item?.type === 'tool_call' ? item.toolOutput : undefined;
}

const page = (fields: Partial<HistoryPage>): HistoryPage =>
  ({ sessionId: SESSION, entries: [], turns: [], epoch: 'e1', seq: 9, ...fields });

describe('states of items', () => {
  it('takes a state only if its seq is greater than the last of that item', () => {
    const log = loaded();
    expect(log.apply(upsert(5, message('a', 'five', 'update'), 2)).items).toEqual(['a']);
    for (const seq of [5, 4]) {
      expect(log.apply(upsert(seq, message('a', 'old', 'update'), 2)).verdict).toBe('ignored');
    }
    expect(text(log, 'a')).toBe('five');
    expect(log.apply(upsert(3, message('b', 'other item'), 3)).verdict).toBe('applied');
  });

  it('shows what is not stored yet, goes on from nowhere meanwhile, and places it once it is stored', () => {
    const log = loaded([message('a', 'x', 'update')], 5);
    const preview = (state: Upsert) => log.apply({ type: 'session:upsert', sessionId: SESSION, payload: state });
    expect(preview(message('a', 'xy', 'update')).verdict).toBe('applied');
    expect(preview(message('c', 'third', 'create')).isOrderChanged).toBe(true);
    expect(preview(message('b', 'second', 'complete')).isOrderChanged).toBe(true);
    expect([log.order, text(log, 'a'), log.cursor(), log.resumable()]).toEqual([['a', 'c', 'b'], 'xy', 'e1.5', undefined]);
    log.apply(upsert(6, message('a', 'xy', 'update'), 1));
    log.apply(upsert(7, message('b', 'second', 'complete'), 7));
    log.apply(upsert(8, message('c', 'third!', 'complete'), 8));
    expect([log.order, text(log, 'c'), log.resumable()]).toEqual([['a', 'b', 'c'], 'third!', 'e1.8']);
  });

  it('drops what was never stored when it reads everything again', () => {
    const log = loaded([message('a', 'x', 'update')], 5);
    log.apply({ type: 'session:upsert', sessionId: SESSION, payload: message('b', 'lost', 'complete') });
    log.apply(subscribed('reset', 5));
    log.apply(history(5, [message('a', 'x', 'update')]));
    expect([log.order, log.resumable()]).toEqual([['a'], 'e1.5']);
  });

  it('keeps a finished item finished', () => {
    const log = loaded([message('a', 'done', 'complete')]);
    expect(log.apply(upsert(9, message('a', 'again', 'update'), 1)).verdict).toBe('ignored');
    expect(log.items.get('a')?.state.status).toBe('complete');
  });

  it('leaves other items the same objects', () => {
    const log = loaded([message('a', 'x'), message('b', 'y', 'update')]);
    const before = log.items.get('a');
    const order = log.order;
    log.apply(upsert(3, message('b', 'y2'), 2));
    expect(log.items.get('a')).toBe(before);
    expect(log.order).toBe(order);
  });

  it('orders items by their first state, whatever comes first', () => {
    const log = loaded();
    log.apply(upsert(7, message('c', ''), 6));
    log.apply(upsert(8, message('a', ''), 1));
    log.apply(upsert(9, message('b', ''), 3));
    log.apply(upsert(10, message('d', ''), 10));
    expect(log.order).toEqual(['a', 'b', 'c', 'd']);
  });

  it('puts an item that is older than the window in front of it', () => {
    const log = loaded([message('m', ''), message('n', '')], 50, 40);
    log.apply(upsert(51, message('z', '')));
    log.apply(upsert(52, message('old2', ''), 12));
    log.apply(upsert(53, message('old1', ''), 7));
    expect(log.order).toEqual(['old1', 'old2', 'm', 'n', 'z']);
  });

  it('remembers when an item began, and nothing where only a later state is known', () => {
    const log = loaded([message('h', '', 'update')]);
    log.apply(upsert(2, message('a', '', 'create')));
    log.apply(upsert(3, { ...message('a', 'x'), sourceTimestamp: '2026-01-01T00:00:05Z' }, 2));
    expect(log.items.get('a')?.startedAt).toBe('2026-01-01T00:00:00.000Z');
    expect(log.items.get('h')?.startedAt).toBeUndefined();
  });

  it('takes states without seq as they come, and does not move the cursor', () => {
    const log = loaded([], 4);
    log.apply({ type: 'session:upsert', sessionId: SESSION, payload: message('a', 'one', 'create') });
    log.apply({ type: 'session:upsert', sessionId: SESSION, payload: message('a', 'two', 'update') });
    expect(text(log, 'a')).toBe('two');
    expect(log.cursor()).toBe('e1.4');
  });
});

describe('growing texts', () => {
  it('adds behind the base, counted in UTF-16 units', () => {
    const log = loaded();
    log.apply(upsert(1, message('a', 'hi 🙂', 'create')));
    log.apply(append(2, 'a', 5, '!'));
    expect(text(log, 'a')).toBe('hi 🙂!');
  });

  it('replaces what is held beyond the base', () => {
    const log = loaded([message('a', 'one two', 'update')]);
    log.apply(append(2, 'a', 4, '2'));
    expect(text(log, 'a')).toBe('one 2');
  });

  it('grows the output of a tool that had none', () => {
    const log = loaded([tool('a', { status: 'update', toolOutput: undefined })]);
    log.apply(append(2, 'a', 0, 'line'));
    log.apply(append(3, 'a', 4, ' two'));
    expect(text(log, 'a')).toBe('line two');
  });

  it.each([
    ['the item is not held', append(5, 'nobody', 0, 'x')],
    ['less is held than the base says', append(5, 'a', 99, 'x')],
  ])('tells a gap if %s, and has no cursor until a history mends it', (_, frame) => {
    const log = loaded([message('a', 'abc', 'update')]);
    expect(log.apply(frame).verdict).toBe('gap');
    log.apply(upsert(6, message('b', 'later')));
    expect(log.cursor()).toBeUndefined();
    log.apply(subscribed('reset', 6));
    log.apply(history(6, [message('a', 'abcdef', 'update'), message('b', 'later')]));
    expect([text(log, 'a'), log.cursor()]).toEqual(['abcdef', 'e1.6']);
  });

  it('takes an addition once, and none after the end', () => {
    const log = loaded([message('a', '', 'update')]);
    log.apply(append(2, 'a', 0, 'x'));
    expect(log.apply(append(2, 'a', 0, 'x')).verdict).toBe('ignored');
    log.apply(upsert(3, message('a', 'x.'), 1));
    expect(log.apply(append(4, 'a', 2, 'more')).verdict).toBe('ignored');
    expect(text(log, 'a')).toBe('x.');
  });
});

describe('resuming', () => {
  it('has no cursor before a history, and the last seq applied after it', () => {
    const log = createSessionLog(SESSION);
    expect(log.cursor()).toBeUndefined();
    log.apply(subscribed('reset', 3));
    expect(log.cursor()).toBeUndefined();
    log.apply(history(3, []));
    expect(log.cursor()).toBe('e1.3');
    log.apply(turnStarted(4));
    log.apply(upsert(5, message('a', '')));
    expect(log.cursor()).toBe('e1.5');
  });

  it('goes on where it was after `ok`', () => {
    const log = loaded([message('a', 'x')]);
    expect(log.apply(subscribed('ok', 5)).isReset).toBe(false);
    expect(log.cursor()).toBe('e1.1');
    expect(log.order).toEqual(['a']);
  });

  it('has no cursor between the announcement of a reset and its history', () => {
    const log = loaded([message('a', 'x')]);
    log.apply(subscribed('reset', 2, 'e2'));
    expect(log.cursor()).toBeUndefined();
    expect(log.order).toEqual(['a']);
    const change = log.apply(history(2, [message('b', 'y')]));
    expect(change.isReset).toBe(true);
    expect([log.order, log.cursor()]).toEqual([['b'], 'e2.2']);
  });

  it('keeps the objects of items that a reset does not change', () => {
    const log = loaded([message('a', 'x'), message('b', 'y', 'update')], 2);
    const held = log.items.get('a');
    log.apply(subscribed('reset', 9, 'e2'));
    log.apply(history(9, [message('a', 'x'), message('b', 'y2')]));
    expect(log.items.get('a')).toBe(held);
    expect(text(log, 'b')).toBe('y2');
  });

  it('is not thrown back by an old history of the same life', () => {
    const log = loaded([message('a', 'x', 'update')]);
    log.apply(upsert(2, message('a', 'xy'), 1));
    expect(log.apply(history(1, [message('a', 'x', 'update')])).verdict).toBe('ignored');
    expect(text(log, 'a')).toBe('xy');
  });

  it('tells a gap if a cursor is said to be good for another life', () => {
    expect(loaded([message('a', 'x')]).apply(subscribed('ok', 5, 'e2')).verdict).toBe('gap');
  });
});

describe('older pages', () => {
  it('puts them in front and says where to go on', () => {
    const log = loaded([message('m', '')], 50, 40);
    const change = log.prepend(page({ entries: [message('a', ''), message('b', '')], before: 10 }));
    expect(change.isOrderChanged).toBe(true);
    expect([log.order, log.before]).toEqual([['a', 'b', 'm'], 10]);
    log.prepend(page({ entries: [message('0', '')] }));
    expect([log.order, log.before]).toEqual([['0', 'a', 'b', 'm'], undefined]);
  });

  it('does not move the cursor: a page tells nothing of the items behind it', () => {
    const log = loaded([message('m', '')], 50, 40);
    log.prepend(page({ seq: 90, entries: [message('a', '')] }));
    expect(log.cursor()).toBe('e1.50');
  });

  it('keeps the newer state, and gives a stray its place', () => {
    const log = loaded([message('m', '')], 50, 40);
    log.apply(upsert(60, message('b', 'newer', 'update'), 20));
    log.prepend(page({ seq: 55, entries: [message('a', ''), message('b', 'older', 'update'), message('c', '')] }));
    expect(log.order).toEqual(['a', 'b', 'c', 'm']);
    expect(text(log, 'b')).toBe('newer');
  });

  it('ignores pages of another life, and the same page twice', () => {
    const log = loaded([message('m', '')], 50, 40);
    expect(log.prepend(page({ epoch: 'e0', entries: [message('a', '')] })).verdict).toBe('ignored');
    log.prepend(page({ entries: [message('a', '')] }));
    expect(log.prepend(page({ entries: [message('a', '')] })).isOrderChanged).toBe(false);
    expect(log.order).toEqual(['a', 'm']);
  });

  it('puts their turns in front', () => {
    const log = loaded([], 50, 40);
    log.apply(turnStarted(51, 't9'));
    log.prepend(page({ turns: [turnStarted(0, 't1').payload, turnComplete(0, 't1').payload] }));
    expect(log.turns.map((turn) => [turn.turnId, turn.end?.kind])).toEqual([['t1', 'completed'], ['t9', undefined]]);
  });
});

describe('turns and the session', () => {
  it('ends a turn once, with whatever comes first', () => {
    const log = loaded();
    log.apply(turnStarted(1));
    expect(log.apply(turnError(2)).turns).toEqual(['t1']);
    expect(log.apply(turnComplete(3)).verdict).toBe('ignored');
    expect(log.turns[0]?.end).toEqual({ kind: 'error', code: 'PROCESS_CRASH', message: 'gone', usage: { inputTokens: 1, outputTokens: 2 } });
  });

  it('orders turns by their beginning, whatever comes first', () => {
    const log = loaded();
    for (const frame of [turnComplete(4, 't1'), turnComplete(3, 't2'), turnStarted(2, 't2'), turnStarted(1, 't1')]) log.apply(frame);
    expect(log.turns.map((turn) => turn.turnId)).toEqual(['t1', 't2']);
    expect(log.turns.every((turn) => turn.modelId === 'm' && turn.end?.kind === 'completed')).toBe(true);
  });

  it('replaces the view as a whole', () => {
    const log = loaded();
    log.apply(state({ state: 'running', title: 'A', turn: 't1' }));
    expect(log.apply(state({ state: 'idle' })).isViewChanged).toBe(true);
    expect(log.view).toMatchObject({ state: 'idle' });
    expect(log.view).not.toHaveProperty('title');
    expect(log.view).not.toHaveProperty('type');
  });
});
