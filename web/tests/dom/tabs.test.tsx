import { fireEvent, render, screen } from '@solidjs/testing-library';
import { beforeEach, describe, expect, test } from 'vitest';
import { active, close, open, tabs } from '../../src/state/tabs';
import { TabBar } from '../../src/ui/tabs/TabBar';

const tab = (id: string): HTMLElement => screen.getAllByTestId('tab').find((found) => found.dataset['session'] === id) as HTMLElement;
const order = (): (string | undefined)[] => screen.getAllByTestId('tab').map((found) => found.dataset['session']);
const press = (key: string, more: object = {}): boolean => fireEvent.keyDown(document.activeElement as Element, { key, ...more });

describe('tabs', () => {
  beforeEach(() => {
    for (const id of tabs().order) close(id);
    for (const id of ['a:1', 'b:2', 'c:3']) open(id);
    render(() => <TabBar />);
  });

  test('the list has roles, and one tab is reachable by Tab', () => {
    expect(screen.getByRole('tablist')).toBeTruthy();
    expect(screen.getAllByRole('tab').filter((found) => found.tabIndex === 0)).toEqual([tab('c:3')]);
    expect(tab('c:3').getAttribute('aria-selected')).toBe('true');
  });

  test('arrows move the focus around the ends, Enter and Space show', () => {
    tab('c:3').focus();
    press('ArrowRight');
    expect(document.activeElement).toBe(tab('a:1'));
    expect(active()).toBe('c:3');
    press('Enter');
    expect(active()).toBe('a:1');
    press('ArrowLeft');
    press('ArrowLeft');
    press(' ');
    expect(active()).toBe('b:2');
  });

  test('Delete closes: the next one is shown, else the one before', async () => {
    open('b:2');
    tab('b:2').focus();
    press('Delete');
    expect(order()).toEqual(['a:1', 'c:3']);
    expect(active()).toBe('c:3');
    await Promise.resolve();
    expect(document.activeElement).toBe(tab('c:3'));
    press('Delete');
    expect(active()).toBe('a:1');
    fireEvent(tab('a:1'), new MouseEvent('auxclick', { button: 1, bubbles: true, cancelable: true }));
    expect(active()).toBeUndefined();
    expect(screen.queryAllByTestId('tab')).toEqual([]);
  });

  test('Alt+Shift+arrow moves a tab and keeps its focus', async () => {
    tab('c:3').focus();
    press('ArrowLeft', { altKey: true, shiftKey: true });
    await Promise.resolve();
    expect(order()).toEqual(['a:1', 'c:3', 'b:2']);
    expect(document.activeElement).toBe(tab('c:3'));
  });

  test('a session never has two tabs, and the address names the shown one', () => {
    open('a:1');
    expect(order()).toEqual(['a:1', 'b:2', 'c:3']);
    expect(location.pathname).toMatch(/\/s\/a%3A1$/);
  });
});
