// What the page is to do is numbered from 1 to 60, and each number has clauses. Which of them are asserted is read from the
// report of the browser tests; here is what can be known without a browser.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLAUSES, NOT_TESTED } from '../clauses';
import { clauseOf, type ClauseStep, coverage, isWholeRun } from '../e2e/harness/clause-coverage';

const ids = Object.keys(CLAUSES);
const e2e = join(import.meta.dirname, '../e2e');
const sources = readdirSync(e2e, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')).map((name) => readFileSync(join(e2e, name), 'utf8')).join('\n');
const marked = new Set([...sources.matchAll(/'(\d+[a-z])'/g)].map((match) => match[1]));

describe('the requirements of the page', () => {
  it.each(Array.from({ length: 60 }, (_, index) => index + 1))('%i has clauses, which are lettered from a on', (number) => {
    const letters = ids.filter((id) => Number.parseInt(id) === number).map((id) => id.replace(/\d+/, ''));
    expect(letters).toEqual([...'abcdefghijklmnopqrstuvwxyz'].slice(0, Math.max(1, letters.length)));
  });

  it('has each clause in a test or in the list of those that are not tested', () => {
    expect(ids.filter((id) => marked.has(id) === id in NOT_TESTED)).toEqual([]);
  });
});

describe('the comparison of clauses with a run', () => {
  const clauses = { '1a': 'one', '1b': 'two' };
  const step = (id: string, rest: Partial<ClauseStep> = {}): ClauseStep => ({ id, test: 'a test', hasPassed: true, assertions: 1, ...rest });
  const problems = (reasons: Record<string, string>, ...steps: ClauseStep[]): string[] => coverage(clauses, reasons, steps).problems;

  it('counts what is tested and what is not', () => {
    expect(coverage(clauses, { '1b': 'too slow' }, [step('1a'), step('1a')])).toEqual({ tested: ['1a'], notTested: ['1b'], problems: [] });
  });

  it('misses a clause that no step asserts', () => {
    expect(problems({}, step('1a'))).toEqual(['1b is asserted by no test, and has no reason in NOT_TESTED: two']);
    expect(problems({ '1b': '' }, step('1a'))).toHaveLength(1);
  });

  it('misses a clause whose steps all failed, and not one that held at last', () => {
    expect(problems({}, step('1a'), step('1b', { hasPassed: false }))).toHaveLength(1);
    expect(problems({}, step('1a'), step('1b', { hasPassed: false }), step('1b'))).toEqual([]);
  });

  it('finds steps without an assertion', () => {
    expect(problems({}, step('1a'), step('1b'), step('1b', { assertions: 0 }))).toEqual(['1b asserts nothing in “a test”']);
    expect(problems({ '1b': 'too slow' }, step('1a'), step('1b', { assertions: 0 }))).toEqual(['1b asserts nothing in “a test”']);
  });

  it('finds clauses that are tested though it is said that they are not', () => {
    expect(problems({ '1b': 'too slow' }, step('1a'), step('1b'))).toEqual(['1b is asserted by a test, so remove it from NOT_TESTED: too slow']);
  });

  it('finds ids that are no clauses', () => {
    expect(problems({}, step('1a'), step('1b'), step('1z'))).toEqual(['1z is no clause, but a step of “a test”']);
    expect(problems({ '9z': 'gone' }, step('1a'), step('1b'))).toEqual(['9z has a reason not to be tested, but is no clause']);
  });

  it('reads the id from the title of a step', () => {
    expect(['5b: words', '12c: words', 'words', '5b words', 'a 5b: words'].map(clauseOf)).toEqual(['5b', '12c', undefined, undefined, undefined]);
  });

  it('is made only when all tests were asked for', () => {
    expect(isWholeRun(['test'])).toBe(true);
    for (const words of [['test', '-g', 'req 5'], ['test', 'typing.spec.ts'], ['test', '--shard=1/2'], []]) expect(isWholeRun(words)).toBe(false);
  });
});
