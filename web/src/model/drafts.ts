// What was typed and not sent yet, per session. Outlives reloads and crashes.

import type { SessionId } from '../gen/contracts';
import type { Cancel, Clock, KeyValueStorage } from '../protocol/environment';

export type Drafts = {
  get(sessionId: SessionId): string;
  /** Kept at once in memory and within 400 ms in storage. */
  set(sessionId: SessionId, text: string): void;
  /** Only if the draft is still this text: what was typed since is kept. */
  clear(sessionId: SessionId, text?: string): void;
  /** Writes now; call it on `pagehide`. */
  flush(): void;
};

const PREFIX = 'liminal:draft:';
const DELAY = 400;

export function createDrafts({ storage, clock }: { storage: KeyValueStorage; clock: Clock }): Drafts {
  const unwritten = new Map<SessionId, string>();
  let timer: Cancel | undefined;

  const write = () => {
    timer?.();
    timer = undefined;
    for (const [id, text] of unwritten) {
      if (text === '') storage.remove(PREFIX + id);
      else storage.set(PREFIX + id, text);
    }
    unwritten.clear();
  };
  const get = (id: SessionId) => unwritten.get(id) ?? storage.get(PREFIX + id) ?? '';
  const set = (id: SessionId, text: string) => {
    unwritten.set(id, text);
    // Not put off by further typing: a crash may take what is younger than the delay, never more.
    timer ??= clock.after(DELAY, write);
  };

  return {
    get,
    set,
    clear(id, text) {
      if (text === undefined || get(id) === text) set(id, '');
    },
    flush: write,
  };
}
