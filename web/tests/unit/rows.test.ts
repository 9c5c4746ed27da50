import { describe, expect, it } from 'vitest';
import type { Upsert } from '../../src/gen/contracts';
import { createProjector, pathTo, type Projection, type Row, rowKeyOf, type ToolRow } from '../../src/model/rows';
import { createSessionLog, isTerminal, type SessionLog } from '../../src/model/session-log';
import { waitingText } from '../../src/model/waiting';
import type { SessionFrame } from '../../src/protocol/frames';
import type { Delivery, Outgoing } from '../../src/protocol/outbox';
import {
  common, history, message, permission, SESSION, state, subscribed, timeAt, tool, turnComplete, turnError, turnStarted, upsert,
} from './support/frames';
import { recordings } from './support/recordings';

function session(...frames: SessionFrame[]): SessionLog {
  const log = createSessionLog(SESSION);
  log.apply(subscribed('reset'));
  log.apply(history(0, []));
  for (const frame of frames) log.apply(frame);
  return log;
}

/** A log of these items in one turn that runs. */
function running(...items: Upsert[]): SessionLog {
  return session(turnStarted(1), ...items.map((item, index) => upsert(index + 2, item)), state({ state: 'running', turn: 't1' }));
}

function project(log: SessionLog, outgoing: Outgoing[] = [], projector = createProjector()): Projection {
  return projector({ log, view: log.view, outgoing });
}

function rowsOf(...items: Upsert[]): readonly Row[] {
  return project(running(...items)).rows;
}

const kinds = (rows: readonly Row[]) => rows.map((row) => row.kind);
const outgoing = (delivery: Delivery, clientMessageId = 'c1'): Outgoing =>
  ({ clientMessageId, sessionId: SESSION, text: 'hello', createdAt: 0, wasSent: true, delivery });
const thinking = (id: string, content: string, status: Upsert['status']): Upsert =>
  ({ ...common(id, status), type: 'thinking', providerId: 'p', content });

describe('kinds of rows', () => {
  it('shows each item as what it is, in order', () => {
    const rows = rowsOf(
      message('u', 'do it', 'complete', 'user'), thinking('h', 'hm', 'complete'), message('a', 'yes', 'update'),
      message('s', 'Compacted.', 'complete', 'system'), tool('r'),
      { ...common('p', 'update'), type: 'plan', entries: [{ content: 'x', status: 'pending' }] },
    );
    expect(kinds(rows)).toEqual(['user', 'thinking', 'agent', 'note', 'tool', 'plan']);
    expect(rows.map((row) => row.key)).toEqual(['u', 'h', 'a', 's', 'r', 'p']);
    expect(rows[2]).toMatchObject({ isStreaming: true });
  });

  it('leaves out texts that ended empty, and keeps those that only begin', () => {
    expect(kinds(rowsOf(message('a', ' '), thinking('h', '', 'complete'), message('b', '', 'create')))).toEqual(['agent']);
  });

  it('ends a turn with what it cost, or with the error', () => {
    const done = project(session(turnStarted(1), upsert(2, message('a', 'x')), turnComplete(3))).rows;
    expect(done.at(-1)).toMatchObject({ kind: 'turn-end', key: 'end:t1', status: 'completed', usage: { outputTokens: 5 } });
    const failed = project(session(turnStarted(1), upsert(2, message('a', 'x')), turnError(3))).rows;
    expect(failed.at(-1)).toMatchObject({ kind: 'error', key: 'error:t1', code: 'PROCESS_CRASH', message: 'gone', usage: { outputTokens: 2 } });
  });

  it('shows a turn that failed before it said anything, at its place', () => {
    const log = session(
      turnStarted(1, 't1'), upsert(2, message('a', '1')), turnComplete(3, 't1'),
      turnStarted(4, 't2'), turnError(5, 't2'), turnStarted(6, 't3'), upsert(7, message('b', '3', 'complete', 'agent', 't3')),
      turnStarted(8, 't4'), turnError(9, 't4'),
    );
    expect(project(log).rows.map((row) => row.key)).toEqual(['a', 'end:t1', 'error:t2', 'b', 'error:t4']);
  });

  it('tells the end of a turn once, behind its last item, if turns are interleaved', () => {
    const log = session(
      turnStarted(1, 't1'), upsert(2, message('a', '1')), turnStarted(3, 't2'), upsert(4, message('b', '2', 'complete', 'agent', 't2')),
      upsert(5, message('c', '3')), turnComplete(6, 't1'), turnComplete(7, 't2'),
    );
    expect(project(log).rows.map((row) => row.key)).toEqual(['a', 'b', 'end:t2', 'c', 'end:t1']);
  });

  it('does not show texts of a turn that was stopped as if they went on', () => {
    const log = session(turnStarted(1), upsert(2, message('a', 'x', 'update')), turnComplete(3, 't1', 'cancelled'));
    expect(project(log).rows[0]).toMatchObject({ isStreaming: false });
  });

  it('tells how long thinking took', () => {
    const log = running(thinking('h', 'a', 'create'));
    log.apply(upsert(9, { ...thinking('h', 'ab', 'complete'), sourceTimestamp: timeAt(4) }, 2));
    expect(project(log).rows[0]).toMatchObject({ durationMs: 4000, isStreaming: false });
  });
});

