// How long to wait before the next attempt, and how many frames may go out.

import type { Cancel, Clock } from './environment';

const SHORTEST = 250;
const LONGEST = 10_000;

/** Doubles with each attempt, from 1. Chance spreads the pages of a server that was away. */
export function backoff(attempt: number, random: number): number {
  const wait = SHORTEST * 2 ** Math.min(attempt - 1, 10) * (0.5 + random);
  return Math.min(LONGEST, Math.max(SHORTEST, wait));
}

/** The server closes a socket that sends more than 50 frames a second; many tabs subscribe at once. */
const FRAMES_A_SECOND = 40;

export type Pacer = { send(text: string): void; stop(): void };

/** Sends at once while the rate allows it, and the rest in order as soon as it does. */
export function createPacer(clock: Clock, write: (text: string) => void): Pacer {
  let sent: number[] = [];
  let waiting: string[] = [];
  let timer: Cancel | undefined;

  const drain = () => {
    timer = undefined;
    const now = clock.now();
    sent = sent.filter((at) => now - at < 1000);
    const ready = waiting.slice(0, FRAMES_A_SECOND - sent.length);
    waiting = waiting.slice(ready.length);
    for (const text of ready) {
      sent.push(now);
      write(text);
    }
    if (waiting.length > 0) timer = clock.after(1000 - (now - (sent[0] ?? now)), drain);
  };

  return {
    send(text) {
      waiting.push(text);
      if (!timer) drain();
    },
    stop() {
      timer?.();
      waiting = [];
    },
  };
}
