/** What was said: by the user, by the agent, by the program itself. */
import { Index, Match, Show, Switch } from 'solid-js';
import { wasEnded } from '../../model/background';
import type { AgentRow as Agent, NoteRow as Note, UserRow as User } from '../../model/rows';
import type { Delivery } from '../../protocol/outbox';
import { itemAddress } from '../../state/place';
import { copyText, download } from '../../state/actions';
import { bytesOf, giveFilesBack, type ShownFile } from '../../state/files';
import { drafts, outbox, reason } from '../../state/services';
import type { OpenSession } from '../../state/session';
import { attempt } from '../../state/toasts';
import { editAgain } from '../composer/again';
import { setComposerText } from '../composer/text';
import { minute } from '../clock';
import { CopyButton } from '../parts/CopyCommand';
import { FileChip } from '../parts/FileChip';
import { Icon } from '../parts/Icon';
import { Markdown } from './Markdown';

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

const hour = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** What was said today needs no date. */
function briefTime(at: string): string {
  const date = new Date(at);
  return date.toDateString() === new Date(minute()).toDateString() ? hour.format(date) : timeText(at);
}

export function timeText(at: string | undefined): string {
  const date = at ? new Date(at) : undefined;
  return date && !Number.isNaN(date.getTime()) ? time.format(date) : '';
}

export function UserRow(props: { row: User; session: OpenSession }) {
  return (
    <article class="user-row" aria-label="You" data-testid="user-row" title={timeText(props.row.at)}>
      <Show when={props.row.files.length > 0}>
        <ul class="files sent" aria-label="Attached files" data-testid="user-files">
          <Index each={props.row.files}>{(file) => <SentFile file={file()} sessionId={props.session.id} />}</Index>
        </ul>
      </Show>
      <Show when={props.row.text || props.row.files.length === 0}><div class="user-bubble">{props.row.text}</div></Show>
      <div class="row-actions">
        <Show when={props.row.at}>{(at) => <time class="faint" dateTime={at()} title={timeText(at())}>{briefTime(at())}</time>}</Show>
        <Show when={!props.row.outgoing}>
          <button type="button" class="icon-button small" aria-label="Edit and send again" title="Edit and send again" onClick={() => editAgain(props.session.id, props.row)}><Icon name="edit" /></button>
        </Show>
        <CopyButton text={() => props.row.text} label="Copy message" />
      </div>
      <Show when={props.row.outgoing}>
        {(outgoing) => <DeliveryNote delivery={outgoing().delivery} id={outgoing().clientMessageId} session={props.session} />}
      </Show>
    </article>
  );
}

/** A file of a message: where it is known, it can be saved. */
function SentFile(props: { file: ShownFile; sessionId: string }) {
  const save = (): void => attempt('The file could not be read', async () => {
    const bytes = await bytesOf(props.sessionId, props.file);
    if (bytes) download(props.file.name, bytes);
  });
  return (
    <li class="file" data-testid="user-file" data-name={props.file.name}>
      <FileChip file={props.file} sessionId={props.sessionId}>
        <Show when={props.file.id}><button type="button" class="icon-button small" aria-label={`Save ${props.file.name}`} title="Save" onClick={save}><Icon name="download" /></button></Show>
      </FileChip>
    </li>
  );
}

function DeliveryNote(props: { delivery: Delivery; id: string; session: OpenSession }) {
  const failure = (): { message: string } | undefined => (props.delivery.kind === 'failed' || props.delivery.kind === 'indeterminate' ? props.delivery : undefined);
  const takeBack = (): void => {
    const taken = outbox.discard(props.id);
    if (!taken) return;
    giveFilesBack(props.session.id, taken.files ?? []);
    if (drafts.get(props.session.id)) return;
    drafts.set(props.session.id, taken.text);
    setComposerText({ sessionId: props.session.id, text: taken.text });
  };
  return (
    <p class="delivery" data-testid="delivery" data-delivery={props.delivery.kind} role={failure() ? 'alert' : undefined}>
      <Switch>
        <Match when={props.delivery.kind === 'waiting'}><Icon name="clock" />Waiting for connection<button type="button" class="text-button" onClick={takeBack}>Take back</button></Match>
        <Match when={props.delivery.kind === 'sending' || props.delivery.kind === 'accepted'}><span class="spinner" />Sending</Match>
        <Match when={props.delivery.kind === 'queued'}><Icon name="clock" />Queued</Match>
        <Match when={failure()}>
          {(found) => (
            <>
              <Icon name="alert" />
              <span class="grow">{props.delivery.kind === 'indeterminate' ? `It may have arrived: ${found().message}` : reason(found().message)}</span>
              <button type="button" class="text-button" data-testid="retry" onClick={() => outbox.retry(props.id)}>Retry</button>
              <button type="button" class="text-button" onClick={takeBack}>Cancel</button>
            </>
          )}
        </Match>
      </Switch>
    </p>
  );
}

export function AgentRow(props: { row: Agent; session: OpenSession }) {
  const state = () => props.row.item.state;
  /** The turn that broke says the same below. */
  const isToldBelow = (): boolean => props.session.projection().rows.some((row) => row.kind === 'error' && row.turnId === props.row.turnId && row.message === state().errorMessage);
  return (
    <article class="agent-row" classList={{ streaming: props.row.isStreaming }} aria-label="Agent" aria-busy={props.row.isStreaming} data-testid="agent-row">
      <Markdown text={state().content} isComplete={!props.row.isStreaming} />
      <Show when={wasEnded(state())}><p class="tool-ended">Ended before it was finished</p></Show>
      <Show when={state().status === 'error' && !wasEnded(state()) && !isToldBelow()}>
        <p class="item-error" role="alert"><Icon name="alert" />{state().errorMessage ?? 'The message broke off'}</p>
      </Show>
      <Show when={!props.row.isStreaming}>
        <div class="row-actions">
          <CopyButton text={() => state().content} label="Copy as Markdown" />
          <button
            type="button" class="icon-button small" aria-label="Copy link to this message" title="Copy link"
            onClick={() => void copyText(itemAddress(props.session.id, props.row.item.id), 'the link')}
          >
            <Icon name="link" />
          </button>
          <time class="faint" dateTime={state().sourceTimestamp} title={timeText(state().sourceTimestamp)}>{briefTime(state().sourceTimestamp)}</time>
        </div>
      </Show>
    </article>
  );
}

export function NoteRow(props: { row: Note }) {
  return <p class="note-row"><Icon name="info" /><span>{props.row.item.state.content}</span></p>;
}