describe('tools', () => {
  const statusOf = (...items: Upsert[]) => (rowsOf(...items)[0] as ToolRow).status;
  it.each<[string, Partial<Extract<Upsert, { type: 'tool_call' }>>]>([
    ['pending', { status: 'create', toolArguments: {} }],
    ['running', { status: 'create' }],
    ['running', { status: 'update' }],
    ['ok', { status: 'complete' }],
    ['error', { status: 'complete', toolOutputIsError: true }],
    ['error', { status: 'error' }],
  ])('is %s with %j', (status, fields) => {
    expect(statusOf(tool('r', fields))).toBe(status);
  });

  it('needs approval while its request waits, and runs after it', () => {
    const call = tool('r', { status: 'update', callId: 'call-x' });
    expect(statusOf(call, permission('p'))).toBe('needs-approval');
    expect(statusOf(call, permission('p', { status: 'complete', outcome: { optionId: 'yes', by: 'user' } }))).toBe('running');
  });

  it('is cancelled if its turn ended before its result came', () => {
    const log = session(turnStarted(1), upsert(2, tool('r', { status: 'update' })), turnComplete(3, 't1', 'cancelled'));
    expect(project(log).rows[0]).toMatchObject({ kind: 'tool', status: 'cancelled' });
  });

  it('holds what its sub-agent does, at any depth', () => {
    const [row, ...others] = rowsOf(
      tool('outer', { kind: 'think', callId: 'c1' }),
      tool('inner', { kind: 'think', callId: 'c2', parentCallId: 'c1' }),
      { ...message('deep', 'x'), parentCallId: 'c2' },
    ) as ToolRow[];
    expect(others).toEqual([]);
    expect(row?.children.map((child) => child.key)).toEqual(['inner']);
    expect((row?.children[0] as ToolRow).children.map((child) => child.key)).toEqual(['deep']);
    expect(rowKeyOf([row!], 'deep')).toBe('outer');
    expect(pathTo([row!], 'deep').map((step) => step.key)).toEqual(['outer', 'inner', 'deep']);
    expect(pathTo([row!], 'nowhere')).toEqual([]);
  });

  it('shows what a sub-agent does by itself if the call is not here or stands in a circle', () => {
    const rows = rowsOf({ ...message('lost', 'x'), parentCallId: 'nobody' }, tool('self', { callId: 's', parentCallId: 's' }));
    expect(rows.map((row) => row.key)).toEqual(['lost', 'self']);
  });
});

describe('folding', () => {
  it('folds three finished reads, and names the files', () => {
    const [fold] = rowsOf(tool('a'), tool('b'), tool('c'), tool('a2', { locations: [{ path: 'a' }] }));
    expect(fold).toMatchObject({ kind: 'fold', key: 'fold:a', summary: 'Read 3 files' });
    expect(rowKeyOf([fold!], 'b')).toBe('fold:a');
    expect(pathTo([fold!], 'b').map((step) => step.key)).toEqual(['fold:a', 'b']);
  });

  it('tells searches and fetches', () => {
    const [fold] = rowsOf(tool('a'), tool('b', { kind: 'search' }), tool('c', { kind: 'search' }), tool('d', { kind: 'fetch' }));
    expect(fold).toMatchObject({ summary: 'Read 1 file, searched 2 times, fetched once' });
  });

  it.each<[string, Upsert[]]>([
    ['two', [tool('a'), tool('b')]],
    ['an edit among them', [tool('a'), tool('b'), tool('e', { kind: 'edit' }), tool('c')]],
    ['one that runs', [tool('a'), tool('b'), tool('c', { status: 'update' })]],
    ['one that failed', [tool('a'), tool('b'), tool('c', { toolOutputIsError: true })]],
    ['a text between', [tool('a'), tool('b'), message('m', 'x'), tool('c')]],
  ])('does not fold %s', (_, items) => {
    expect(kinds(rowsOf(...items))).not.toContain('fold');
  });

  it('folds inside of sub-agents', () => {
    const child = (id: string) => tool(id, { parentCallId: 'c1' });
    const [row] = rowsOf(tool('outer', { kind: 'think', callId: 'c1' }), child('a'), child('b'), child('c')) as ToolRow[];
    expect(kinds(row!.children)).toEqual(['fold']);
  });
});

