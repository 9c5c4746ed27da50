/** A plan: tasks with how far each is. */
import { For, Show } from 'solid-js';
import type { PlanEntry } from '../../gen/contracts';
import type { PlanRow as Plan } from '../../model/rows';
import { Icon } from '../parts/Icon';

export function PlanRow(props: { row: Plan }) {
  return (
    <div class="plan-row" role="group" aria-label="Plan" data-testid="plan-row">
      <p class="plan-head line-label"><Icon name="list" />Plan<span class="faint">{progress(props.row.item.state.entries)}</span></p>
      <Tasks entries={props.row.item.state.entries} isRunning={props.row.isRunning} />
    </div>
  );
}

export function progress(entries: readonly PlanEntry[]): string {
  return `${entries.filter((entry) => entry.status === 'completed').length} of ${entries.length}`;
}

type TaskStatus = PlanEntry['status'] | 'stopped';

const WORDS: Record<TaskStatus, string> = { pending: 'to do', in_progress: 'in progress', completed: 'done', stopped: 'not finished' };

/** Nothing is in progress once the turn has ended. */
export function Tasks(props: { entries: readonly PlanEntry[]; isRunning: boolean }) {
  const statusOf = ({ status }: PlanEntry): TaskStatus => (status === 'in_progress' && !props.isRunning ? 'stopped' : status);
  return (
    <ul class="tasks">
      <For each={props.entries}>
        {(entry) => (
          <li class="task" data-status={statusOf(entry)}>
            <span class="task-mark"><Show when={entry.status === 'completed'}><Icon name="check" /></Show></span>
            <span class="hidden-text">{WORDS[statusOf(entry)]}: </span>
            <span>{entry.content}</span>
            <Show when={entry.priority === 'high'}><span class="chip warn">high</span></Show>
          </li>
        )}
      </For>
    </ul>
  );
}
