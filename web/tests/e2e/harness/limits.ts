/** What a figure may be at most, by `bench/limits.toml`. Knows neither browsers nor files; `crates/figures` judges by the same rules. */
import { parse } from 'smol-toml';

/** Ratios are the benches' business. */
export type Unit = 'ms' | 'count';
type Quantile = 'best' | 'median' | 'p95' | 'worst';

export interface Limit {
  unit: string;
  aim: number;
  /** The figure when its limit was set, as long as it misses the aim. */
  reached?: number;
  tolerance: number;
  judged: Quantile;
}

const SHARES: Readonly<Record<Quantile, number>> = { best: 0, median: 0.5, p95: 0.95, worst: 1 };

export function limitOf(toml: string, group: string, figure: string): Limit {
  const limits = parse(toml) as unknown as Partial<Record<string, Partial<Record<string, Limit>>>>;
  const limit = limits[group]?.[figure];
  if (!limit) throw new Error(`${group}.${figure} has no limit in bench/limits.toml`);
  return limit;
}

/** The figure as it is judged, and what it may be at most. Fails without samples and in another unit. */
export function judge(figure: string, unit: Unit, samples: readonly number[], limit: Limit): { value: number; most: number } {
  if (unit !== limit.unit) throw new Error(`${figure} is measured in ${unit}, but its limit is in ${limit.unit}`);
  return { value: quantile(figure, samples, SHARES[limit.judged]), most: (limit.reached ?? limit.aim) * limit.tolerance };
}

/** The smallest sample that at least this share of all samples does not exceed. */
function quantile(figure: string, samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((one, other) => one - other);
  const found = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (found === undefined || sorted.some(Number.isNaN)) throw new Error(`${figure} has no samples, or one that is no number: ${samples.join(', ')}`);
  return found;
}
