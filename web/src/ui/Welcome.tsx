/** The first run: a way in at once, projects that agents know already, and what else can be installed. */
import { createSignal, For, onMount, Show } from 'solid-js';
import type { KnownProject } from '../gen/contracts';
import { addKnownProjects, tryDemo } from '../state/actions';
import { agentName, agentOf, known, refreshKnown } from '../state/catalog';
import { show } from '../state/screen';
import { attempt } from '../state/toasts';
import { AgentChecklist } from './Agents';
import { Icon } from './parts/Icon';
import { Mark } from './parts/Mark';

export function Welcome() {
  onMount(() => void refreshKnown());
  return (
    <div class="welcome" data-testid="welcome">
      <Mark />
      <h1>Welcome to Liminal Builder</h1>
      <p class="muted">All your coding agents in one place.</p>
      <div class="welcome-start">
        <button type="button" class="button primary" data-testid="welcome-add" onClick={() => show({ kind: 'add-project' })}><Icon name="folder" />Add project</button>
        <Show when={!agentOf('demo')?.problem}>
          <button type="button" class="button" data-testid="try-demo" onClick={tryDemo}><Icon name="spark" />Try the demo agent</button>
        </Show>
        <span class="faint">No account needed. Runs in <code>~/liminal-demo</code>.</span>
      </div>
      <Show when={known()?.length ? known() : undefined}>{(found) => <KnownProjects found={found()} />}</Show>
      <ol class="steps">
        <li><h2>Add a project</h2><p class="muted">The folder your agents work in. Adding it changes nothing.</p></li>
        <li><h2>Start a session</h2><p class="muted">Describe a task. Your terminal sessions show up here too.</p></li>
        <li><h2>Agents on this machine</h2><AgentChecklist /></li>
      </ol>
    </div>
  );
}

/** More are shown on demand. */
const SHOWN = 5;

function KnownProjects(props: { found: readonly KnownProject[] }) {
  const [isOpen, setOpen] = createSignal(false);
  const [isAdding, setAdding] = createSignal(false);
  const shown = (): readonly KnownProject[] => (isOpen() ? props.found : props.found.slice(0, SHOWN));
  const add = (projects: readonly KnownProject[]): void => {
    setAdding(true);
    attempt('Projects could not be added', () => addKnownProjects(projects.map(({ path }) => path)).finally(() => setAdding(false)));
  };
  return (
    <section class="known" data-testid="known-projects" aria-label="Projects your agents know">
      <header class="row">
        <h2 class="grow">Projects your agents know</h2>
        <button type="button" class="button small primary" data-testid="add-all" disabled={isAdding()} onClick={() => add(props.found)}>{props.found.length === 1 ? 'Add it' : `Add all ${props.found.length}`}</button>
      </header>
      <ul>
        <For each={shown()}>
          {(project) => (
            <li class="known-line" data-testid="known-project" data-path={project.path}>
              <Icon name="folder" />
              <span class="grow"><span class="line-label">{project.name}</span> <span class="faint mono known-path">{project.path}</span><br /><span class="muted">{countText(project)}</span></span>
              <button type="button" class="button small" aria-label={`Add ${project.name}`} disabled={isAdding()} onClick={() => add([project])}>Add</button>
            </li>
          )}
        </For>
      </ul>
      <Show when={props.found.length > shown().length}><button type="button" class="text-button" onClick={() => setOpen(true)}>Show {props.found.length - shown().length} more</button></Show>
    </section>
  );
}

function countText(project: KnownProject): string {
  const sessions = project.sessions === 1 ? '1 session' : `${project.sessions} sessions`;
  return `${sessions} · ${project.agents.map(agentName).join(', ')}`;
}
