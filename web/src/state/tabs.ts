/** Which sessions have a tab and which one is shown, kept in the preferences and in the page's address. */
import { createMemo, createRoot, createSignal } from 'solid-js';
import { activateTab, closeTab, moveTab, openTab, readTabs, shiftTab, writeTabs, type Tabs } from '../model/tabs';
import { itemInHash, root, sessionInPath, sessionPath } from './place';
import { prefs, setPref } from './prefs';

/** How many panes keep their elements; others are built again from what is known. */
const MOUNTED = 5;

const [recent, setRecent] = createSignal<readonly string[]>([]);
/** Whether it is known which tabs were open. */
const [isRestored, setRestored] = createSignal(false);
const [target, setTarget] = createSignal<{ sessionId: string; itemId: string }>();

export const tabs = createRoot(() => createMemo(() => readTabs(prefs.tabs)));
/** No session is shown, though tabs are open: what is stored always names one. */
const [isHome, setHome] = createSignal(false);
export const active = (): string | undefined => (isHome() ? undefined : tabs().active);
/** The item that the address or a search asks for. */
export { target, setTarget, isRestored };
/** The panes to keep, in the order in which they came: an element that is moved forgets where it was scrolled to. */
export const mounted = createRoot(() => createMemo<readonly string[]>((before) => {
  const kept = recent().filter((id) => tabs().order.includes(id));
  return [...before.filter((id) => kept.includes(id)), ...kept.filter((id) => !before.includes(id))];
}, []));

const current = (): Tabs => ({ ...tabs(), active: active() });

function put(next: Tabs, how: 'push' | 'replace' | 'keep'): void {
  setPref('tabs', writeTabs(next));
  const shown = next.active;
  setHome(shown === undefined);
  if (shown) setRecent((all) => [shown, ...all.filter((other) => other !== shown)].slice(0, MOUNTED));
  const path = shown ? sessionPath(shown) : root.pathname;
  if (how === 'keep' || path === location.pathname) return;
  if (how === 'push') history.pushState(null, '', path);
  else history.replaceState(null, '', path);
}

/** Shows a session, in the tab that it has or in a new one. */
export function open(id: string, itemId?: string): void {
  put(openTab(tabs(), id), 'push');
  setTarget(itemId ? { sessionId: id, itemId } : undefined);
}

/** Shows no session; tabs stay. */
export function home(): void {
  put({ ...current(), active: undefined }, 'push');
}

export function close(id: string): void {
  setRecent((all) => all.filter((other) => other !== id));
  put(closeTab(current(), id), 'push');
}

export function moveBefore(id: string, before: string | undefined): void {
  put(moveTab(current(), id, before), 'keep');
}

export function shift(id: string, by: -1 | 1): void {
  put(shiftTab(current(), id, by), 'keep');
}

/** Shows what the address names; without one, what was shown last. */
function follow(isStart: boolean): void {
  const named = sessionInPath(location.pathname);
  if (!named) {
    if (isStart) put(tabs(), 'replace');
    else put({ ...tabs(), active: undefined }, 'keep');
    return;
  }
  put(tabs().order.includes(named) ? activateTab(tabs(), named) : openTab(tabs(), named), 'keep');
  const itemId = itemInHash(location.hash);
  setTarget(itemId ? { sessionId: named, itemId } : undefined);
}

export function restoreTabs(): void {
  follow(true);
  setRestored(true);
  addEventListener('popstate', () => follow(false));
}
