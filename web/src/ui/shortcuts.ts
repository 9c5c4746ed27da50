/** The keys that work everywhere. Owns which action each starts; which keys those are is the model's and the user's choice. */
import { actionOf, bindingText, defaultBindings, readBindings, type ActionId, type Bindings } from '../model/shortcuts';
import { neighbourTab, nthTab } from '../model/tabs';
import { newSessionHere, stopTurn } from '../state/actions';
import { prefs } from '../state/prefs';
import { focusComposer, hide, overlay, setDrawerOpen, setFinding, show } from '../state/screen';
import { active, close, open, shift, tabs } from '../state/tabs';
import { attempt } from '../state/toasts';

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

export function bindings(): Bindings {
  return Object.keys(prefs.keys).length > 0 ? readBindings(prefs.keys) : defaultBindings;
}

export function shortcutText(action: ActionId): string {
  const binding = bindings()[action];
  return binding ? bindingText(binding, isMac) : '';
}

const withShown = (run: (id: string) => void) => (): void => {
  const id = active();
  if (id) run(id);
};

const go = (id: string | undefined): void => {
  if (id) open(id);
};

const ACTIONS: Record<Exclude<ActionId, `tab-${number}`>, () => void> = {
  palette: () => (overlay()?.kind === 'palette' ? hide() : show({ kind: 'palette' })),
  find: withShown((id) => setFinding(id)),
  help: () => show({ kind: 'help' }),
  'new-session': newSessionHere,
  'add-project': () => show({ kind: 'add-project' }),
  'close-tab': withShown(close),
  'next-tab': () => go(neighbourTab(tabs(), 1)),
  'previous-tab': () => go(neighbourTab(tabs(), -1)),
  'tab-left': withShown((id) => shift(id, -1)),
  'tab-right': withShown((id) => shift(id, 1)),
  stop: withShown((id) => attempt('The turn could not be stopped', () => stopTurn(id))),
  'focus-composer': focusComposer,
  'focus-list': () => focusIn('.sidebar [aria-current=page], .sidebar .session-open'),
  'toggle-sidebar': () => {
    setDrawerOpen((isOpen) => !isOpen);
    document.documentElement.classList.toggle('no-sidebar');
  },
  'jump-latest': () => document.querySelector<HTMLElement>('.pane:not([hidden]) [data-testid=jump-latest]')?.click(),
  'filter-sessions': () => focusIn('[data-testid=session-filter]'),
};

function focusIn(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

function perform(action: ActionId): void {
  const tab = /^tab-(\d)$/.exec(action)?.[1];
  if (tab) go(nthTab(tabs(), Number(tab)));
  else ACTIONS[action as keyof typeof ACTIONS]();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

export function listenForShortcuts(): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return;
    const action = actionOf(bindings(), event, { isTyping: isTyping(event.target), isMac });
    // A dialog has the keyboard to itself; only the palette's own key closes it.
    if (!action || (overlay() && action !== 'palette')) return;
    event.preventDefault();
    perform(action);
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
