export type ActionId =
  | 'palette' | 'find' | 'help' | 'new-session' | 'add-project' | 'close-tab' | 'next-tab' | 'previous-tab'
  | 'tab-left' | 'tab-right' | 'stop' | 'focus-composer' | 'focus-list' | 'toggle-sidebar' | 'jump-latest' | 'filter-sessions'
  | `tab-${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`;

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

export declare const defaultBindings: Bindings;
export declare function actionOf(bindings: Bindings, press: KeyPress, context: ShortcutContext): ActionId | undefined;
/** The binding of a key press, for rebinding; nothing for a lone modifier. */
export declare function bindingOf(press: KeyPress, isMac: boolean): Binding | undefined;
/** With the new binding; whoever held it before loses it. */
export declare function rebind(bindings: Bindings, action: ActionId, binding: Binding | undefined): Bindings;
/** "⇧⌘K" or "Ctrl+Shift+K". */
export declare function bindingText(binding: Binding, isMac: boolean): string;
/** Reads what was stored; what is not understood falls back to the default. */
export declare function readBindings(stored: unknown): Bindings;
