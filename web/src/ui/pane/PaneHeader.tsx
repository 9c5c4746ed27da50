/** What the session is: title, agent, model, mode, place. */
import { createSignal, Show } from 'solid-js';
import type { AgentOption } from '../../gen/contracts';
import { titleOf } from '../../model/list';
import { rename } from '../../state/actions';
import { agentBadge, agentName, find } from '../../state/catalog';
import type { OpenSession } from '../../state/session';
import { Icon } from '../parts/Icon';
import { DetailsButton } from './Details';
import { PaneMenu } from './PaneMenu';

export function modelText(session: OpenSession): string | undefined {
  const agent = session.view()?.agent;
  const option = agent?.abilities.options.find((found) => found.category === 'model');
  const id = option?.current ?? agent?.model;
  const choices = [...(option?.choices ?? []), ...(agent?.abilities.models ?? [])];
  return choices.find((choice) => choice.id === id)?.name ?? id;
}

export function modeText(session: OpenSession): string | undefined {
  const agent = session.view()?.agent;
  const option: AgentOption | undefined = agent?.abilities.options.find((found) => found.category === 'mode');
  const id = option?.current ?? agent?.permissionMode;
  const choices = [...(option?.choices ?? []), ...(agent?.abilities.permissionModes ?? [])];
  return choices.find((choice) => choice.id === id)?.name ?? id;
}

export function PaneHeader(props: { session: OpenSession }) {
  const [isRenaming, setRenaming] = createSignal(false);
  const summary = () => find(props.session.id);
  const title = (): string => titleOf({ title: props.session.view()?.title ?? summary()?.title ?? '' });
  const cliType = (): string => props.session.status()?.cliType ?? summary()?.cliType ?? props.session.id.split(':', 1)[0] ?? '';
  const finish = (text: string): void => {
    setRenaming(false);
    if (text.trim() && text.trim() !== title()) rename(props.session.id, text.trim());
  };
  return (
    <header class="pane-head" data-testid="pane-header">
      <span class="badge" title={agentName(cliType())}>{agentBadge(cliType())}</span>
      <Show
        when={isRenaming()}
        fallback={<h1 class="pane-title truncate" title={title()} onDblClick={() => setRenaming(true)}>{title()}</h1>}
      >
        <input
          class="field rename" aria-label="Title" value={title()} ref={(field) => queueMicrotask(() => field.select())}
          onBlur={(event) => finish(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.isComposing) finish(event.currentTarget.value);
            if (event.key === 'Escape') setRenaming(false);
          }}
        />
      </Show>
      <span class="pane-facts faint truncate">
        <span>{agentName(cliType())}</span>
        <Show when={modelText(props.session)}>{(text) => <span>{text()}</span>}</Show>
        <Show when={modeText(props.session)}>{(text) => <span>{text()}</span>}</Show>
        <Show when={props.session.status()}>{(status) => <span class="mono" title={status().directory}>{lastPart(status().directory)}</span>}</Show>
        <Show when={props.session.status()?.branch}>{(branch) => <span class="mono branch"><Icon name="branch" />{branch()}</span>}</Show>
      </span>
      <span class="grow" />
      <DetailsButton session={props.session} cliType={cliType()} />
      <PaneMenu session={props.session} title={title()} onRename={() => setRenaming(true)} />
    </header>
  );
}

function lastPart(path: string): string {
  return path.split('/').findLast((part) => part !== '') ?? path;
}