describe('permissions', () => {
  it('are pending and not in the transcript while they wait', () => {
    const projection = project(running(permission('p')));
    expect(projection.pending.map((item) => item.id)).toEqual(['p']);
    expect(projection.rows).toEqual([]);
  });

  it('are pending also if a sub-agent asks', () => {
    const log = running(tool('outer', { status: 'update', callId: 'c1' }), permission('p', { parentCallId: 'c1' }));
    expect(project(log).pending).toHaveLength(1);
  });

  it('do not wait any more when the turn is over', () => {
    const log = session(turnStarted(1), upsert(2, permission('p')), turnComplete(3, 't1', 'cancelled'));
    expect(project(log).pending).toEqual([]);
    expect(project(log).rows[0]).toMatchObject({ kind: 'permission', outcome: 'withdrawn' });
  });

  it('are told by the card of their call', () => {
    const asked = permission('p', { status: 'complete', outcome: { optionId: 'yes', by: 'user' } });
    const rows = rowsOf(tool('r', { callId: 'call-x' }), asked);
    expect(kinds(rows)).toEqual(['tool']);
    expect((rows[0] as ToolRow).permission?.id).toBe('p');
  });

  const question = { question: 'Which?', multiSelect: false, options: [{ label: 'A' }] };
  it.each<[string, string | undefined, Partial<Extract<Upsert, { type: 'permission' }>>]>([
    ['allowed', 'Allow once', { status: 'complete', outcome: { optionId: 'yes', by: 'user' } }],
    ['rejected', 'Reject', { status: 'complete', outcome: { optionId: 'no', by: 'user' } }],
    ['answered', undefined, { status: 'complete', outcome: { answers: { 'Which?': 'A' }, by: 'user' }, questions: [question] }],
    ['withdrawn', undefined, { status: 'complete', outcome: { by: 'agent' } }],
    ['lapsed', undefined, { status: 'error', errorCode: 'PERMISSION_LAPSED' }],
  ])('are %s', (outcome, chosen, fields) => {
    expect(rowsOf(permission('p', fields))[0]).toMatchObject({ kind: 'permission', outcome, chosen });
  });
});

describe('messages of this page', () => {
  it.each<Delivery>([
    { kind: 'waiting' }, { kind: 'sending' }, { kind: 'accepted', turnId: 't9' }, { kind: 'failed', code: 'X', message: 'y' },
    { kind: 'indeterminate', message: 'z' },
  ])('are shown at the end while they are %j', (delivery) => {
    const rows = project(running(message('a', 'x')), [outgoing(delivery)]).rows;
    expect(rows.at(-1)).toMatchObject({ kind: 'user', key: 'out:c1', text: 'hello', outgoing: { delivery } });
  });

  it('are in the queue and not in the transcript while they are queued', () => {
    expect(project(running(), [outgoing({ kind: 'queued', queuedId: 'q' })]).rows).toEqual([]);
  });

  it('become the server’s message under the same key, never both', () => {
    const projector = createProjector();
    const log = session();
    const entries = [outgoing({ kind: 'accepted', turnId: 't1' })];
    expect(project(log, entries, projector).rows.map((row) => row.key)).toEqual(['out:c1']);
    log.apply(upsert(1, message('t1/1', 'hello', 'complete', 'user')));
    const both = project(log, entries, projector).rows;
    const later = project(log, [], projector).rows;
    for (const rows of [both, later]) expect(rows.map((row) => row.key)).toEqual(['out:c1']);
    expect(later[0]).toMatchObject({ item: { id: 't1/1' }, outgoing: undefined });
    expect(rowKeyOf(later, 't1/1')).toBe('out:c1');
  });
});

