/** Every shortcut, and a way to change each. */
import { createSignal, For, Show } from 'solid-js';
import { bindingOf, bindingText, defaultBindings, rebind, type ActionId } from '../../model/shortcuts';
import { prefs, setPref } from '../../state/prefs';
import { hide } from '../../state/screen';
import { Dialog } from '../parts/Dialog';
import { bindings, isMac } from '../shortcuts';

const NAMES: [string, [ActionId, string][]][] = [
  ['Everywhere', [['palette', 'Search and commands'], ['new-session', 'New session'], ['add-project', 'Add project'], ['help', 'Shortcuts'], ['toggle-sidebar', 'Show or hide the list'], ['filter-sessions', 'Filter sessions'], ['focus-list', 'Go to the list']]],
  ['Session', [['focus-composer', 'Go to the composer'], ['find', 'Find in session'], ['stop', 'Stop the turn'], ['jump-latest', 'Go to the end']]],
  ['Tabs', [['next-tab', 'Next tab'], ['previous-tab', 'Previous tab'], ['tab-left', 'Move tab left'], ['tab-right', 'Move tab right'], ['close-tab', 'Close tab'], ['tab-1', 'First tab … ninth tab']]],
];

const FIXED: [string, string][] = [
  ['Enter', 'Send (or queue while the agent works)'], ['Shift+Enter', 'New line'], ['↑', 'Recall an earlier prompt (empty composer)'], ['Esc Esc', 'Stop the turn'], ['1 … 9', 'Answer an approval'], ['/', 'Commands of the agent'], ['@', 'Files of the project'],
];

export function HelpDialog() {
  const [asking, setAsking] = createSignal<ActionId>();
  const onKey = (event: KeyboardEvent, action: ActionId): void => {
    if (asking() !== action) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape') return void setAsking(undefined);
    const binding = event.key === 'Backspace' ? undefined : bindingOf(event, isMac);
    if (binding === undefined && event.key !== 'Backspace') return;
    setPref('keys', { ...rebind(bindings(), action, binding) } as Record<string, string>);
    setAsking(undefined);
  };
  return (
    <Dialog title="Keyboard shortcuts" onClose={hide} testId="help-dialog">
      <p class="faint">Press a key's button to change it; Backspace takes it away.</p>
      <div class="help">
        <For each={NAMES}>
          {([heading, actions]) => (
            <section>
              <p class="menu-label">{heading}</p>
              <For each={actions}>
                {([action, name]) => (
                  <div class="help-row">
                    <span>{name}</span>
                    <button type="button" class="key-button" aria-label={`${keyText(action)}: change the keys of ${name}`} onClick={() => setAsking(action)} onKeyDown={(event) => onKey(event, action)} onBlur={() => setAsking(undefined)}>
                      <Show when={asking() !== action} fallback={<span class="faint">press keys…</span>}><kbd>{keyText(action)}</kbd></Show>
                    </button>
                  </div>
                )}
              </For>
            </section>
          )}
        </For>
        <section><p class="menu-label">Composer and approvals</p><For each={FIXED}>{([key, name]) => <div class="help-row"><span>{name}</span><kbd>{key}</kbd></div>}</For></section>
      </div>
      <Show when={Object.keys(prefs.keys).length > 0}>
        <footer class="dialog-foot"><button type="button" class="button" onClick={() => setPref('keys', {})}>Back to the defaults</button></footer>
      </Show>
    </Dialog>
  );
}

function keyText(action: ActionId): string {
  const binding = bindings()[action] ?? (Object.keys(prefs.keys).length === 0 ? defaultBindings[action] : undefined);
  return binding ? bindingText(binding, isMac) : 'none';
}
