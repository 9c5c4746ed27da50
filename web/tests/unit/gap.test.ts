import { describe, expect, it } from 'vitest';
import type { HistoryPage } from '../../src/gen/contracts';
import { createProjector, rowKeyOf } from '../../src/model/rows';
import { createSessionLog, type SessionLog } from '../../src/model/session-log';
import { history, idleView, message, subscribed, upsert } from './support/frames';

const COUNT = 1000;
const number = (id: string): number => Number(id.slice(1));
const ids = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, index) => `i${from + index}`);
const entry = (id: string) => message(id, id, 'complete', 'agent', `t${Math.floor(number(id) / 10)}`);

/** Items from one place to another, as a server with all of them would send them. */
function page(from: number, to: number): HistoryPage {
  return {
    sessionId: 's', epoch: 'e1', entries: ids(from, to).map(entry), turns: [], seq: COUNT,
    ...(from > 0 ? { before: from } : {}), ...(to < COUNT ? { after: to - 1 } : {}),
  };
}

function withTail(): SessionLog {
  const log = createSessionLog('s');
  log.apply(subscribed('reset', COUNT));
  log.apply({ ...history(COUNT, ids(800, COUNT).map(entry)), before: 800 });
  return log;
}

const kinds = (log: SessionLog) => createProjector()({ log, view: idleView, outgoing: [] }).rows;

describe('a page from far back', () => {
  it('stands in front of the newest items, with a gap between them', () => {
    const log = withTail();
    log.around(page(100, 300));
    expect(log.order).toEqual([...ids(100, 300), ...ids(800, COUNT)]);
    expect(log.gap).toEqual({ next: 'i800', after: 299, before: 800 });
    expect(log.before).toBe(100);
    const rows = kinds(log);
    expect(rows.findIndex((row) => row.kind === 'gap')).toBe(rows.findIndex((row) => row.key === 'i800') - 1);
    expect(rowKeyOf(rows, 'i200')).toBe('i200');
  });

  it('splits a turn that goes on behind the gap', () => {
    const log = withTail();
    log.around({ ...page(100, 300), entries: ids(100, 300).map((id) => ({ ...entry(id), turnId: 't80' })) });
    expect(kinds(log).filter((row) => row.kind === 'gap')).toHaveLength(1);
  });

  it.each([
    ['from its older side', 'older' as const],
    ['from its newer side', 'newer' as const],
    ['from both', undefined],
  ])('is joined by pages %s', (_, side) => {
    const log = withTail();
    log.around(page(100, 300));
    for (let step = 0; log.gap && step < 10; step += 1) {
      const from = side ?? (step % 2 === 0 ? 'older' : 'newer');
      const { after, before } = log.gap;
      log.fill(from === 'older' ? page(after + 1, Math.min(COUNT, after + 201)) : page(before - 200, before), from);
    }
    expect(log.gap).toBeUndefined();
    expect(log.order).toEqual(ids(100, COUNT));
  });

  it('that touches what is held leaves no gap', () => {
    const log = withTail();
    log.around(page(700, 900));
    expect(log.gap).toBeUndefined();
    expect(log.order).toEqual(ids(700, COUNT));
    expect(log.before).toBe(700);
  });

  it('that is held already changes nothing', () => {
    const log = withTail();
    log.around(page(850, 950));
    expect(log.order).toEqual(ids(800, COUNT));
    expect(log.before).toBe(800);
  });

  it('takes the place of an earlier one, which can come again', () => {
    const log = withTail();
    log.around(page(100, 300));
    log.around(page(500, 600));
    expect(log.order).toEqual([...ids(500, 600), ...ids(800, COUNT)]);
    log.around(page(100, 300));
    expect(log.order).toEqual([...ids(100, 300), ...ids(800, COUNT)]);
  });

  it('goes on to older pages, while new items come at the end', () => {
    const log = withTail();
    log.around(page(100, 300));
    log.prepend(page(0, 100));
    log.apply(upsert(COUNT + 1, entry('i1000')));
    expect(log.order).toEqual([...ids(0, 300), ...ids(800, COUNT + 1)]);
    expect(log.before).toBeUndefined();
  });

  it('is gone with a new history', () => {
    const log = withTail();
    log.around(page(100, 300));
    log.apply(subscribed('reset', COUNT + 5, 'e2'));
    log.apply({ ...history(COUNT + 5, ids(900, COUNT).map(entry)), before: 900 });
    expect(log.gap).toBeUndefined();
    expect(log.order).toEqual(ids(900, COUNT));
  });
});
