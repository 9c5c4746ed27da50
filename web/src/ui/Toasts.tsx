/** The notes in the corner. */
import { For, Show } from 'solid-js';
import { dismiss, toasts, type Toast } from '../state/toasts';
import { Icon, type IconName } from './parts/Icon';

const ICONS: Record<Toast['kind'], IconName> = { error: 'alert', good: 'check', plain: 'info' };

export function Toasts() {
  return (
    <section class="toasts" aria-label="Notes" data-testid="toasts">
      <For each={toasts()}>
        {(note) => (
          <div class="toast" data-kind={note.kind} role={note.kind === 'error' ? 'alert' : 'status'}>
            <Icon name={ICONS[note.kind]} />
            <div class="grow">
              <div>{note.title}</div>
              <Show when={note.detail}><div class="detail">{note.detail}</div></Show>
            </div>
            <Show when={note.action}>
              {(action) => (
                <button type="button" class="button small" onClick={() => { dismiss(note.id); action().run(); }}>{action().label}</button>
              )}
            </Show>
            <button type="button" class="icon-button small" aria-label="Dismiss" onClick={() => dismiss(note.id)}><Icon name="close" /></button>
          </div>
        )}
      </For>
    </section>
  );
}
