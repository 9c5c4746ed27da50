import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judge, limitOf } from '../e2e/harness/limits';

const TOML = '[page.filter]\nunit = "ms"\naim = 50.0\ntolerance = 3.0\njudged = "best"\n[page."long.nodes"]\nunit = "count"\naim = 10\nreached = 20\ntolerance = 1.0\njudged = "worst"\n';
const filter = limitOf(TOML, 'page', 'filter');

describe('limits of figures', () => {
  it('are the aim times its tolerance, or what was reached times it', () => {
    expect(judge('filter', 'ms', [1], filter).most).toBe(150);
    expect(judge('long.nodes', 'count', [1], limitOf(TOML, 'page', 'long.nodes')).most).toBe(20);
  });

  it('judge by ranks, as crates/figures does', () => {
    const samples = Array.from({ length: 20 }, (_, index) => 20 - index);
    const of = (judged: typeof filter.judged): number => judge('filter', 'ms', samples, { ...filter, judged }).value;
    expect([of('best'), of('median'), of('p95'), of('worst')]).toEqual([1, 10, 19, 20]);
  });

  it('fail without samples, with one that is no number, and in another unit', () => {
    expect(() => judge('filter', 'ms', [], filter)).toThrow('has no samples');
    expect(() => judge('filter', 'ms', [1, Number.NaN], filter)).toThrow('no number');
    expect(() => judge('filter', 'count', [1], filter)).toThrow('measured in count');
  });

  it('are missed if there are none', () => {
    expect(() => limitOf(TOML, 'page', 'other')).toThrow('page.other has no limit');
    expect(() => limitOf(TOML, 'other', 'filter')).toThrow('other.filter has no limit');
  });

  it('of the page are in the one file of all limits', () => {
    const file = readFileSync(join(import.meta.dirname, '../../../bench/limits.toml'), 'utf8');
    expect(limitOf(file, 'page', 'filter')).toMatchObject({ unit: 'ms', aim: 50, judged: 'best' });
  });
});
