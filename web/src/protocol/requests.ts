// Questions that wait for their answers on one socket.

import type { Problem, ServerMessage } from '../gen/contracts';
import type { Cancel, Clock } from './environment';
import type { OkFrame } from './frames';

/** The socket closed before the answer: it may or may not have been done. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected';
  constructor() {
    super('the connection was lost before the answer came');
  }
}

/** The socket is open, and no answer came for long: it may or may not have been done. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
  constructor() {
    super('the server did not answer');
  }
}

/** The server says why not. */
export class Refused extends Error {
  override readonly name = 'Refused';
  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title);
  }
}

/** A message may have to start its agent first. */
const PATIENCE = 60_000;

type Waiting = { resolve(frame: OkFrame): void; reject(error: Error): void; stop: Cancel };

export class Requests {
  private waiting = new Map<string, Waiting>();
  private count = 0;

  constructor(private clock: Clock) {}

  /** The id to send, and its answer. */
  begin(): { requestId: string; answer: Promise<OkFrame> } {
    this.count += 1;
    const requestId = `r${this.count}`;
    const answer = new Promise<OkFrame>((resolve, reject) => {
      const stop = this.clock.after(PATIENCE, () => this.settle(requestId)?.reject(new Unanswered()));
      this.waiting.set(requestId, { resolve, reject, stop });
    });
    return { requestId, answer };
  }

  answered(frame: ServerMessage): void {
    if (frame.type === 'ok') this.settle(frame.requestId)?.resolve(frame);
    if (frame.type === 'error' && frame.requestId !== undefined) this.settle(frame.requestId)?.reject(new Refused(frame.problem));
  }

  lost(): void {
    for (const requestId of [...this.waiting.keys()]) this.settle(requestId)?.reject(new Disconnected());
  }

  private settle(requestId: string): Waiting | undefined {
    const waiting = this.waiting.get(requestId);
    waiting?.stop();
    this.waiting.delete(requestId);
    return waiting;
  }
}
