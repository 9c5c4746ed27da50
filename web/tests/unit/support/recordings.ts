// The recordings of real agents that the server's own tests use, numbered as a log would number them.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { TurnFrame, UpsertFrame } from '../../../src/protocol/frames';

const FIXTURES = fileURLToPath(new URL('../../../../crates/liminal-core/tests/fixtures/', import.meta.url));

export type Recording = { readonly name: string; readonly frames: (UpsertFrame | TurnFrame)[] };

export function recordings(): Recording[] {
  return ['claude', 'acp', 'claude-history'].flatMap((folder) =>
    readdirSync(FIXTURES + folder)
      .map((name) => ({ name: `${folder}/${name}`, file: `${FIXTURES}${folder}/${name}/upserts.ndjson` }))
      .filter(({ file }) => existsSync(file))
      .flatMap(({ name, file }) => bySession(name, readFileSync(file, 'utf8'))),
  );
}

function bySession(name: string, text: string): Recording[] {
  const frames = text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as UpsertFrame | TurnFrame);
  const sessions = grouped(frames);
  return [...sessions].map(([id, own]) => ({ name: `${name} ${id}`, frames: numbered(own) }));
}

function numbered(frames: (UpsertFrame | TurnFrame)[]): (UpsertFrame | TurnFrame)[] {
  const firsts = new Map<string, number>();
  return withStarts(frames.map((frame, index) => {
    const seq = index + 1;
    if (frame.type === 'session:turn') return { ...frame, seq };
    const { itemId } = frame.payload;
    if (!firsts.has(itemId)) firsts.set(itemId, seq);
    return { ...frame, seq, firstSeq: firsts.get(itemId) ?? seq };
  }));
}

/** A log tells with each later state of a thought or a call when it began. */
export function withStarts(frames: readonly (UpsertFrame | TurnFrame)[]): (UpsertFrame | TurnFrame)[] {
  const starts = new Map<string, string>();
  return frames.map((frame) => {
    if (frame.type === 'session:turn' || !/^(thinking|tool_call)$/.test(frame.payload.type)) return frame;
    const { itemId, status, sourceTimestamp } = frame.payload;
    if (status === 'create') starts.set(itemId, sourceTimestamp);
    const startedAt = status === 'create' ? undefined : starts.get(itemId);
    return startedAt === undefined ? frame : { ...frame, payload: { ...frame.payload, startedAt } };
  });
}

function grouped(frames: (UpsertFrame | TurnFrame)[]): Map<string, (UpsertFrame | TurnFrame)[]> {
  const groups = new Map<string, (UpsertFrame | TurnFrame)[]>();
  for (const frame of frames) groups.set(frame.sessionId, [...(groups.get(frame.sessionId) ?? []), frame]);
  return groups;
}
