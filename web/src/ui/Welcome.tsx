/** The first run: what was found, what is missing, and a way in without any of it. */
import { createSignal, For, Show } from 'solid-js';
import type { AgentReport } from '../protocol/http';
import { tryDemo } from '../state/actions';
import { agentName, agents, refreshAgents } from '../state/catalog';
import { show } from '../state/screen';
import { CopyCommand } from './parts/CopyCommand';
import { Icon } from './parts/Icon';
import { Mark } from './parts/Mark';

export function Welcome() {
  const demo = () => agents()?.find((agent) => agent.name === 'demo' && !agent.problem);
  return (
    <div class="welcome" data-testid="welcome">
      <Mark />
      <h1>Welcome to Liminal Builder</h1>
      <p class="muted">Your coding agents, in one calm window.</p>
      <Show when={demo()}>
        <p class="welcome-demo"><button type="button" class="button" data-testid="try-demo" onClick={tryDemo}><Icon name="spark" />Try the demo agent</button> <span class="faint">It needs no account, and works in a directory of its own, <code>~/liminal-demo</code>.</span></p>
      </Show>
      <ol class="steps">
        <li><h2>Agents on this machine</h2><AgentChecklist /></li>
        <li>
          <h2>A project</h2>
          <p class="muted">The directory that agents work in. Nothing in it is changed by adding it.</p>
          <button type="button" class="button primary" data-testid="welcome-add" onClick={() => show({ kind: 'add-project' })}><Icon name="folder" />Add project</button>
        </li>
        <li><h2>A session</h2><p class="muted">Say what you want done. Sessions you began in a terminal are listed too.</p></li>
      </ol>
    </div>
  );
}

export function AgentChecklist() {
  const [isLooking, setLooking] = createSignal(false);
  const look = async (): Promise<void> => {
    setLooking(true);
    await refreshAgents();
    setLooking(false);
  };
  return (
    <>
      <ul class="agents" data-testid="agents">
        <For each={usableFirst(agents())} fallback={<li class="faint row"><span class="spinner" />Looking for agents</li>}>{(agent) => <AgentLine agent={agent} />}</For>
      </ul>
      <button type="button" class="button small" onClick={() => void look()} disabled={isLooking()}><Show when={isLooking()} fallback={<Icon name="restore" />}><span class="spinner" /></Show>Look again</button>
    </>
  );
}

function usableFirst(all: readonly AgentReport[] | undefined): AgentReport[] | undefined {
  return all?.toSorted((one, other) => Number(Boolean(one.problem)) - Number(Boolean(other.problem)));
}

function AgentLine(props: { agent: AgentReport }) {
  const isAbsent = (): boolean => props.agent.launch === undefined && /PATH|install|API_KEY/.test(props.agent.problem ?? '');
  /** An agent that is there and fails mostly wants to be signed in. */
  const remedy = (): string | undefined => (isAbsent() ? props.agent.install : props.agent.signIn);
  /** The command stands below; how to get it need not be said twice. */
  const problem = (): string | undefined => (isAbsent() && remedy() ? props.agent.problem?.split('; ', 1)[0] : props.agent.problem);
  return (
    <li class="agent-line" data-testid="agent" data-agent={props.agent.name} data-usable={!props.agent.problem} data-absent={isAbsent()}>
      <Icon name={props.agent.problem ? (isAbsent() ? 'dot' : 'alert') : 'check'} />
      <div class="grow">
        <div><span class="line-label">{agentName(props.agent.name)}</span> <span class="faint mono">{props.agent.version}</span></div>
        <Show when={problem()}>{(text) => <p class="muted">{text()}</p>}</Show>
        <Show when={props.agent.problem ? remedy() : undefined}>{(command) => <CopyCommand command={command()} />}</Show>
        <Show when={props.agent.problem || props.agent.loggedIn ? undefined : props.agent.signIn}>{(command) => <details class="sign-in"><summary>Not signed in yet?</summary><CopyCommand command={command()} /></details>}</Show>
      </div>
    </li>
  );
}