describe('messages that are shown before they are confirmed', () => {
  const sending = outgoing({ kind: 'sending' });
  const keysOf = (log: SessionLog, entries: Outgoing[], projector: ReturnType<typeof createProjector>): string[] => project(log, entries, projector).rows.map((row) => row.key);

  it('are one row, under the key that they had and will have', () => {
    const projector = createProjector();
    const log = session();
    expect(keysOf(log, [sending], projector)).toEqual(['out:c1']);
    log.apply(upsert(1, message('t1/1', 'hello', 'complete', 'user')));
    expect(keysOf(log, [sending], projector)).toEqual(['out:c1']);
    expect(keysOf(log, [outgoing({ kind: 'accepted', turnId: 't1' })], projector)).toEqual(['out:c1']);
    expect(keysOf(log, [], projector)).toEqual(['out:c1']);
  });

  it('are not mistaken for earlier ones of the same words', () => {
    const projector = createProjector();
    const log = session(upsert(1, message('t1/1', 'hello', 'complete', 'user')));
    expect(keysOf(log, [], projector)).toEqual(['t1/1']);
    expect(keysOf(log, [sending], projector)).toEqual(['t1/1', 'out:c1']);
    expect(keysOf(session(upsert(1, message('old', 'hello', 'complete', 'user'))), [{ ...sending, createdAt: Date.parse(timeAt(3600)) }], createProjector())).toEqual(['old', 'out:c1']);
  });

  it('are two if they were said twice', () => {
    const projector = createProjector();
    const log = session();
    const both = [sending, outgoing({ kind: 'sending' }, 'c2')];
    expect(keysOf(log, both, projector)).toEqual(['out:c1', 'out:c2']);
    log.apply(upsert(1, message('t1/1', 'hello', 'complete', 'user')));
    expect(keysOf(log, both, projector)).toEqual(['out:c1', 'out:c2']);
  });
});

describe('what the turn waits for', () => {
  const waiting = (...items: Upsert[]) => project(running(...items)).waiting;
  it.each<[string, Upsert[]]>([
    ['Waiting for the model', []],
    ['Waiting for the model', [message('u', 'x', 'complete', 'user')]],
    ['Thinking', [thinking('h', 'x', 'create')]],
    ['Writing', [message('a', 'x', 'update')]],
    ['Running Bash: ls', [tool('r', { status: 'update', toolName: 'Bash', title: 'ls' })]],
    ['Running Search for it', [tool('r', { status: 'update', toolName: 'search', title: 'Search for it' })]],
    ['Running Agent', [tool('r', { status: 'update', toolName: 'Agent' }), tool('c', { parentCallId: 'call-r' })]],
    ['Waiting for your approval: Bash: ls', [tool('r', { status: 'update', callId: 'call-x' }), permission('p')]],
    ['Waiting for your answer: Which?', [permission('p', { questions: [{ question: 'Which?', multiSelect: false, options: [] }] })]],
    ['It failed. Retry 1 of 2 in 0.6 s.', [message('s', 'It failed. Retry 1 of 2 in 0.6 s.', 'complete', 'system')]],
  ])('%s', (text, items) => {
    expect(waitingText(waiting(...items)!)).toBe(text);
  });

  it('is its start, its stop, or nothing', () => {
    const at = (view: Parameters<typeof state>[0]) => project(session(state(view))).waiting?.kind;
    expect([at({ state: 'starting' }), at({ state: 'cancelling' }), at({ state: 'idle' }), at({ state: 'closed' })])
      .toEqual(['agent', 'stopping', undefined, undefined]);
  });
});

describe('identity', () => {
  it('gives the same projection if nothing changed', () => {
    const log = running(message('a', 'x', 'update'), tool('b'), tool('c'), tool('d'));
    const projector = createProjector();
    const entries = [outgoing({ kind: 'sending' })];
    expect(project(log, entries, projector)).toBe(project(log, [...entries], projector));
  });

  it('replaces only the row that changed', () => {
    const log = session(
      turnStarted(1), upsert(2, message('u', 'q', 'complete', 'user')), upsert(3, message('a', 'x')), turnComplete(4),
      turnStarted(5, 't2'), ...['b', 'c', 'd'].map((id, index) => upsert(6 + index, tool(id, { turnId: 't2' }))),
      upsert(9, message('e', 'gr', 'update', 'agent', 't2')),
    );
    const projector = createProjector();
    const before = project(log, [], projector).rows;
    log.apply(upsert(10, message('e', 'grows', 'update', 'agent', 't2'), 9));
    const after = project(log, [], projector).rows;
    expect(after.filter((row, index) => row !== before[index]).map((row) => row.key)).toEqual(['e']);
  });

  it('keeps the children of a sub-agent that did not change', () => {
    const log = running(
      tool('o', { status: 'update', callId: 'c1' }), { ...message('x', '1'), parentCallId: 'c1' }, { ...message('y', '2', 'update'), parentCallId: 'c1' },
    );
    const projector = createProjector();
    const [before] = project(log, [], projector).rows as ToolRow[];
    log.apply(upsert(9, { ...message('y', '22'), parentCallId: 'c1' }, 4));
    const [after] = project(log, [], projector).rows as ToolRow[];
    expect(after).not.toBe(before);
    expect(after!.children[0]).toBe(before!.children[0]);
  });
});

