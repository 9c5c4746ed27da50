import { expect, test } from 'vitest';
import { Heights } from '../../src/ui/transcript/heights';

test('rows begin where the ones before them end', () => {
  const heights = new Heights(() => 10);
  heights.setKeys(['a', 'b', 'c']);
  expect([heights.topOf(0), heights.topOf(2), heights.total]).toEqual([0, 20, 30]);
  expect(heights.set('b', 25)).toBe(true);
  expect(heights.set('b', 25)).toBe(false);
  expect(heights.set('gone', 1)).toBe(false);
  expect([heights.topOf(1), heights.topOf(2), heights.total]).toEqual([10, 35, 45]);
});

test('a place belongs to the row that covers it', () => {
  const heights = new Heights(() => 10);
  heights.setKeys(['a', 'b', 'c']);
  expect([-5, 0, 9, 10, 29, 30, 999].map((top) => heights.indexAt(top))).toEqual([0, 0, 0, 1, 2, 2, 2]);
  expect(new Heights(() => 10).indexAt(5)).toBe(0);
});

test('heights follow their rows when older ones are put in front', () => {
  const heights = new Heights(() => 10);
  heights.setKeys(['c', 'd']);
  heights.set('c', 50);
  heights.setKeys(['a', 'b', 'c', 'd', 'e']);
  expect(heights.indexOf('c')).toBe(2);
  expect([heights.topOf(2), heights.topOf(3), heights.total]).toEqual([20, 70, 90]);
  heights.setKeys(['a', 'c']);
  expect([heights.indexOf('b'), heights.indexOf('c'), heights.total]).toEqual([undefined, 1, 60]);
});

test('ten thousand rows are found in few steps and grow at the end for little', () => {
  const keys = Array.from({ length: 10_000 }, (_, index) => `k${index}`);
  let asked = 0;
  const heights = new Heights(() => { asked += 1; return 20; });
  heights.setKeys(keys);
  expect(heights.total).toBe(200_000);
  asked = 0;
  heights.setKeys([...keys, 'last']);
  expect(heights.total).toBe(200_020);
  expect(heights.indexAt(100_000)).toBe(5_000);
  expect(asked).toBe(1);
});
