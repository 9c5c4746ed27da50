import { describe, expect, it } from 'vitest';
import type { Upsert } from '../../src/gen/contracts';
import { createProjector, pathTo, type Projection, type Row, rowKeyOf, type ToolRow } from '../../src/model/rows';
import { createSessionLog, type SessionLog } from '../../src/model/session-log';
import type { SessionFrame } from '../../src/protocol/frames';
import { history, message, permission, SESSION, state, subscribed, tool, turnComplete, turnError, turnStarted, upsert } from './support/frames';

type Call = Partial<Extract<Upsert, { type: 'tool_call' }>>;

const detached = (fields: Call = {}): Upsert => tool('agent', { status: 'update', callId: 'c1', kind: 'think', detached: true, ...fields });
const inside = (item: Upsert, parentCallId = 'c1'): Upsert => ({ ...item, parentCallId });
const background = (running: number) => ({ background: { running } });

function session(...frames: SessionFrame[]): SessionLog {
  const log = createSessionLog(SESSION);
  log.apply(subscribed('reset'));
  log.apply(history(0, []));
  for (const frame of frames) log.apply(frame);
  return log;
}

const project = (log: SessionLog, projector = createProjector()): Projection => projector({ log, view: log.view, outgoing: [] });

/** A turn with these items that is over. */
function over(...items: Upsert[]): SessionLog {
  const frames = items.map((item, index) => upsert(index + 2, item));
  return session(turnStarted(1), ...frames, turnComplete(items.length + 2), state(background(1)));
}

const find = (rows: readonly Row[], id: string): Row | undefined => pathTo(rows, id).at(-1);

describe('items after the end of their turn', () => {
  const child = inside(tool('child', { status: 'update' }));
  it.each<[string, string, string, Upsert[]]>([
    ['a detached call', 'agent', 'running', [detached()]],
    ['a detached call with arguments to come', 'agent', 'pending', [detached({ status: 'create', toolArguments: {} })]],
    ['a call', 'agent', 'cancelled', [detached({ detached: false })]],
    ['a call inside a detached one', 'child', 'running', [detached(), child]],
    ['a call deep inside a detached one', 'deep', 'running', [detached(), inside(tool('child', { status: 'update', callId: 'c2' })), inside(tool('deep', { status: 'update' }), 'c2')]],
    ['a call inside a detached one that is over', 'child', 'cancelled', [detached({ status: 'complete' }), child]],
    ['a detached call inside one that is over', 'child', 'running', [detached({ status: 'complete' }), inside(tool('child', { status: 'update', detached: true }))]],
    ['a call beside a detached one', 'other', 'cancelled', [detached(), tool('other', { status: 'update' })]],
    ['a call inside itself', 'child', 'cancelled', [detached({ status: 'complete' }), inside(tool('child', { status: 'update', callId: 'c2' }), 'c2')]],
    ['a finished call', 'agent', 'ok', [detached({ status: 'complete' })]],
    ['a call whose tool failed', 'agent', 'error', [detached({ status: 'complete', toolOutputIsError: true })]],
    ['a call that failed', 'agent', 'error', [detached({ status: 'error', errorCode: 'RESPONSE_ERROR' })]],
    ['a call that was ended', 'agent', 'ended', [detached({ status: 'error', errorCode: 'BACKGROUND_ENDED', errorMessage: 'stopped' })]],
    ['a call whose permission is asked for', 'child', 'needs-approval', [detached(), child, inside(permission('p', { callId: 'call-child' }))]],
  ])('show %s', (_, id, status, items) => {
    expect(find(project(over(...items)).rows, id)).toMatchObject({ kind: 'tool', status });
  });

  it('are the same if the turn failed', () => {
    const log = session(turnStarted(1), upsert(2, detached()), turnError(3));
    expect(project(log).rows[0]).toMatchObject({ status: 'running' });
  });

  it('stream inside a detached call until it is over, without states of their own', () => {
    const projector = createProjector();
    const plan: Upsert = { ...message('plan', ''), type: 'plan', entries: [{ content: 'x', status: 'in_progress' }] } as Upsert;
    const log = over(detached(), inside(message('said', 'hm', 'update')), inside(plan));
    const before = project(log, projector).rows;
    expect(find(before, 'said')).toMatchObject({ isStreaming: true });
    expect(find(before, 'plan')).toMatchObject({ isRunning: true });
    log.apply(upsert(9, detached({ status: 'complete' }), 2));
    const after = project(log, projector).rows;
    expect(find(after, 'said')).toMatchObject({ isStreaming: false });
    expect(find(after, 'plan')).toMatchObject({ isRunning: false });
  });

  it('keep the rows of others as they are', () => {
    const projector = createProjector();
    const log = over(message('first', 'x'), detached(), inside(message('said', 'one')));
    const before = project(log, projector).rows;
    log.apply(upsert(9, inside(message('more', 'two', 'update'))));
    const after = project(log, projector).rows;
    expect(after[0]).toBe(before[0]);
    expect(find(after, 'said')).toBe(find(before, 'said'));
    expect(after.at(-1)).toBe(before.at(-1));
    expect(project(log, projector).rows).toBe(after);
  });

  it('are not folded away when they are done', () => {
    const done = ['a', 'b', 'c'].map((id) => tool(id, { detached: true }));
    expect(project(over(...done)).rows.map((row) => row.kind)).toEqual(['tool', 'tool', 'tool', 'turn-end']);
  });
});

