/** What the page remembers of its user. Owns the copy in the browser and the one on the server; the newer of both wins. */
import { createEffect, on } from 'solid-js';
import { createStore, reconcile, unwrap } from 'solid-js/store';
import { api } from './services';

export type Theme = 'system' | 'light' | 'dark' | 'contrast';

export interface Prefs {
  savedAt: number;
  theme: Theme;
  sidebarWidth: number;
  collapsed: string[];
  tabs: { order: string[]; active?: string };
  lastAgent: string | null;
  showFound: boolean;
  /** The newest `seq` that was on screen, by session. */
  seen: Record<string, number>;
  /** The last row that was on screen, by session. */
  seenRows: Record<string, string>;
  recentPaths: string[];
  sendWith: 'enter' | 'mod-enter';
  diff: 'unified' | 'split';
  wrap: boolean;
  /** Whether thinking is shown open, by session. */
  thinking: Record<string, boolean>;
  notify: boolean;
  sound: boolean;
  /** Shortcuts that differ from the default, by action. */
  keys: Record<string, string>;
}

const NAME = 'liminal:prefs';
const DEFAULTS: Prefs = {
  savedAt: 0, theme: 'system', sidebarWidth: 272, collapsed: [], tabs: { order: [] }, lastAgent: null, showFound: true, seen: {}, seenRows: {},
  recentPaths: [], sendWith: 'enter', diff: 'unified', wrap: false, thinking: {}, notify: false, sound: false, keys: {},
};
/** Soon enough for a reload, seldom enough for typing and scrolling. */
const KEEP_AFTER = 200;
const SAVE_AFTER = 600;
const SEEN_KEPT = 500;

const [prefs, set] = createStore<Prefs>(read());
export { prefs };

function read(): Prefs {
  try {
    return sound(JSON.parse(localStorage.getItem(NAME) ?? '{}'));
  } catch {
    return { ...DEFAULTS };
  }
}

/** Takes of a foreign object what has the right shape. */
function sound(found: unknown): Prefs {
  const given = (typeof found === 'object' && found !== null ? found : {}) as Record<string, unknown>;
  const fits = (name: keyof Prefs): boolean => {
    const wanted = DEFAULTS[name];
    const value = given[name];
    if (wanted === null) return value === null || typeof value === 'string';
    return typeof value === typeof wanted && Array.isArray(value) === Array.isArray(wanted) && value !== null;
  };
  const names = Object.keys(DEFAULTS) as (keyof Prefs)[];
  return Object.fromEntries(names.map((name) => [name, fits(name) ? given[name] : structuredClone(DEFAULTS[name])])) as unknown as Prefs;
}

let timer: ReturnType<typeof setTimeout> | undefined;
let localTimer: ReturnType<typeof setTimeout> | undefined;
let online = false;

/** Changes something; the browser knows at once, the server a little later. */
export function setPref<K extends keyof Prefs>(name: K, value: Prefs[K]): void {
  set(name, reconcile(value as never) as never);
  set('savedAt', Date.now());
  save();
}

export function setSeen(sessionId: string, seq: number, lastRow: string | undefined): void {
  if (prefs.seen[sessionId] === seq) return;
  set('seen', sessionId, seq);
  if (lastRow !== undefined) set('seenRows', sessionId, lastRow);
  set('savedAt', Date.now());
  save();
}

export function setThinking(sessionId: string, isOpen: boolean): void {
  set('thinking', sessionId, isOpen);
  set('savedAt', Date.now());
  save();
}

function save(): void {
  localTimer ??= setTimeout(keep, KEEP_AFTER);
  if (!online) return;
  clearTimeout(timer);
  timer = setTimeout(() => void push(), SAVE_AFTER);
}

/** Writes the browser's copy now. */
function keep(): void {
  clearTimeout(localTimer);
  localTimer = undefined;
  localStorage.setItem(NAME, JSON.stringify(bounded()));
}

addEventListener('pagehide', () => {
  if (localTimer !== undefined) keep();
});

function bounded(): Record<string, unknown> {
  const all = unwrap(prefs);
  const newest = <T>(values: Record<string, T>): Record<string, T> => Object.fromEntries(Object.entries(values).slice(-SEEN_KEPT));
  return { ...all, seen: newest(all.seen), seenRows: newest(all.seenRows), thinking: newest(all.thinking) };
}

async function push(): Promise<void> {
  // A copy that fails to reach the server is kept in the browser and goes out with the next change.
  await api.writeUiState(bounded()).catch(() => undefined);
}

/** Takes the server's copy if it is newer, and begins to keep it up to date. */
export async function restorePrefs(): Promise<void> {
  const found = await api.readUiState().catch(() => undefined);
  online = found !== undefined;
  if (!found) return;
  const theirs = sound(found);
  if (theirs.savedAt > prefs.savedAt) {
    set(reconcile(theirs));
    localStorage.setItem(NAME, JSON.stringify(bounded()));
  } else if (theirs.savedAt < prefs.savedAt) void push();
}

/** Keeps the colours in line with the choice and with the system. */
export function followTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const contrast = matchMedia('(prefers-contrast: more)');
  const apply = (): void => {
    const shade = prefs.theme === 'system' || prefs.theme === 'contrast' ? (dark.matches ? 'dark' : 'light') : prefs.theme;
    const strong = prefs.theme === 'contrast' || (prefs.theme === 'system' && contrast.matches);
    document.documentElement.dataset['theme'] = strong ? `contrast-${shade}` : shade;
    const canvas = getComputedStyle(document.documentElement).getPropertyValue('--canvas').trim();
    document.querySelector('meta[name=theme-color]')?.setAttribute('content', canvas);
  };
  createEffect(on(() => prefs.theme, apply));
  dark.addEventListener('change', apply);
  contrast.addEventListener('change', apply);
}
