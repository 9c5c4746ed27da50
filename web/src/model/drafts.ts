import type { SessionId } from '../gen/contracts';
import type { Clock, KeyValueStorage } from '../protocol/environment';

export type Drafts = {
  get(sessionId: SessionId): string;
  /** Kept at once in memory and within 400 ms in storage. */
  set(sessionId: SessionId, text: string): void;
  /** Only if the draft is still this text: what was typed since is kept. */
  clear(sessionId: SessionId, text?: string): void;
  /** Writes now; call it on `pagehide`. */
  flush(): void;
};

export declare function createDrafts(options: { storage: KeyValueStorage; clock: Clock }): Drafts;
