import { describe, expect, it } from 'vitest';
import { rank } from '../../src/model/ranking';

type Entry = { readonly label: string; readonly detail?: string };
const labels = (query: string, entries: readonly Entry[], limit = 20): string[] => rank(query, entries, limit).map(({ label }) => label);
const named = (...all: string[]): Entry[] => all.map((label) => ({ label }));

/** As the palette has them: actions, then sessions, the newest first, then projects. */
const ACTIONS = named('New session', 'Add project', 'Find in session', 'Close tab', 'Settings', 'Archived sessions', 'Keyboard shortcuts', 'Theme: light', 'Theme: dark');
const SESSIONS: Entry[] = [
  { label: 'Settings page of the shop', detail: 'shop · CC' },
  { label: 'Fix the theme', detail: 'shop · CC' },
  { label: 'Find out why it is slow', detail: 'shop · CC' },
  { label: 'add project files to the index', detail: 'tools · CX' },
  { label: 'setting up tests in general', detail: 'tools · CX' },
];
const ALL = [...ACTIONS, ...SESSIONS, { label: 'New session in shop', detail: '/home/dev/shop' }];

describe('ranking', () => {
  it.each([
    ['settings', 'Settings'], ['theme', 'Theme: light'], ['find', 'Find in session'], ['add project', 'Add project'], ['new', 'New session'], ['set', 'Settings'], ['Theme: dark', 'Theme: dark'], ['FIX', 'Fix the theme'],
  ])('%j begins with %j', (query, expected) => {
    expect(labels(query, ALL)[0]).toBe(expected);
  });

  it('puts the beginning before words, words before parts, and these before scattered letters', () => {
    const texts = ['log', 'logger of events', 'read the log', 'dialog', 'l-o-g', 'lxxoxxg'];
    expect(labels('log', named(...texts.toReversed()))).toEqual(texts);
  });

  it('keeps the given order of those that match alike', () => {
    expect(labels('b', named('b long one', 'b two', 'b'))).toEqual(['b', 'b long one', 'b two']);
  });

  it('finds words of the detail, behind those of the label', () => {
    expect(labels('shop', SESSIONS)).toEqual(['Settings page of the shop', 'Fix the theme', 'Find out why it is slow']);
    expect(labels('shop fix', SESSIONS)).toEqual(['Fix the theme']);
  });

  it('does not look for scattered letters in paths', () => {
    expect(labels('hdsp', [{ label: 'New session', detail: '/home/dev/shop' }])).toEqual([]);
  });

  it('ignores case and accents, and returns no more than was asked for', () => {
    expect(labels('cafe', named('Das Café'))).toEqual(['Das Café']);
    expect(labels('s', ALL, 3)).toHaveLength(3);
  });
});
