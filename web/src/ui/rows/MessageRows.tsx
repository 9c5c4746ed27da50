/** What was said: by the user, by the agent, by the program itself. */
import { Match, Show, Switch } from 'solid-js';
import type { AgentRow as Agent, NoteRow as Note, UserRow as User } from '../../model/rows';
import type { Delivery } from '../../protocol/outbox';
import { itemAddress } from '../../state/place';
import { copyText } from '../../state/actions';
import { focusComposer } from '../../state/screen';
import { drafts, outbox } from '../../state/services';
import type { OpenSession } from '../../state/session';
import { setComposerText } from '../composer/text';
import { CopyButton } from '../parts/CopyCommand';
import { Icon } from '../parts/Icon';
import { Markdown } from './Markdown';

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function timeText(at: string | undefined): string {
  const date = at ? new Date(at) : undefined;
  return date && !Number.isNaN(date.getTime()) ? time.format(date) : '';
}

export function UserRow(props: { row: User; session: OpenSession }) {
  const again = (): void => {
    drafts.set(props.session.id, props.row.text);
    setComposerText({ sessionId: props.session.id, text: props.row.text });
    focusComposer();
  };
  return (
    <article class="user-row" aria-label="You" data-testid="user-row" title={timeText(props.row.at)}>
      <div class="user-bubble">{props.row.text}</div>
      <div class="row-actions">
        <Show when={props.row.at}>{(at) => <time class="faint" dateTime={at()}>{timeText(at())}</time>}</Show>
        <Show when={!props.row.outgoing}>
          <button type="button" class="icon-button small" aria-label="Edit and send again" title="Edit and send again" onClick={again}><Icon name="edit" /></button>
        </Show>
        <CopyButton text={() => props.row.text} label="Copy message" />
      </div>
      <Show when={props.row.outgoing}>
        {(outgoing) => <DeliveryNote delivery={outgoing().delivery} id={outgoing().clientMessageId} session={props.session} />}
      </Show>
    </article>
  );
}

function DeliveryNote(props: { delivery: Delivery; id: string; session: OpenSession }) {
  const failure = (): { message: string } | undefined => (props.delivery.kind === 'failed' || props.delivery.kind === 'indeterminate' ? props.delivery : undefined);
  const takeBack = (): void => {
    const text = outbox.discard(props.id);
    if (text === undefined || drafts.get(props.session.id)) return;
    drafts.set(props.session.id, text);
    setComposerText({ sessionId: props.session.id, text });
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
              <span class="grow">{props.delivery.kind === 'indeterminate' ? `It may have arrived: ${found().message}` : found().message}</span>
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
      <Show when={state().status === 'error' && !isToldBelow()}>
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
          <time class="faint" dateTime={state().sourceTimestamp}>{timeText(state().sourceTimestamp)}</time>
        </div>
      </Show>
    </article>
  );
}

export function NoteRow(props: { row: Note }) {
  return <p class="note-row"><Icon name="info" /><span>{props.row.item.state.content}</span></p>;
}
