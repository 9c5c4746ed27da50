// Finds what was meant by a few letters.

export type Range = readonly [start: number, end: number];
export type FuzzyMatch = { readonly score: number; readonly ranges: readonly Range[] };
export type FuzzyHit<T> = { readonly item: T; readonly match: FuzzyMatch };

/** The query as it stands, per letter. */
const EXACT = 6;
const CONSECUTIVE = 12;
const WORD_START = 10;
const WHOLE_START = 6;
const GAP = 1;
/** Far apart is as bad as very far apart. */
const LARGEST_GAP = 10;

/** Letters in order; nothing if they are not all there. White space in the query is skipped. Higher is better. */
export function fuzzyMatch(query: string, text: string): FuzzyMatch | undefined {
  const letters = query.toLowerCase().replace(/\s+/g, '');
  const haystack = text.toLowerCase();
  // Folding may change the length, and then places in one are not places in the other.
  if (haystack.length !== text.length) return undefined;
  const exact = haystack.indexOf(query.toLowerCase().trim());
  const places = exact >= 0 && letters !== ''
    ? Array.from({ length: query.trim().length }, (_, offset) => exact + offset)
    : placesOf(letters, haystack, text);
  return places && { score: scoreOf(places, text), ranges: rangesOf(places) };
}

/** The best first; equal ones keep their order. An empty query gives the first `limit`. */
export function fuzzyFilter<T>(
  query: string, items: readonly T[], textOf: (item: T) => string, limit = 50,
): FuzzyHit<T>[] {
  const hits: FuzzyHit<T>[] = [];
  for (const item of items) {
    const match = fuzzyMatch(query, textOf(item));
    if (match) hits.push({ item, match });
  }
  return hits.sort((a, b) => b.match.score - a.match.score).slice(0, limit);
}

// Each letter at the next start of a word, if the rest still fits behind it; else where it comes next.
function placesOf(letters: string, haystack: string, text: string): number[] | undefined {
  const lasts = latest(letters, haystack);
  if (!lasts) return undefined;
  const places: number[] = [];
  let from = 0;
  for (let index = 0; index < letters.length; index += 1) {
    const letter = letters.charAt(index);
    const last = lasts[index] ?? 0;
    const next = haystack.indexOf(letter, from);
    const place = next === from && index > 0 ? next : (wordStart(letter, haystack, text, next, last) ?? next);
    places.push(place);
    from = place + 1;
  }
  return places;
}

/** For each letter the last place at which it leaves room for those behind it. */
function latest(letters: string, haystack: string): number[] | undefined {
  const places: number[] = [];
  let until = haystack.length;
  for (const letter of [...letters].reverse().join('')) {
    const place = until > 0 ? haystack.lastIndexOf(letter, until - 1) : -1;
    if (place < 0) return undefined;
    places.unshift(place);
    until = place;
  }
  return places;
}

function wordStart(letter: string, haystack: string, text: string, from: number, last: number): number | undefined {
  for (let place = from; place >= 0 && place <= last; place = haystack.indexOf(letter, place + 1)) {
    if (isWordStart(text, place)) return place;
  }
  return undefined;
}

function isWordStart(text: string, place: number): boolean {
  const before = text.charAt(place - 1);
  if (before === '' || /[^\p{L}\p{N}]/u.test(before)) return true;
  return /\p{Lu}/u.test(text.charAt(place)) && /\p{Ll}/u.test(before);
}

function scoreOf(places: readonly number[], text: string): number {
  const isExact = (places.at(-1) ?? 0) - (places[0] ?? 0) === places.length - 1;
  let score = (places[0] === 0 ? WHOLE_START : 0) + (isExact ? EXACT * (places.length - 1) : 0);
  places.forEach((place, index) => {
    const gap = index === 0 ? 0 : place - (places[index - 1] ?? 0) - 1;
    if (isWordStart(text, place)) score += WORD_START;
    if (index > 0 && gap === 0) score += CONSECUTIVE;
    score -= Math.min(gap, LARGEST_GAP) * GAP;
  });
  // Of two that match alike, the shorter one was meant.
  return score - text.length / 1000;
}

function rangesOf(places: readonly number[]): Range[] {
  const ranges: [number, number][] = [];
  for (const place of places) {
    const last = ranges.at(-1);
    if (last && last[1] === place) last[1] = place + 1;
    else ranges.push([place, place + 1]);
  }
  return ranges;
}
