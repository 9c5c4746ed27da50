/** The newest plan, while the agent works on it. */
import { createSignal, Show } from 'solid-js';
import type { OpenSession } from '../../state/session';
import { Icon } from '../parts/Icon';
import { isRunning } from '../pane/TurnStatus';
import { progress, Tasks } from '../rows/PlanRow';

export function PlanDock(props: { session: OpenSession }) {
  const [isOpen, setOpen] = createSignal(false);
  /** One of an earlier turn only while something of it is left to do. */
  const isOfThisTurn = (): boolean => props.session.projection().plan?.turnId === props.session.view()?.turn;
  const entries = () => {
    const plan = isRunning(props.session) ? props.session.projection().plan : undefined;
    return isOfThisTurn() || plan?.state.entries.some((entry) => entry.status !== 'completed') ? plan?.state.entries : undefined;
  };
  const current = (): string => entries()?.find((entry) => entry.status === 'in_progress')?.content ?? '';
  return (
    <Show when={entries()?.length}>
      <section class="dock plan-dock" aria-label="Plan" data-testid="plan-dock">
        <button type="button" class="line-button" aria-expanded={isOpen()} onClick={() => setOpen(!isOpen())}>
          <Icon name="chevron" class="twist" />
          <Icon name="list" />
          <span class="line-label">Plan</span>
          <span class="faint">{progress(entries() ?? [])}</span>
          <Show when={!isOpen()}><span class="truncate muted">{current()}</span></Show>
        </button>
        <Show when={isOpen()}><Tasks entries={entries() ?? []} isRunning={isOfThisTurn()} /></Show>
      </section>
    </Show>
  );
}