describe('background work beside later turns', () => {
  const second = (id: string): Upsert => message(id, id, 'complete', 'agent', 't2');
  const keys = (log: SessionLog) => project(log).rows.map((row) => row.key);

  it('stands with its call and leaves the later turn in one piece', () => {
    const log = session(
      turnStarted(1), upsert(2, detached()), turnComplete(3), turnStarted(4, 't2'), upsert(5, second('a')),
      upsert(6, inside(tool('child', { status: 'update', callId: 'c2' }))), upsert(7, second('b')), upsert(8, inside(message('deep', 'x', 'update'), 'c2')),
      turnComplete(9, 't2'),
    );
    const { rows } = project(log);
    expect(rows.map((row) => row.key)).toEqual(['agent', 'end:t1', 'a', 'b', 'end:t2']);
    expect(rowKeyOf(rows, 'deep')).toBe('agent');
    expect(find(rows, 'deep')).toMatchObject({ isStreaming: true });
  });

  it('keeps what belongs to a call of the later turn together', () => {
    const asked: Upsert = { ...permission('p', { callId: 'call-run' }), turnId: 't2' };
    const log = session(
      turnStarted(1), upsert(2, detached()), turnComplete(3), turnStarted(4, 't2'), upsert(5, { ...tool('run', { status: 'update' }), turnId: 't2' }),
      upsert(6, inside(message('said', 'x', 'update'))), upsert(7, asked), state({ state: 'waiting', turn: 't2', ...background(1) }),
    );
    expect(find(project(log).rows, 'run')).toMatchObject({ status: 'needs-approval' });
  });

  it('is live without its call, and cuts no turn in two', () => {
    const log = session(
      turnStarted(1, 't2'), upsert(2, second('a')), upsert(3, inside(message('lost', 'x', 'update'))), turnComplete(4), upsert(5, second('b')),
      upsert(6, inside(tool('run', { status: 'update' }))), state({ state: 'running', turn: 't2', ...background(1) }),
    );
    expect(keys(log)).toEqual(['lost', 'run', 'end:t1', 'a', 'b']);
    expect(project(log).rows[0]).toMatchObject({ isStreaming: true });
    expect(project(log).rows[1]).toMatchObject({ status: 'running' });
    log.apply(state({ state: 'running', turn: 't2' }));
    expect(project(log).rows[0]).toMatchObject({ isStreaming: false });
    expect(project(log).rows[1]).toMatchObject({ status: 'cancelled' });
  });

  it('moves into its call when that is loaded', () => {
    const log = createSessionLog(SESSION);
    log.apply(subscribed('reset'));
    log.apply({ ...history(9, [second('a'), inside(message('said', 'x', 'update'))]), before: 5 });
    log.apply(state(background(1)));
    log.prepend({ sessionId: SESSION, epoch: log.epoch ?? '', entries: [detached()], turns: [turnComplete(3).payload], seq: 9 });
    expect(keys(log)).toEqual(['agent', 'end:t1', 'a']);
    expect(rowKeyOf(project(log).rows, 'said')).toBe('agent');
  });

  it('does not reach across a gap', () => {
    const log = session(turnStarted(1), upsert(2, detached()), upsert(3, second('a')), upsert(4, inside(message('said', 'x', 'update'))), turnComplete(5), state(background(1)));
    const gap = { next: 'said', after: 3, before: 4 };
    const { rows } = createProjector()({ log: { order: log.order, items: log.items, turns: log.turns, gap }, view: log.view, outgoing: [] });
    expect(rows.map((row) => row.key)).toEqual(['agent', 'a', 'gap', 'said', 'end:t1']);
  });
});

describe('requests of background work', () => {
  const asked = inside(permission('p', { callId: 'call-child' }));

  it('wait for an answer while no turn runs', () => {
    const log = over(detached(), inside(tool('child', { status: 'update' })), asked);
    log.apply(state({ state: 'waiting', pending: ['p'], ...background(1) }));
    const { pending, waiting } = project(log);
    expect(pending.map((item) => item.id)).toEqual(['p']);
    expect(waiting).toEqual({ kind: 'approval', title: 'Bash: ls', itemId: 'p' });
  });

  it('wait also if their call is not loaded', () => {
    const log = over(asked);
    expect(project(log).pending).toHaveLength(1);
    log.apply(state({}));
    expect(project(log).pending).toEqual([]);
  });

  it('end with the call', () => {
    expect(project(over(detached({ status: 'complete' }), asked)).pending).toEqual([]);
  });
});

describe('what a turn waits for', () => {
  const running = (...items: Upsert[]) => {
    const log = session(turnStarted(1), ...items.map((item, index) => upsert(index + 2, item)), state({ state: 'running', turn: 't1', ...background(1) }));
    return project(log).waiting;
  };
  it.each<[string, Upsert[]]>([
    ['model', [detached()]],
    ['model', [detached(), inside(message('said', 'x', 'update'))]],
    ['writing', [detached(), message('said', 'x', 'update')]],
    ['tool', [tool('run', { status: 'update' }), detached()]],
    ['tool', [detached({ detached: false }), inside(tool('run', { status: 'update' }))]],
  ])('is %s, never its background work', (kind, items) => {
    expect(running(...items)).toMatchObject({ kind });
  });

  it('is nothing without a turn, unless something is asked', () => {
    const log = over(detached());
    log.apply(state({ state: 'waiting', pending: ['p'], ...background(1) }));
    expect(project(log).waiting).toBeUndefined();
  });
});

describe('a call that becomes detached', () => {
  it('is shown so from then on, and keeps when it began', () => {
    const log = session(turnStarted(1), upsert(2, detached({ detached: false, status: 'create' })), upsert(3, detached(), 2), turnComplete(4));
    const [row] = project(log).rows as ToolRow[];
    expect(row).toMatchObject({ status: 'running', item: { startedAt: expect.any(String) as string } });
  });
});
