// What the outside world gives to the modules of this folder. They read no clock, no chance and no storage but through this.

export type Cancel = () => void;

export type Clock = {
  /** Milliseconds since 1970. */
  now(): number;
  after(milliseconds: number, run: () => void): Cancel;
};

/** Kept across reloads. `localStorage` fits through `browserStorage`. */
export type KeyValueStorage = {
  get(key: string): string | undefined;
  /** Keeps nothing, silently, where the browser refuses: what is stored here is a convenience. */
  set(key: string, value: string): void;
  remove(key: string): void;
  keys(): string[];
};

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

export function browserStorage(storage: Storage): KeyValueStorage {
  return {
    get: (key) => attempt(() => storage.getItem(key)) ?? undefined,
    set: (key, value) => void attempt(() => storage.setItem(key, value)),
    remove: (key) => void attempt(() => storage.removeItem(key)),
    keys: () => attempt(() => Object.keys(storage)) ?? [],
  };
}

export function memoryStorage(): KeyValueStorage {
  const values = new Map<string, string>();
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    remove: (key) => void values.delete(key),
    keys: () => [...values.keys()],
  };
}

// Browsers throw when storage is full, or forbidden in private windows.
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
