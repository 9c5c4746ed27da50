/** How full the model's context is, and what helps when it is nearly full. */
import { Show } from 'solid-js';
import { newSession } from '../../state/actions';
import { find, projects } from '../../state/catalog';
import { outbox } from '../../state/services';
import type { OpenSession } from '../../state/session';
import { Icon } from '../parts/Icon';
import { Menu } from '../parts/Menu';

const NEARLY_FULL = 0.8;
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function ContextMeter(props: { session: OpenSession }) {
  const use = () => props.session.view()?.agent.context;
  const share = (): number => { const found = use(); return found && found.size > 0 ? Math.min(1, found.used / found.size) : 0; };
  const percent = (): number => Math.round(share() * 100);
  const canCompact = (): boolean => props.session.view()?.agent.abilities.commands.some((command) => command.name === 'compact') ?? false;
  const again = (): void => {
    const summary = find(props.session.id);
    const project = projects.find((found) => found.id === summary?.projectId);
    if (project && summary) void newSession(project, summary.cliType);
  };
  return (
    <Show when={use()}>
      {(found) => (
        <Menu
          class={`meter ${share() > NEARLY_FULL ? 'full' : ''}`} side="above" align="end" testId="context-meter"
          label={`${percent()}%${share() > NEARLY_FULL ? ' full' : ''}: context of the model`} note={`${compact.format(found().used)} of ${compact.format(found().size)} tokens are used`}
          items={[
            ...(canCompact() ? [{ label: 'Compact the conversation', icon: 'archive' as const, run: () => void outbox.send(props.session.id, '/compact') }] : []),
            { label: 'Continue in a new session', icon: 'plus' as const, run: again },
          ]}
        >
          <svg class="ring" viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="6" /><circle class="used" cx="8" cy="8" r="6" stroke-dasharray={`${share() * 37.7} 37.7`} /></svg>
          <Show when={share() > NEARLY_FULL} fallback={<span>{percent()}%</span>}><span>{percent()}% full</span><Icon name="alert" class="tiny" /></Show>
        </Menu>
      )}
    </Show>
  );
}
