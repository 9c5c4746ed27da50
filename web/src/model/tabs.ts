import type { SessionId } from '../gen/contracts';

export type Tabs = { readonly order: readonly SessionId[]; readonly active: SessionId | undefined };

export declare const noTabs: Tabs;
/** Opens it at the end, or goes to the tab that has it. */
export declare function openTab(tabs: Tabs, id: SessionId): Tabs;
export declare function activateTab(tabs: Tabs, id: SessionId): Tabs;
/** The next one becomes active, else the previous one, else none. */
export declare function closeTab(tabs: Tabs, id: SessionId): Tabs;
/** Moves it in front of another, or to the end. */
export declare function moveTab(tabs: Tabs, id: SessionId, before: SessionId | undefined): Tabs;
/** One place to the left (-1) or right (+1). */
export declare function shiftTab(tabs: Tabs, id: SessionId, by: -1 | 1): Tabs;
/** The neighbour, around the ends. */
export declare function neighbourTab(tabs: Tabs, by: -1 | 1): SessionId | undefined;
export declare function nthTab(tabs: Tabs, number: number): SessionId | undefined;
/** A session got another id. */
export declare function replaceTab(tabs: Tabs, from: SessionId, to: SessionId): Tabs;
export declare function writeTabs(tabs: Tabs): { order: SessionId[]; active?: SessionId };
/** From anything that was stored: broken parts are left out. */
export declare function readTabs(stored: unknown): Tabs;