function itemIds(rows: readonly Row[]): string[] {
  return rows.flatMap((row) => {
    if (row.kind === 'fold') return itemIds(row.tools);
    if (row.kind === 'tool') return [row.item.id, ...(row.permission ? [row.permission.id] : []), ...itemIds(row.children)];
    return 'item' in row && row.item ? [row.item.id] : [];
  });
}

describe.each(recordings().map(({ name, frames }) => [name, frames] as const))('recording %s', (_, frames) => {
  const log = createSessionLog(frames[0]?.sessionId ?? SESSION);
  const projector = createProjector();
  let projection = project(log, [], projector);
  for (const frame of frames) {
    log.apply(frame);
    projection = project(log, [], projector);
  }

  it('shows every item once, in order, and the end of every turn', () => {
    const ids = itemIds(projection.rows);
    expect(new Set(ids).size).toBe(ids.length);
    const blank = (item: Upsert) => (item.type === 'message' || item.type === 'thinking') && item.content.trim() === '';
    const expected = log.order.filter((id) => !blank(log.items.get(id)!.state) || log.items.get(id)!.state.status !== 'complete');
    const overtaken = expected.filter((id) => !ids.includes(id)).map((id) => log.items.get(id)!.state.type);
    // A call that was asked about twice shows the newer request.
    expect(overtaken.filter((type) => type !== 'permission')).toEqual([]);
    const top = projection.rows.flatMap((row) => ('item' in row && row.item ? [log.order.indexOf(row.item.id)] : []));
    expect(top).toEqual([...top].sort((a, b) => a - b));
    const ends = projection.rows.filter((row) => row.kind === 'turn-end' || row.kind === 'error');
    expect(ends).toHaveLength(log.turns.filter((turn) => turn.end).length);
  });

  it('shows nothing as going on when all turns have ended', () => {
    if (log.turns.some((turn) => !turn.end)) return;
    expect(projection.pending).toEqual([]);
    for (const row of projection.rows) {
      if (row.kind === 'tool') expect(['ok', 'error', 'cancelled', 'ended']).toContain(row.status);
      if (row.kind === 'tool' && row.status === 'ok') expect(isTerminal(row.item.state.status)).toBe(true);
      if (row.kind === 'agent' || row.kind === 'thinking') expect(row.isStreaming).toBe(false);
    }
  });

  it('gives the same rows at once as step by step', () => {
    expect(project(log).rows).toEqual(projection.rows);
  });
});

describe('long sessions', () => {
  it('touch only the turn that changed, and in it only the row', () => {
    const frames: SessionFrame[] = [];
    for (let turn = 0; turn < 100; turn += 1) {
      const turnId = `t${turn}`;
      frames.push(turnStarted(frames.length + 1, turnId));
      for (let item = 0; item < 20; item += 1) frames.push(upsert(frames.length + 1, message(`${turnId}/${item}`, 'x', 'complete', 'agent', turnId)));
      frames.push(turnComplete(frames.length + 1, turnId));
    }
    const log = session(...frames);
    const projector = createProjector();
    const before = project(log, [], projector).rows;
    // Whoever looks at an item of another turn is caught.
    for (const [id, item] of log.items) {
      if (item.turnId !== 't50') Object.defineProperty(item, 'state', { get: () => { throw new Error(`looked at ${id}`); } });
    }
    log.apply(upsert(frames.length + 1, { ...message('t50/3', 'y', 'complete', 'agent', 't50'), turnId: 't50' }));
    const after = project(log, [], projector).rows;
    expect(after.filter((row, index) => row !== before[index]).map((row) => row.key)).toEqual(['t50/3']);
  });
});
