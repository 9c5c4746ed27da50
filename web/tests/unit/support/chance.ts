// Numbers that look random and are the same in every run.

export type Chance = {
  next(): number;
  below(limit: number): number;
  shuffled<T>(values: readonly T[]): T[];
};

export function chance(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    shuffled(values) {
      const out = [...values];
      for (let index = out.length - 1; index > 0; index -= 1) {
        const other = below(index + 1);
        [out[index], out[other]] = [out[other]!, out[index]!];
      }
      return out;
    },
  };
}
