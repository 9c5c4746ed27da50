// Which keys do what, and when. A key without a modifier belongs to whoever is typing.

const ACTIONS = [
  'palette', 'find', 'help', 'new-session', 'add-project', 'close-tab', 'next-tab', 'previous-tab', 'tab-left', 'tab-right',
  'stop', 'focus-composer', 'focus-list', 'toggle-sidebar', 'jump-latest', 'filter-sessions',
  'tab-1', 'tab-2', 'tab-3', 'tab-4', 'tab-5', 'tab-6', 'tab-7', 'tab-8', 'tab-9',
] as const;

export type ActionId = (typeof ACTIONS)[number];

/** The part of a `KeyboardEvent` that is used. */
export type KeyPress = {
  readonly key: string;
  readonly code?: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly isComposing?: boolean;
  readonly repeat?: boolean;
};

/** `Mod+Shift+K`: `Mod` is Command on a Mac and Control elsewhere. */
export type Binding = string;
export type Bindings = Readonly<Partial<Record<ActionId, Binding>>>;
export type ShortcutContext = { readonly isTyping: boolean; readonly isMac: boolean };

export const defaultBindings: Bindings = {
  palette: 'Mod+K',
  find: 'Mod+F',
  help: '?',
  'new-session': 'Alt+N',
  'add-project': 'Alt+Shift+N',
  'close-tab': 'Alt+W',
  'next-tab': 'Alt+ArrowRight',
  'previous-tab': 'Alt+ArrowLeft',
  'tab-left': 'Alt+Shift+ArrowLeft',
  'tab-right': 'Alt+Shift+ArrowRight',
  stop: 'Mod+.',
  'focus-composer': 'Mod+J',
  'focus-list': 'Alt+S',
  'toggle-sidebar': 'Mod+B',
  'jump-latest': 'Alt+End',
  'filter-sessions': '/',
  'tab-1': 'Mod+1', 'tab-2': 'Mod+2', 'tab-3': 'Mod+3', 'tab-4': 'Mod+4', 'tab-5': 'Mod+5',
  'tab-6': 'Mod+6', 'tab-7': 'Mod+7', 'tab-8': 'Mod+8', 'tab-9': 'Mod+9',
};

const MODIFIER_KEYS = new Set(['Control', 'Meta', 'Alt', 'Shift', 'AltGraph', 'CapsLock', 'Fn', 'Dead', 'Process', 'Unidentified']);

export function actionOf(bindings: Bindings, press: KeyPress, context: ShortcutContext): ActionId | undefined {
  if (press.isComposing || (context.isTyping && context.isMac && typesCharacter(press))) return undefined;
  const binding = bindingOf(press, context.isMac);
  if (binding === undefined || (context.isTyping && !hasModifier(binding))) return undefined;
  return ACTIONS.find((action) => bindings[action] === binding);
}

/** Option types characters on a Mac: `ñ`, `∑`, `{`. In a field they are text. */
function typesCharacter({ key, altKey, ctrlKey, metaKey }: KeyPress): boolean {
  return altKey && !ctrlKey && !metaKey && key.length === 1;
}

/** The binding of a key press, for rebinding; nothing for a lone modifier. */
export function bindingOf(press: KeyPress, isMac: boolean): Binding | undefined {
  if (MODIFIER_KEYS.has(press.key)) return undefined;
  const { name, isShifted } = keyName(press);
  const mod = isMac ? press.metaKey : press.ctrlKey;
  const other = isMac ? press.ctrlKey && 'Ctrl' : press.metaKey && 'Meta';
  const parts = [mod && 'Mod', other, press.altKey && 'Alt', press.shiftKey && !isShifted && 'Shift', name];
  return parts.filter((part) => typeof part === 'string').join('+');
}

/** With the new binding; whoever held it before loses it. */
export function rebind(bindings: Bindings, action: ActionId, binding: Binding | undefined): Bindings {
  const others = Object.entries(bindings).filter(([id, held]) => id !== action && held !== binding);
  return { ...Object.fromEntries(others), ...(binding === undefined ? {} : { [action]: binding }) };
}

/** "⌥⇧⌘K" or "Ctrl+Alt+Shift+K". */
export function bindingText(binding: Binding, isMac: boolean): string {
  const names = isMac ? MAC_NAMES : NAMES;
  const parts = splitBinding(binding).map((part) => names[part] ?? KEY_NAMES[part] ?? part);
  if (!isMac) return parts.join('+');
  const key = parts.pop() ?? '';
  return parts.sort((a, b) => MAC_ORDER.indexOf(a) - MAC_ORDER.indexOf(b)).join('') + key;
}

/** Reads what was stored; what is not understood falls back to the default. `null` stands for no key. */
export function readBindings(stored: unknown): Bindings {
  if (typeof stored !== 'object' || stored === null) return defaultBindings;
  const own = stored as Record<string, unknown>;
  let bindings = defaultBindings;
  for (const action of ACTIONS) {
    const binding = own[action];
    if (binding === null) bindings = rebind(bindings, action, undefined);
    else if (typeof binding === 'string' && binding !== '') bindings = rebind(bindings, action, binding);
  }
  return bindings;
}

/** For storage: only what differs from the defaults, so that better defaults reach everybody. */
export function writeBindings(bindings: Bindings): Record<string, Binding | null> {
  const changed = ACTIONS.filter((action) => bindings[action] !== defaultBindings[action]);
  return Object.fromEntries(changed.map((action) => [action, bindings[action] ?? null]));
}

// With Alt a Mac types other characters, and with Shift the digits are signs: then the key itself counts.
function keyName({ key, code, altKey, shiftKey }: KeyPress): { name: string; isShifted: boolean } {
  const own = /^(?:Key([A-Z])|Digit(\d))$/.exec(code ?? '');
  const physical = own?.[1] ?? own?.[2];
  if (physical !== undefined && (altKey || (shiftKey && own?.[2] !== undefined))) return { name: physical, isShifted: false };
  if (key === ' ') return { name: 'Space', isShifted: false };
  // The sign already says that Shift was held.
  const isSign = key.length === 1 && !/[\p{L}\p{N}]/u.test(key);
  return { name: key.length === 1 ? key.toUpperCase() : key, isShifted: isSign };
}

// Shift alone still types.
function hasModifier(binding: Binding): boolean {
  const parts = splitBinding(binding);
  const key = parts.at(-1) ?? '';
  return parts.slice(0, -1).some((part) => part !== 'Shift') || /^F\d+$/.test(key);
}

function splitBinding(binding: Binding): string[] {
  if (binding.endsWith('++')) return [...binding.slice(0, -2).split('+'), '+'];
  return binding === '+' ? ['+'] : binding.split('+');
}

const NAMES: Record<string, string> = { Mod: 'Ctrl', Meta: 'Win' };
const MAC_NAMES: Record<string, string> = { Mod: '⌘', Ctrl: '⌃', Alt: '⌥', Shift: '⇧' };
const MAC_ORDER = ['⌃', '⌥', '⇧', '⌘'];
const KEY_NAMES: Record<string, string> = {
  ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc', Delete: 'Del',
};
