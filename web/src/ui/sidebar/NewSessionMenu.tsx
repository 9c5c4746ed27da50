/** Starts a session: at once with the last agent, or with one chosen from the list. */
import type { Project } from '../../gen/contracts';
import { defaultAgent, newSession } from '../../state/actions';
import { shortProblem } from '../../model/agents';
import { agentName, agents } from '../../state/catalog';
import { show } from '../../state/screen';
import { Icon } from '../parts/Icon';
import { Menu, type MenuItem } from '../parts/Menu';

export function agentItems(project: () => Project | undefined): MenuItem[] {
  const chosen = defaultAgent();
  const items: MenuItem[] = (agents() ?? []).map((agent) => ({
    label: agentName(agent.name),
    hint: agent.problem ? undefined : agent.version,
    detail: agent.problem ? shortProblem(agent) : agent.loggedIn === false ? 'Not signed in' : undefined,
    isWarning: !agent.problem && agent.loggedIn === false,
    isChecked: agent.name === chosen,
    isDisabled: agent.problem !== undefined,
    run: () => {
      const found = project();
      if (found) void newSession(found, agent.name);
    },
  }));
  if (!agents()) items.push({ label: 'Detecting agents…', isDisabled: true });
  return [...items, { label: 'Set up agents…', icon: 'info', rule: true, run: () => show({ kind: 'settings' }) }];
}

export function NewSessionMenu(props: { project: Project }) {
  const name = (): string => agentName(defaultAgent() ?? '');
  return (
    <span class="split">
      <button
        type="button" class="icon-button small" data-testid="new-session" disabled={props.project.isMissing}
        aria-label={`New session in ${props.project.name}`} title={name() ? `New session with ${name()}` : 'New session'} onClick={() => void newSession(props.project)}
      >
        <Icon name="plus" />
      </button>
      <Menu
        class="icon-button small narrow" testId="new-session-menu" label={`New session in ${props.project.name} with…`} align="end"
        isDisabled={props.project.isMissing ?? false} items={agentItems(() => props.project)}
      >
        <Icon name="down" />
      </Menu>
    </span>
  );
}
