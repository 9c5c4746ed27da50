/** Messages that wait for their turn. They are the server's; every window shows the same. */
import { createEffect, createSignal, For, on, onCleanup, Show } from 'solid-js';
import type { QueuedMessage } from '../../gen/contracts';
import { pauseText } from '../../model/queue';
import { fileSize, isImage } from '../../model/files';
import { api, reason } from '../../state/services';
import type { OpenSession } from '../../state/session';
import { discardQueue } from '../../state/actions';
import { show } from '../../state/screen';
import { attempt } from '../../state/toasts';
import { canSteer } from '../pane/abilities';
import { isRunning } from '../pane/TurnStatus';
import { Icon } from '../parts/Icon';
import { VisibleText } from '../rows/VisibleText';

/** A click that was meant for something else must not reach a button that has just appeared in its place. */
const SETTLE_MS = 700;

export function QueueBar(props: { session: OpenSession }) {
  const queue = (): readonly QueuedMessage[] => props.session.view()?.queue ?? [];
  const ids = (): string[] => queue().map((message) => message.id);
  return (
    <Show when={queue().length > 0}>
      <section class="dock queue" aria-label="Queued messages" data-testid="queue">
        <p class="queue-head faint">{`Queued (${queue().length})`}</p>
        <Paused session={props.session} />
        <ol>
          <For each={ids()}>
            {(id, index) => <Show when={queue().find((message) => message.id === id)}>{(message) => <Entry session={props.session} message={message()} index={index()} count={queue().length} />}</Show>}
          </For>
        </ol>
      </section>
    </Show>
  );
}

/** Nothing in a paused queue is sent until the person decides. */
function Paused(props: { session: OpenSession }) {
  const text = (): string | undefined => pauseText(props.session.view());
  const ids = (): string[] => (props.session.view()?.queue ?? []).map((message) => message.id);
  const [isSettled, setSettled] = createSignal(false);
  createEffect(on(text, () => {
    setSettled(false);
    const timer = setTimeout(() => setSettled(true), SETTLE_MS);
    onCleanup(() => clearTimeout(timer));
  }));
  const discard = (): void => {
    if (ids().length > 1) show({ kind: 'discard-queue', sessionId: props.session.id, ids: ids() });
    else attempt("Couldn't update the queue", () => discardQueue(props.session.id, ids()));
  };
  return (
    <Show when={text()}>
      {(why) => (
        <div class="queue-paused" role="status" data-testid="queue-paused" data-reason={props.session.view()?.queuePaused}>
          <span class="grow">{why()}</span>
          <button type="button" class="button small" data-testid="queue-resume" disabled={!isSettled()} onClick={() => attempt("Couldn't update the queue", () => api.resumeQueue(props.session.id))}>Send now</button>
          <button type="button" class="button small" data-testid="queue-discard" disabled={!isSettled()} onClick={discard}>Discard</button>
        </div>
      )}
    </Show>
  );
}

function Entry(props: { session: OpenSession; message: QueuedMessage; index: number; count: number }) {
  const [isEditing, setEditing] = createSignal(false);
  const edit = (body: { message?: string; position?: number }): void =>
    attempt("Couldn't update the queue", () => api.editQueued(props.session.id, props.message.id, body));
  const finish = (text: string): void => {
    setEditing(false);
    if (text.trim() && text !== props.message.message) edit({ message: text });
  };
  return (
    <li class="queue-entry" data-testid="queue-entry" data-id={props.message.id} classList={{ failed: props.message.failure !== undefined }}>
      <Show
        when={isEditing()}
        fallback={<Words message={props.message} />}
      >
        <textarea
          class="field grow" rows={2} aria-label="Queued message" value={props.message.message} ref={(field) => queueMicrotask(() => field.focus())}
          onBlur={(event) => finish(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.isComposing) return;
            if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); finish(event.currentTarget.value); }
            if (event.key === 'Escape') setEditing(false);
          }}
        />
      </Show>
      <span class="queue-actions">
        <button type="button" class="icon-button small" aria-label="Move up" title="Move up" disabled={props.index === 0} data-testid="queue-up" onClick={() => edit({ position: props.index - 1 })}><Icon name="up" /></button>
        <button type="button" class="icon-button small" aria-label="Move down" title="Move down" disabled={props.index === props.count - 1} data-testid="queue-down" onClick={() => edit({ position: props.index + 1 })}><Icon name="down" /></button>
        <button type="button" class="icon-button small" aria-label="Edit" title="Edit" data-testid="queue-edit" onClick={() => setEditing(true)}><Icon name="edit" /></button>
        <Show when={canSteer(props.session) && isRunning(props.session)}>
          <button type="button" class="icon-button small" aria-label="Send into current turn" title="Send into current turn" data-testid="queue-steer" onClick={() => attempt("Couldn't steer, still queued", () => api.steerQueued(props.session.id, props.message.id))}><Icon name="steer" /></button>
        </Show>
        <button type="button" class="icon-button small" aria-label="Send now; stops the running turn" title="Send now (stops the running turn)" data-testid="queue-now" onClick={() => attempt("Couldn't update the queue", () => api.sendQueuedNow(props.session.id, props.message.id))}><Icon name="bolt" /></button>
        <button type="button" class="icon-button small" aria-label="Remove" title="Remove" data-testid="queue-remove" onClick={() => attempt("Couldn't update the queue", () => api.removeQueued(props.session.id, props.message.id))}><Icon name="close" /></button>
      </span>
    </li>
  );
}

/** The files are seen however long the words are. */
function Words(props: { message: QueuedMessage }) {
  return (
    <span class="queue-words grow">
      <Show when={props.message.message}><span class="truncate" title={props.message.message}>{props.message.message}</span></Show>
      <FileNames message={props.message} />
      <Show when={props.message.failure}>{(failure) => <span class="item-error truncate" title={failure().message}>{reason(failure().message)}</span>}</Show>
    </span>
  );
}

function FileNames(props: { message: QueuedMessage }) {
  return <For each={props.message.attachments ?? []}>{(file) => <span class="chip file-mark" data-testid="queue-file" title={`${file.name}, ${fileSize(file.bytes)}`}><Icon name={isImage(file) ? 'image' : 'file'} /><span class="truncate"><VisibleText text={file.name} /></span></span>}</For>;
}
