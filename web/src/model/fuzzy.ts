export type Range = readonly [start: number, end: number];
export type FuzzyMatch = { readonly score: number; readonly ranges: readonly Range[] };
export type FuzzyHit<T> = { readonly item: T; readonly match: FuzzyMatch };

/** Letters in order; nothing if they are not all there. Higher is better. */
export declare function fuzzyMatch(query: string, text: string): FuzzyMatch | undefined;
/** The best first; equal ones keep their order. An empty query gives the first `limit`. */
export declare function fuzzyFilter<T>(
  query: string, items: readonly T[], textOf: (item: T) => string, limit?: number,
): FuzzyHit<T>[];
