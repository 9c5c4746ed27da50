import { describe, expect, it } from 'vitest';
import { type DiffLine, diffModel, splitRows } from '../../src/render/diff-model';
import { changedRanges } from '../../src/render/diff-inline';
import { chance } from './support/chance';
import { fastest } from './support/clock';

const model = (oldText: string | undefined, newText: string) =>
  diffModel({ path: 'a.ts', newText, ...(oldText === undefined ? {} : { oldText }) });
const signs = { add: '+', remove: '-', context: ' ' };
const shown = (lines: readonly DiffLine[]) => lines.map((line) => `${signs[line.kind]}${line.oldNumber ?? ''}:${line.newNumber ?? ''} ${line.text}`);
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}`);

describe('hunks', () => {
  it('show what changed with three lines around it, and both numbers', () => {
    const before = numbers(1, 20);
    const after = before.toSpliced(9, 1, 'new a', 'new b');
    const { hunks, added, removed } = model(before.join('\n'), after.join('\n'));
    expect([added, removed, hunks.length]).toEqual([2, 1, 1]);
    expect(hunks[0]?.header).toBe('@@ -7,7 +7,8 @@');
    expect(shown(hunks[0]!.lines)).toEqual([
      ' 7:7 line 7', ' 8:8 line 8', ' 9:9 line 9', '-10: line 10', '+:10 new a', '+:11 new b', ' 11:12 line 11', ' 12:13 line 12', ' 13:14 line 13',
    ]);
  });

  it('are one if changes are near, and two if they are not', () => {
    const before = numbers(1, 40);
    const at = (...places: number[]) => model(before.join('\n'), before.map((line, index) => (places.includes(index) ? 'x' : line)).join('\n'));
    expect(at(10, 16).hunks).toHaveLength(1);
    expect(at(10, 18).hunks.map((hunk) => hunk.key)).toEqual(['h8-8', 'h16-16']);
  });

  it.each([
    ['a new file', undefined, 'a\nb\n', 2, 0], ['a file that was emptied', 'a\nb\n', '', 0, 2], ['the same', 'a\n', 'a\n', 0, 0],
    ['only the last line end', 'a', 'a\n', 0, 0], ['an empty new file', undefined, '', 0, 0], ['added at the end', 'a\n', 'a\nb\n', 1, 0],
    ['added at the start', 'b\n', 'a\nb\n', 1, 0],
  ])('of %s', (_, before, after, added, removed) => {
    const made = model(before, after);
    expect([made.added, made.removed, made.isNew]).toEqual([added, removed, before === undefined]);
  });

  it('collapse when more than 500 lines changed', () => {
    expect(model('', numbers(1, 500).join('\n')).isCollapsed).toBe(false);
    expect(model('', numbers(1, 501).join('\n')).isCollapsed).toBe(true);
  });

  it('give the new text when they are applied to the old one', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = chance(seed);
      const before = Array.from({ length: 60 }, () => `w${random.below(12)}`);
      const after = before.flatMap((line) => (random.below(6) === 0 ? [] : random.below(6) === 0 ? [line, `n${random.below(9)}`] : [line]));
      const lines = model(before.join('\n'), after.join('\n')).hunks.flatMap((hunk) => hunk.lines);
      const result = [...before];
      for (const line of lines) if (line.kind !== 'add') expect(before[line.oldNumber! - 1]).toBe(line.text);
      for (const line of lines) if (line.kind !== 'remove') expect(after[line.newNumber! - 1]).toBe(line.text);
      const removed = new Set(lines.flatMap((line) => (line.kind === 'remove' ? line.oldNumber! : [])));
      const left = result.filter((_, index) => !removed.has(index + 1));
      for (const line of lines) if (line.kind === 'add') left.splice(line.newNumber! - 1, 0, line.text);
      expect(left).toEqual(after);
    }
  });
});

describe('parts of lines', () => {
  it.each([
    ['let a = 1;', 'let b = 1;', [[4, 5]], [[4, 5]]],
    ['call(a)', 'call(a, b)', [], [[6, 9]]],
    ['alpha beta', 'wholly different words here', [], []],
    ['same', 'same', [], []],
  ])('%j → %j', (before, after, left, right) => {
    expect(changedRanges(before, after)).toEqual({ before: left, after: right });
  });

  it('are told for lines that took each other’s place', () => {
    const [hunk] = model('let a = 1;\n', 'let b = 1;\n').hunks;
    expect(hunk?.lines.map((line) => line.ranges)).toEqual([[[4, 5]], [[4, 5]]]);
  });
});

describe('side by side', () => {
  it('puts removed lines beside added ones', () => {
    const [hunk] = model('a\nb\nc\nd', 'a\nB\nd\ne').hunks;
    expect(splitRows(hunk!).map(({ left, right }) => [left?.text, right?.text])).toEqual([
      ['a', 'a'], ['b', 'B'], ['c', undefined], ['d', 'd'], [undefined, 'e'],
    ]);
  });
});

describe('large files', () => {
  it('cost little if little changed', () => {
    const before = numbers(1, 100_000);
    const after = before.toSpliced(50_000, 1, 'x');
    const [left, right] = [before.join('\n'), after.join('\n')];
    expect(model(left, right).hunks).toHaveLength(1);
    expect(fastest(() => model(left, right), 3)).toBeLessThan(2_000);
  });

  it('are one replacement if everything changed, and end somewhere', () => {
    const before = numbers(1, 20_000).join('\n');
    const after = numbers(30_001, 50_000).map((line) => `${line}!`).join('\n');
    const made = model(before, after);
    expect(made).toMatchObject({ isCoarse: true, isCollapsed: true, added: 20_000, removed: 20_000, omitted: 35_000 });
    expect(made.hunks.flatMap((hunk) => hunk.lines)).toHaveLength(5_000);
    expect(fastest(() => model(before, after), 2)).toBeLessThan(5_000);
  });

  it('may have lines that nobody can read', () => {
    const line = 'x'.repeat(5_000_000);
    const made = model(line, `${line}y`);
    expect(made.hunks[0]?.lines.every((shownLine) => shownLine.text.length <= 2_001)).toBe(true);
  });
});
