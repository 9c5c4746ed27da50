// A clock that moves when it is told to.

import type { Clock } from '../../../src/protocol/environment';

export type FakeClock = Clock & {
  /** Runs what is due on the way, and lets promises settle in between. */
  advance(milliseconds: number): Promise<void>;
};

export function fakeClock(start = 1_000_000): FakeClock {
  let now = start;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    after(milliseconds, run) {
      const timer = { at: now + milliseconds, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    async advance(milliseconds) {
      const end = now + milliseconds;
      await settled();
      for (;;) {
        const next = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((timer) => timer !== next);
        now = next.at;
        next.run();
        await settled();
      }
      now = end;
    },
  };
}

/** Lets everything run that waits for promises only. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

/** How long it takes when nothing else is in the way: the shortest of a few tries. */
export function fastest(run: () => void, tries = 5): number {
  const times = Array.from({ length: tries }, () => {
    const started = performance.now();
    run();
    return performance.now() - started;
  });
  return Math.min(...times);
}
