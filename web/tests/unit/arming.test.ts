import { describe, expect, test } from 'vitest';
import { Arming, SETTLE_MS } from '../../src/model/arming';

function shownAt(at: number, meaning = 'first'): Arming {
  const arming = new Arming();
  arming.means(meaning);
  arming.painted(at);
  return arming;
}

describe('arming', () => {
  test('takes no press before 700 ms and every press from then on', () => {
    expect(SETTLE_MS).toBe(700);
    const arming = shownAt(1000);
    arming.press('yes', 1699);
    expect(arming.takes('yes', 1699, 'pointer')).toBe(false);
    arming.press('yes', 1700);
    expect(arming.takes('yes', 1750, 'pointer')).toBe(true);
  });

  test('stays unarmed until it has been painted, however long that takes', () => {
    const arming = new Arming();
    arming.means('first');
    expect(arming.isArmed(1_000_000)).toBe(false);
    arming.painted(1_000_000);
    expect(arming.isArmed(1_000_699)).toBe(false);
    expect(arming.isArmed(1_000_700)).toBe(true);
  });

  test('a press that began too early does not answer later', () => {
    const arming = shownAt(0);
    arming.press('yes', 600);
    expect(arming.takes('yes', 2000, 'pointer')).toBe(false);
  });

  test('the second of two clicks 60 ms apart does not answer the next request', () => {
    const arming = shownAt(0);
    arming.press('yes', 1000);
    expect(arming.takes('yes', 1010, 'pointer')).toBe(true);
    arming.means('second');
    arming.painted(1030);
    arming.press('yes', 1060);
    expect(arming.takes('yes', 1070, 'pointer')).toBe(false);
    expect(arming.isArmed(1729)).toBe(false);
    expect(arming.isArmed(1730)).toBe(true);
  });

  test('a press on one request does not answer another', () => {
    const arming = shownAt(0);
    arming.press('yes', 1000);
    arming.means('second');
    arming.painted(1001);
    expect(arming.takes('yes', 5000, 'pointer')).toBe(false);
  });

  test('a press on one button does not answer with another', () => {
    const arming = shownAt(0);
    arming.press('no', 1000);
    expect(arming.takes('yes', 1010, 'pointer')).toBe(false);
  });

  test('a press answers once', () => {
    const arming = shownAt(0);
    arming.press('yes', 1000);
    expect(arming.takes('yes', 1010, 'pointer')).toBe(true);
    expect(arming.takes('yes', 1020, 'pointer')).toBe(false);
  });

  test('moving and receiving the focus start the time again, but keep a press that has begun', () => {
    const arming = shownAt(0);
    arming.press('yes', 1000);
    arming.disturbed();
    arming.painted(1001);
    expect(arming.takes('yes', 1050, 'pointer')).toBe(true);
    arming.press('yes', 1500);
    expect(arming.takes('yes', 1550, 'pointer')).toBe(false);
  });

  test('the same meaning again changes nothing', () => {
    const arming = shownAt(0);
    arming.means('first');
    expect(arming.isArmed(700)).toBe(true);
  });

  test('a pointer click without a press does not answer; one of assistive technology does, once armed', () => {
    const arming = shownAt(0);
    expect(arming.takes('yes', 1000, 'pointer')).toBe(false);
    expect(arming.takes('yes', 699, 'other')).toBe(false);
    expect(arming.takes('yes', 700, 'other')).toBe(true);
  });
});
