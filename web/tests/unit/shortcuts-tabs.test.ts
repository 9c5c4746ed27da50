import { describe, expect, it } from 'vitest';
import {
  actionOf, bindingOf, bindingText, defaultBindings, type KeyPress, readBindings, rebind, writeBindings,
} from '../../src/model/shortcuts';
import {
  activateTab, closeTab, moveTab, neighbourTab, noTabs, nthTab, openTab, readTabs, replaceTab, shiftTab, type Tabs, writeTabs,
} from '../../src/model/tabs';

const press = (key: string, fields: Partial<KeyPress> = {}): KeyPress =>
  ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...fields });
const reading = { isTyping: false, isMac: false };
const typing = { isTyping: true, isMac: false };

describe('shortcuts', () => {
  it.each<[string | undefined, KeyPress, typeof reading]>([
    ['palette', press('k', { ctrlKey: true }), reading],
    ['palette', press('k', { metaKey: true }), { isTyping: false, isMac: true }],
    ['palette', press('K', { ctrlKey: true }), typing],
    [undefined, press('k', { metaKey: true }), reading],
    [undefined, press('k'), reading],
    [undefined, press('k', { ctrlKey: true, shiftKey: true }), reading],
    ['help', press('?', { shiftKey: true, code: 'Slash' }), reading],
    [undefined, press('?', { shiftKey: true, code: 'Slash' }), typing],
    ['filter-sessions', press('/'), reading],
    [undefined, press('/'), typing],
    ['tab-3', press('3', { ctrlKey: true, code: 'Digit3' }), typing],
    ['new-session', press('˜', { altKey: true, code: 'KeyN' }), { isTyping: false, isMac: true }],
    [undefined, press('˜', { altKey: true, code: 'KeyN' }), { isTyping: true, isMac: true }],
    [undefined, press('∑', { altKey: true, code: 'KeyW' }), { isTyping: true, isMac: true }],
    ['new-session', press('n', { altKey: true, code: 'KeyN' }), typing],
    ['tab-left', press('ArrowLeft', { altKey: true, shiftKey: true }), typing],
    [undefined, press('k', { ctrlKey: true, isComposing: true }), reading],
    [undefined, press('Control', { ctrlKey: true }), reading],
  ])('%s', (action, key, context) => {
    expect(actionOf(defaultBindings, key, context)).toBe(action);
  });

  it('have no key twice', () => {
    const keys = Object.values(defaultBindings);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('never fire while somebody types, without a modifier other than Shift', () => {
    for (const key of ['a', 'A', 'Enter', 'Escape', '?', '!', ' ', 'ArrowUp']) {
      for (const shiftKey of [false, true]) {
        const binding = bindingOf(press(key, { shiftKey }), false)!;
        expect(actionOf({ palette: binding }, press(key, { shiftKey }), typing)).toBeUndefined();
        expect(actionOf({ palette: binding }, press(key, { shiftKey }), reading)).toBe('palette');
      }
    }
  });

  it('can be bound to other keys: whoever held one loses it', () => {
    const bindings = rebind(defaultBindings, 'palette', 'Mod+F');
    expect([bindings.palette, bindings.find]).toEqual(['Mod+F', undefined]);
    expect(rebind(bindings, 'palette', undefined).palette).toBeUndefined();
  });

  it.each([
    ['Mod+Shift+K', 'Ctrl+Shift+K', '⇧⌘K'], ['Alt+ArrowLeft', 'Alt+←', '⌥←'], ['?', '?', '?'], ['Mod++', 'Ctrl++', '⌘+'], ['Mod+Alt+A', 'Ctrl+Alt+A', '⌥⌘A'],
  ])('%s is written %s and %s', (binding, elsewhere, mac) => {
    expect([bindingText(binding, false), bindingText(binding, true)]).toEqual([elsewhere, mac]);
  });

  it('are stored as what differs, and read back whatever was stored', () => {
    const own = rebind(rebind(defaultBindings, 'palette', 'Mod+P'), 'help', undefined);
    expect(writeBindings(own)).toEqual({ palette: 'Mod+P', help: null });
    expect(readBindings(JSON.parse(JSON.stringify(writeBindings(own))))).toEqual(own);
    for (const broken of [undefined, null, 3, 'x', { palette: 7, other: 'Mod+X' }]) expect(readBindings(broken)).toEqual(defaultBindings);
  });
});

const tabs = (order: string, active?: string): Tabs => ({ order: [...order], active });

describe('tabs', () => {
  it('never open a session twice', () => {
    const open = ['a', 'b', 'a'].reduce(openTab, noTabs);
    expect(open).toEqual(tabs('ab', 'a'));
  });

  it.each([
    ['the next', tabs('abc', 'b'), 'b', tabs('ac', 'c')],
    ['else the previous', tabs('abc', 'c'), 'c', tabs('ab', 'b')],
    ['else none', tabs('a', 'a'), 'a', noTabs],
    ['the same, if another was closed', tabs('abc', 'c'), 'a', tabs('bc', 'c')],
    ['the same, if nothing was closed', tabs('abc', 'c'), 'x', tabs('abc', 'c')],
  ])('closing activates %s', (_, before, id, after) => {
    expect(closeTab(before, id)).toEqual(after);
  });

  it.each([
    ['a', 'c', 'bacd'], ['d', 'a', 'dabc'], ['a', undefined, 'bcda'], ['b', 'b', 'abcd'], ['x', 'a', 'abcd'], ['a', 'gone', 'bcda'],
  ])('%s moves in front of %s', (id, before, order) => {
    expect(moveTab(tabs('abcd', 'a'), id, before)).toEqual(tabs(order, 'a'));
  });

  it.each([['b', -1, 'bacd'], ['b', 1, 'acbd'], ['a', -1, 'abcd'], ['d', 1, 'abcd']] as const)('%s shifts by %i', (id, by, order) => {
    expect(shiftTab(tabs('abcd'), id, by).order.join('')).toBe(order);
  });

  it('have neighbours around the ends', () => {
    expect([neighbourTab(tabs('abc', 'c'), 1), neighbourTab(tabs('abc', 'a'), -1), neighbourTab(tabs('ab'), 1), neighbourTab(noTabs, 1)])
      .toEqual(['a', 'c', 'a', undefined]);
  });

  it('have numbers, and the ninth is the last', () => {
    const many = tabs('abcdefghijkl');
    expect([nthTab(many, 1), nthTab(many, 8), nthTab(many, 9), nthTab(tabs('ab'), 5)]).toEqual(['a', 'h', 'l', undefined]);
  });

  it('are activated only if they are open', () => {
    expect(activateTab(tabs('ab', 'a'), 'b').active).toBe('b');
    expect(activateTab(tabs('ab', 'a'), 'x').active).toBe('a');
  });

  it('follow a session that got another id', () => {
    expect(replaceTab(tabs('abc', 'b'), 'b', 'c')).toEqual(tabs('ac', 'c'));
    expect(replaceTab(tabs('abc', 'b'), 'b', 'z')).toEqual(tabs('azc', 'z'));
  });

  it('come back as they were, and broken ones as well as can be', () => {
    const open = tabs('abc', 'b');
    expect(readTabs(JSON.parse(JSON.stringify(writeTabs(open))))).toEqual(open);
    expect(readTabs({ order: ['a', 1, 'a', '', 'b'], active: 'gone' })).toEqual(tabs('ab', 'a'));
    for (const broken of [undefined, null, 'x', {}, { order: 'abc' }]) expect(readTabs(broken)).toEqual(noTabs);
  });
});
