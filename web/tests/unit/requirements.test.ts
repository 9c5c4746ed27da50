// What the page is to do is numbered from 1 to 60; each number is in the title of a test in a browser, or here with the
// reason why not.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const NOT_DONE: Record<number, string> = {};

/** What is missing of those that are tested. */
const PARTLY: Record<number, string> = {};

const ALL = Array.from({ length: 60 }, (_, index) => index + 1);
const e2e = join(import.meta.dirname, '../e2e');

/** The numbers behind `req` in the titles of tests. */
function tested(source: string): number[] {
  const titles = [...source.matchAll(/\btest\((['`])(.*?)\1, async/g)].map((match) => match[2] ?? '');
  return titles.flatMap((title) => [...title.matchAll(/\breq ((?:\d+, )*\d+)/g)].flatMap((match) => (match[1] ?? '').split(', ').map(Number)));
}

const sources = readdirSync(e2e).filter((name) => name.endsWith('.spec.ts')).map((name) => readFileSync(join(e2e, name), 'utf8'));
const found = new Set(sources.flatMap(tested));

describe('the requirements of the page', () => {
  it('reads numbers out of titles', () => {
    expect(tested("test('req 3, 42: a title', async () => {}); test(`req 56: ${a}`, async () => {}); test('B1', async () => {})")).toEqual([3, 42, 56]);
  });

  it.each(ALL)('%i is tested in a browser, or it is said why not', (number) => {
    expect(found.has(number) || number in NOT_DONE).toBe(true);
  });

  it('tells of what is tested only what is missing of it', () => {
    expect(Object.keys(PARTLY).map(Number).filter((number) => !found.has(number))).toEqual([]);
  });

  it('gives no excuse for what is tested', () => {
    expect(Object.keys(NOT_DONE).map(Number).filter((number) => found.has(number))).toEqual([]);
  });
});
