/** A modal window. Owns that focus goes in, stays in and comes back, which browsers do for `<dialog>`. */
import { onCleanup, onMount, Show, type ParentProps } from 'solid-js';
import { Icon } from './Icon';

interface Props extends ParentProps {
  title: string;
  onClose: () => void;
  class?: string;
  testId?: string;
  /** The title is there for those who do not see it only. */
  isBare?: boolean;
}

export function Dialog(props: Props) {
  let dialog!: HTMLDialogElement;
  onMount(() => dialog.showModal());
  onCleanup(() => dialog.close());
  return (
    <dialog
      ref={dialog} class={`dialog ${props.class ?? ''}`} aria-label={props.title} data-testid={props.testId}
      on:cancel={() => props.onClose()}
      onPointerDown={(event) => {
        if (event.target === dialog) props.onClose();
      }}
    >
      <div class="dialog-body">
        <Show when={!props.isBare}>
          <header class="dialog-head">
            <h2>{props.title}</h2>
            <button type="button" class="icon-button" aria-label="Close" onClick={() => props.onClose()}><Icon name="close" /></button>
          </header>
        </Show>
        {props.children}
      </div>
    </dialog>
  );
}
