// Orders what the palette offers: what begins with the query first, then whole words, then letters scattered in the text.

import { fuzzyMatch } from './fuzzy';
import { folded } from './list';

export type Ranked = {
  readonly label: string;
  /** Found by whole words only. */
  readonly detail?: string | undefined;
};

type Place = { readonly tier: number; readonly score: number };

/** The best first, at most `limit`. Equally good ones keep their order, so that the caller decides what comes first. */
export function rank<T extends Ranked>(query: string, entries: readonly T[], limit: number): T[] {
  const wanted = folded(query).trim().replace(/\s+/g, ' ');
  const placed = entries.flatMap((entry) => {
    const place = placeOf(wanted, entry);
    return place ? [{ entry, place }] : [];
  });
  placed.sort((a, b) => a.place.tier - b.place.tier || b.place.score - a.place.score);
  return placed.slice(0, limit).map(({ entry }) => entry);
}

function placeOf(wanted: string, { label, detail = '' }: Ranked): Place | undefined {
  const text = folded(label).trim();
  const all = `${text} ${folded(detail)}`;
  const words = wanted.split(' ');
  const tier = [
    text === wanted,
    text.startsWith(wanted),
    words.every((word) => startsWord(text, word)),
    words.every((word) => startsWord(all, word)),
    words.every((word) => all.includes(word)),
  ].indexOf(true);
  if (tier >= 0) return { tier, score: 0 };
  const scattered = fuzzyMatch(wanted, label);
  return scattered && { tier: 5, score: scattered.score };
}

function startsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true;
  }
  return false;
}
