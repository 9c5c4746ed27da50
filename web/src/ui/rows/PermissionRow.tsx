/** What became of a request, and exactly what it asked for. Stays in the transcript. */
import { createSignal, Show } from 'solid-js';
import { outcomeWords } from '../../model/permission-words';
import type { PermissionRow as Permission } from '../../model/rows';
import { Icon, type IconName } from '../parts/Icon';
import { VisibleLine } from '../request/VisibleLine';
import { LazyRequestInput } from './lazy-tools';

const ICONS: Record<Permission['outcome'], IconName> = { allowed: 'check', rejected: 'close', answered: 'check', withdrawn: 'dot', lapsed: 'clock' };

export function PermissionRow(props: { row: Permission }) {
  const [isOpen, setOpen] = createSignal(false);
  const state = () => props.row.item.state;
  const words = () => outcomeWords(props.row);
  const firstLine = (): string => words().subject.split('\n', 1)[0] ?? '';
  const questions = (): string => (state().questions ?? []).map((question) => question.question).join(' · ');
  const hasInput = (): boolean => Object.keys(state().input).length > 0 || (state().diffs?.length ?? 0) > 0;
  return (
    <div class="permission-row" data-testid="permission-row" data-outcome={props.row.outcome}>
      <div class="permission-line">
        <Icon name={ICONS[props.row.outcome]} />
        <span class="line-label">{words().label}</span>
        <span class="truncate permission-subject" classList={{ mono: props.row.outcome !== 'answered' }}><VisibleLine text={firstLine()} /><Show when={firstLine() !== words().subject}> …</Show></span>
        <Show when={questions()}>{(text) => <span class="faint truncate">{text()}</span>}</Show>
        <Show when={hasInput() && !questions()}>
          <button type="button" class="text-button" aria-expanded={isOpen()} data-testid="permission-details" onClick={() => setOpen(!isOpen())}>{isOpen() ? 'Hide' : 'Details'}</button>
        </Show>
      </div>
      <Show when={words().note}>{(note) => <p class="permission-note" data-testid="permission-note"><VisibleLine text={note()} /></p>}</Show>
      <Show when={isOpen()}><LazyRequestInput input={state().input} diffs={state().diffs} /></Show>
    </div>
  );
}
