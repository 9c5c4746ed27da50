/** A plan: tasks with how far each is. */
import { For, Show } from 'solid-js';
import type { PlanEntry } from '../../gen/contracts';
import type { PlanRow as Plan } from '../../model/rows';
import { Icon } from '../parts/Icon';

export function PlanRow(props: { row: Plan }) {
  return (
    <div class="plan-row" role="group" aria-label="Plan" data-testid="plan-row">
      <p class="plan-head line-label"><Icon name="list" />Plan<span class="faint">{progress(props.row.item.state.entries)}</span></p>
      <Tasks entries={props.row.item.state.entries} />
    </div>
  );
}

export function progress(entries: readonly PlanEntry[]): string {
  return `${entries.filter((entry) => entry.status === 'completed').length} of ${entries.length}`;
}

const WORDS: Record<PlanEntry['status'], string> = { pending: 'to do', in_progress: 'in progress', completed: 'done' };

export function Tasks(props: { entries: readonly PlanEntry[] }) {
  return (
    <ul class="tasks">
      <For each={props.entries}>
        {(entry) => (
          <li class="task" data-status={entry.status}>
            <span class="task-mark"><Show when={entry.status === 'completed'}><Icon name="check" /></Show></span>
            <span class="hidden-text">{WORDS[entry.status]}: </span>
            <span>{entry.content}</span>
            <Show when={entry.priority === 'high'}><span class="chip warn">high</span></Show>
          </li>
        )}
      </For>
    </ul>
  );
}
