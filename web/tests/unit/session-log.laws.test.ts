import { describe, expect, it } from 'vitest';
import { createSessionLog, type SessionLog } from '../../src/model/session-log';
import { growingText } from '../../src/model/growing-text';
import type { AppendFrame, HistoryFrame, SessionFrame, TurnFrame, UpsertFrame } from '../../src/protocol/frames';
import { chance, type Chance } from './support/chance';
import { append, message, subscribed, timeAt, tool, turnComplete, turnStarted, upsert } from './support/frames';
import { recordings, withStarts } from './support/recordings';

type LogFrame = UpsertFrame | TurnFrame;

/** What is shown, without the times and the steps on the way that an addition does not carry. How long something took is
 *  shown, so when it began is not left out. */
function shown(log: SessionLog): unknown {
  const items = log.order.map((id) => {
    const { startedAt, state: { status, ...rest } } = log.items.get(id)!;
    const isTimed = rest.type === 'thinking' || rest.type === 'tool_call';
    return { ...rest, startedAt: isTimed ? startedAt : undefined, status: status === 'create' ? 'update' : status, emittedAt: '', sourceTimestamp: '' };
  });
  return { items, turns: log.turns };
}

/** What a server's log sends to a reader that comes with a cursor: each item once, in its latest state. */
function since(frames: readonly LogFrame[], cursor: number): LogFrame[] {
  const latest = new Map<string, LogFrame>();
  for (const frame of frames) latest.set(keyOf(frame), frame);
  return [...latest.values()].filter((frame) => frame.seq! > cursor).sort((a, b) => a.seq! - b.seq!);
}

function keyOf(frame: LogFrame): string {
  return frame.type === 'session:upsert' ? frame.payload.itemId : `${frame.payload.turnId} ${frame.payload.type}`;
}

function historyOf(frames: readonly LogFrame[], sessionId: string): HistoryFrame {
  const upserts = since(frames, 0).filter((frame) => frame.type === 'session:upsert').sort((a, b) => a.firstSeq! - b.firstSeq!);
  const turns = frames.filter((frame) => frame.type === 'session:turn').map((frame) => frame.payload);
  return { type: 'session:history', sessionId, entries: upserts.map((frame) => frame.payload), turns, seq: frames.length };
}

function fresh(frames: readonly LogFrame[]): SessionLog {
  const log = createSessionLog(frames[0]!.sessionId);
  log.apply(subscribed('reset', frames.length));
  log.apply(historyOf(frames, log.sessionId));
  return log;
}

function empty(sessionId: string): SessionLog {
  const log = createSessionLog(sessionId);
  log.apply(subscribed('reset', 0));
  log.apply({ type: 'session:history', sessionId, entries: [], turns: [], seq: 0 });
  return log;
}

/** Frames as `encoding: "append"` sends them: additions where a text only grew. */
function asAppends(frames: readonly LogFrame[], random: Chance): (LogFrame | AppendFrame)[] {
  const held = new Map<string, string>();
  return frames.map((frame) => {
    if (frame.type === 'session:turn') return frame;
    const { itemId, status } = frame.payload;
    const before = held.get(itemId);
    const text = growingText(frame.payload) ?? '';
    held.set(itemId, text);
    if (before === undefined || status !== 'update' || !isOnlyGrown(frame, before, text)) return frame;
    const base = random.below(before.length + 1);
    return append(frame.seq!, itemId, base, text.slice(base));
  });
}

function isOnlyGrown(frame: UpsertFrame, before: string, text: string): boolean {
  return frame.payload.type === 'message' && text.startsWith(before);
}

/** Interleaved items that are created, grow and end, with turns around them. */
function invented(random: Chance): LogFrame[] {
  const frames: LogFrame[] = [];
  const open = new Map<string, { text: string; firstSeq: number; isTool: boolean }>();
  for (let turn = 1; turn <= 3; turn += 1) {
    const turnId = `t${turn}`;
    frames.push(turnStarted(frames.length + 1, turnId));
    for (let step = 0; step < 30; step += 1) {
      const id = `${turnId}/${random.below(8)}`;
      const seq = frames.length + 1;
      const known = open.get(id) ?? { text: '', firstSeq: seq, isTool: random.below(3) === 0 };
      if (known.firstSeq < 0) continue;
      known.text += ` wörd🙂${step}`;
      const isDone = random.below(6) === 0;
      const status = isDone ? 'complete' : known.firstSeq === seq ? 'create' : 'update';
      const payload = known.isTool
        ? { ...tool(id, { status, toolOutput: known.text, sourceTimestamp: timeAt(seq) }), turnId }
        : message(id, known.text, status, 'agent', turnId);
      frames.push(upsert(seq, payload, known.firstSeq));
      open.set(id, isDone ? { ...known, firstSeq: -1 } : known);
    }
    frames.push(turnComplete(frames.length + 1, turnId));
  }
  return withStarts(frames);
}

const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1);
const cases: [string, LogFrame[]][] = [
  ...recordings().filter(({ frames }) => frames.length > 0).map(({ name, frames }): [string, LogFrame[]] => [name, frames]),
  ...SEEDS.map((seed): [string, LogFrame[]] => [`invented ${seed}`, invented(chance(seed))]),
];

describe.each(cases)('%s', (name, frames) => {
  const random = chance(name.length * 7919 + frames.length);
  const expected = shown(fresh(frames));
  const play = (log: SessionLog, list: readonly SessionFrame[]) => list.forEach((frame) => log.apply(frame));

  it('frames in order give what a fresh history gives', () => {
    const log = empty(frames[0]!.sessionId);
    play(log, frames);
    expect(shown(log)).toEqual(expected);
    expect(log.seq).toBe(frames.length);
  });

  it('frames in any order, some of them several times, give the same', () => {
    const log = empty(frames[0]!.sessionId);
    play(log, random.shuffled([...frames, ...frames.filter(() => random.below(2) === 0)]));
    expect(shown(log)).toEqual(expected);
  });

  it('additions give the same as full states, also when each comes twice', () => {
    const log = empty(frames[0]!.sessionId);
    for (const frame of asAppends(frames, random)) {
      expect(log.apply(frame).verdict).not.toBe('gap');
      log.apply(frame);
    }
    expect(shown(log)).toEqual(expected);
  });

  it('whoever is cut off anywhere and resumes by cursor, or is reset, ends the same', () => {
    const log = empty(frames[0]!.sessionId);
    let at = 0;
    while (at < frames.length) {
      const to = at + 1 + random.below(frames.length - at);
      const isReset = random.below(4) === 0;
      log.apply(subscribed(isReset ? 'reset' : 'ok', to));
      if (isReset) log.apply(historyOf(frames.slice(0, to), log.sessionId));
      else {
        const missed = since(frames.slice(0, to), Number(log.cursor()!.split('.')[1]));
        // Cut again in the middle: the next cursor is that of the last frame that arrived.
        play(log, missed.slice(0, 1 + random.below(missed.length)));
      }
      at = log.seq;
    }
    expect(shown(log)).toEqual(expected);
  });
});
