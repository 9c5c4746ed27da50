// Open tabs: each session once, and what becomes active when one goes.

import type { SessionId } from '../gen/contracts';

export type Tabs = { readonly order: readonly SessionId[]; readonly active: SessionId | undefined };

export const noTabs: Tabs = { order: [], active: undefined };

/** Opens it at the end, or goes to the tab that has it. */
export function openTab(tabs: Tabs, id: SessionId): Tabs {
  return { order: tabs.order.includes(id) ? tabs.order : [...tabs.order, id], active: id };
}

export function activateTab(tabs: Tabs, id: SessionId): Tabs {
  return tabs.active === id || !tabs.order.includes(id) ? tabs : { ...tabs, active: id };
}

/** The next one becomes active, else the previous one, else none. */
export function closeTab(tabs: Tabs, id: SessionId): Tabs {
  const index = tabs.order.indexOf(id);
  if (index < 0) return tabs;
  const order = tabs.order.toSpliced(index, 1);
  return { order, active: tabs.active === id ? (order[index] ?? order[index - 1]) : tabs.active };
}

/** Moves it in front of another, or to the end. */
export function moveTab(tabs: Tabs, id: SessionId, before: SessionId | undefined): Tabs {
  if (!tabs.order.includes(id) || id === before) return tabs;
  const others = tabs.order.filter((other) => other !== id);
  const index = before === undefined ? -1 : others.indexOf(before);
  return { ...tabs, order: others.toSpliced(index < 0 ? others.length : index, 0, id) };
}

/** One place to the left (-1) or right (+1). */
export function shiftTab(tabs: Tabs, id: SessionId, by: -1 | 1): Tabs {
  const index = tabs.order.indexOf(id);
  const target = index + by;
  if (index < 0 || target < 0 || target >= tabs.order.length) return tabs;
  return { ...tabs, order: tabs.order.toSpliced(index, 1).toSpliced(target, 0, id) };
}

/** The neighbour, around the ends. */
export function neighbourTab(tabs: Tabs, by: -1 | 1): SessionId | undefined {
  const index = tabs.active === undefined ? -1 : tabs.order.indexOf(tabs.active);
  if (index < 0) return tabs.order[0];
  return tabs.order.at((index + by) % tabs.order.length);
}

/** From 1; the ninth is the last, however many there are, as in browsers. */
export function nthTab(tabs: Tabs, number: number): SessionId | undefined {
  return number === 9 ? tabs.order.at(-1) : tabs.order[number - 1];
}

/** A session got another id. */
export function replaceTab(tabs: Tabs, from: SessionId, to: SessionId): Tabs {
  if (!tabs.order.includes(from) || from === to) return tabs;
  const rest = tabs.order.filter((id) => id !== to);
  return { order: rest.map((id) => (id === from ? to : id)), active: tabs.active === from ? to : tabs.active };
}

export function writeTabs(tabs: Tabs): { order: SessionId[]; active?: SessionId } {
  return { order: [...tabs.order], ...(tabs.active === undefined ? {} : { active: tabs.active }) };
}

/** From anything that was stored: broken parts are left out. */
export function readTabs(stored: unknown): Tabs {
  if (typeof stored !== 'object' || stored === null) return noTabs;
  const { order, active } = stored as { order?: unknown; active?: unknown };
  if (!Array.isArray(order)) return noTabs;
  const ids = [...new Set(order.filter((id): id is string => typeof id === 'string' && id !== ''))];
  const isOpen = typeof active === 'string' && ids.includes(active);
  return { order: ids, active: isOpen ? active : ids[0] };
}
