/** The files that go with the next message: what is there, a way to add and a way to remove. */
import { For, Show } from 'solid-js';
import { acceptOf, takesFiles } from '../../model/files';
import { addFiles, fileProblem, filesOf, isOnItsWay, removeFile } from '../../state/files';
import type { OpenSession } from '../../state/session';
import { attempt } from '../../state/toasts';
import { FileChip } from '../parts/FileChip';
import { filesTaken } from '../pane/abilities';
import { Icon } from '../parts/Icon';

export function take(session: OpenSession, files: readonly File[]): void {
  attempt('The file could not be attached', () => addFiles(session.id, files, filesTaken(session)));
}

export function Files(props: { session: OpenSession; onEmptied: () => void }) {
  // eslint-disable-next-line solid/reactivity -- a composer belongs to one session for life.
  const files = filesOf(props.session.id);
  let list: HTMLUListElement | undefined;
  /** The next one has the focus then, so that several can be removed in a row. */
  const remove = (key: string, index: number): void => {
    removeFile(props.session.id, key);
    const buttons = list?.querySelectorAll<HTMLElement>('[data-testid="remove-file"]');
    if (buttons?.length) buttons[Math.min(index, buttons.length - 1)]?.focus();
    else props.onEmptied();
  };
  const keys = (): string[] => files().map((file) => file.key);
  return (
    <>
      <Show when={files().length > 0}>
        <ul ref={list} class="files" aria-label="Attached files" data-testid="files">
          <For each={keys()}>
            {(key, index) => (
              <Show when={files().find((file) => file.key === key)}>
                {(file) => (
                  <li class="file" data-testid="file" data-name={file().name} data-state={file().id ? 'kept' : 'waiting'}>
                    <FileChip file={file()} sessionId={props.session.id} note={file().id ? undefined : isOnItsWay(file()) ? 'uploading' : 'goes with the message'}>
                      <button
                        type="button" class="icon-button small" data-testid="remove-file" aria-label={`Remove ${file().name}`} title="Remove"
                        onClick={() => remove(key, index())}
                        onKeyDown={(event) => {
                          if (event.key !== 'Delete' && event.key !== 'Backspace') return;
                          event.preventDefault();
                          remove(key, index());
                        }}
                      >
                        <Icon name="close" />
                      </button>
                    </FileChip>
                  </li>
                )}
              </Show>
            )}
          </For>
        </ul>
      </Show>
      <Show when={fileProblem(props.session.id)}>{(problem) => <p class="file-problem item-error" role="alert" data-testid="file-problem"><Icon name="alert" />{problem()}</p>}</Show>
    </>
  );
}

/** Nothing for agents that take no files. */
export function AttachButton(props: { session: OpenSession }) {
  let input!: HTMLInputElement;
  return (
    <Show when={takesFiles(filesTaken(props.session))}>
      <button type="button" class="icon-button" data-testid="attach" aria-label="Attach files" title="Attach files; they can be pasted and dropped, too" onClick={() => input.click()}><Icon name="clip" /></button>
      <input
        ref={input} type="file" multiple hidden data-testid="attach-input" accept={acceptOf(filesTaken(props.session))}
        onChange={() => {
          take(props.session, [...input.files ?? []]);
          input.value = '';
        }}
      />
    </Show>
  );
}
