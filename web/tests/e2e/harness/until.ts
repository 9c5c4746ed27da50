/** Waits for something outside the browser to come true. */
import { setTimeout as pause } from 'node:timers/promises';

/** In milliseconds: what takes longer hangs. How long things take is told by `./x bench web`. */
export const HANG = 20_000;

/** For what hangs. */
const PATIENCE = 60_000;

export async function until(what: string, holds: () => boolean | Promise<boolean>, tell: () => string = () => ''): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what} ${tell()}`);
    await pause(20);
  }
}
