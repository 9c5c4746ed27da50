/** The agents of this machine: which can be used, which are signed out, and the command that helps. */
import { createSignal, For, Match, Show, Switch } from 'solid-js';
import type { AgentReport } from '../gen/contracts';
import { markOf, remedyOf, shortProblem, usableFirst } from '../model/agents';
import { agentName, agents, isDetecting, refreshAgents } from '../state/catalog';
import { api } from '../state/services';
import { CopyCommand } from './parts/CopyCommand';
import { Icon } from './parts/Icon';

export function AgentChecklist() {
  const [isAsked, setAsked] = createSignal(false);
  const isBusy = (): boolean => isAsked() || isDetecting();
  const refresh = async (): Promise<void> => {
    setAsked(true);
    await refreshAgents(api.refreshAgents);
    setAsked(false);
  };
  return (
    <>
      <ul class="agents" data-testid="agents" aria-busy={isBusy()}>
        <For each={usableFirst(agents() ?? [])} fallback={<li class="faint row"><span class="spinner" />Detecting agents…</li>}>{(agent) => <AgentLine agent={agent} />}</For>
      </ul>
      <button type="button" class="button small" data-testid="refresh-agents" onClick={() => void refresh()} disabled={isAsked()}>
        <Show when={isBusy()} fallback={<Icon name="restore" />}><span class="spinner" /></Show>Refresh
      </button>
    </>
  );
}

function AgentLine(props: { agent: AgentReport }) {
  const mark = () => markOf(props.agent);
  /** The login state is unknown. */
  const mayBeSignedOut = (): string | undefined => (mark() === 'ready' && props.agent.loggedIn === undefined ? props.agent.signIn : undefined);
  return (
    <li class="agent-line" data-testid="agent" data-agent={props.agent.name} data-usable={!props.agent.problem} data-mark={mark()}>
      <AgentMarkIcon mark={mark()} />
      <div class="grow">
        <div><span class="line-label">{agentName(props.agent.name)}</span> <span class="faint mono">{props.agent.version}</span></div>
        <Show when={shortProblem(props.agent)}>{(text) => <p class="muted">{text()}</p>}</Show>
        <Show when={mark() === 'signed-out'}><p class="signed-out" data-testid="signed-out">Not signed in. Run this in a terminal:</p></Show>
        <Show when={remedyOf(props.agent)}>{(command) => <CopyCommand command={command()} />}</Show>
        <Show when={mayBeSignedOut()}>{(command) => <details class="sign-in"><summary>Not signed in yet?</summary><CopyCommand command={command()} /></details>}</Show>
      </div>
    </li>
  );
}

function AgentMarkIcon(props: { mark: ReturnType<typeof markOf> }) {
  return (
    <Switch fallback={<Icon name="check" />}>
      <Match when={props.mark === 'detecting'}><span class="spinner" /></Match>
      <Match when={props.mark === 'missing'}><Icon name="dot" /></Match>
      <Match when={props.mark === 'broken' || props.mark === 'signed-out'}><Icon name="alert" /></Match>
    </Switch>
  );
}
