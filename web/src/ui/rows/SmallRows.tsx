/** Rows of one line or a few: answers to requests, ends of turns, errors. */
import { Show } from 'solid-js';
import type { ErrorRow as Failure, PermissionRow as Permission, TurnEndRow as TurnEnd, UserRow } from '../../model/rows';
import { usageText } from '../../model/turn';
import { restartAgent } from '../../state/actions';
import type { OpenSession } from '../../state/session';
import { attempt } from '../../state/toasts';
import { sendAgain } from '../composer/again';
import { CopyButton } from '../parts/CopyCommand';
import { Icon, type IconName } from '../parts/Icon';

const OUTCOMES: Record<Permission['outcome'], { icon: IconName; text: string }> = {
  allowed: { icon: 'check', text: 'Allowed' },
  rejected: { icon: 'close', text: 'Rejected' },
  answered: { icon: 'check', text: 'Answered' },
  withdrawn: { icon: 'dot', text: 'Withdrawn' },
  lapsed: { icon: 'clock', text: 'Lapsed' },
};

export function PermissionRow(props: { row: Permission }) {
  const answers = (): [string, string][] => Object.entries(props.row.item.state.outcome?.answers ?? {});
  return (
    <div class="permission-row" data-testid="permission-row" data-outcome={props.row.outcome}>
      <Icon name={OUTCOMES[props.row.outcome].icon} />
      <span class="line-label">{props.row.chosen ?? OUTCOMES[props.row.outcome].text}</span>
      <Show when={answers().length > 0} fallback={<span class="faint truncate">{props.row.item.state.title}</span>}>
        <span class="faint truncate">{answers().map(([question, answer]) => `${question} ${answer}`).join(' · ')}</span>
      </Show>
    </div>
  );
}

export function TurnEndRow(props: { row: TurnEnd }) {
  const parts = (): string[] => [props.row.status === 'cancelled' ? 'Stopped' : '', usageText(props.row.usage)].filter(Boolean);
  return (
    <Show when={parts().length > 0}>
      <p class="turn-end" data-testid="turn-end" data-status={props.row.status}><span>{parts().join(' · ')}</span></p>
    </Show>
  );
}

export function ErrorRow(props: { row: Failure; session: OpenSession }) {
  /** What the failed turn was asked, to ask it again. */
  const prompt = (): UserRow | undefined => {
    const { turnId } = props.row;
    return props.session.projection().rows.findLast((row): row is UserRow => row.kind === 'user' && row.turnId === turnId);
  };
  const isDead = (): boolean => /^(PROCESS_|SPAWN_|AGENT_)/.test(props.row.code);
  return (
    <div class="error-row" role="alert" data-testid="error-row" data-code={props.row.code}>
      <Icon name="alert" />
      <div class="grow">
        <p class="error-message">{props.row.message}</p>
        <p class="faint mono">{[props.row.code, usageText(props.row.usage)].filter(Boolean).join(' · ')}</p>
      </div>
      <div class="error-actions">
        <Show when={prompt()}>{(said) => <button type="button" class="button small" data-testid="retry" onClick={() => sendAgain(props.session.id, said())}>Retry</button>}</Show>
        <Show when={isDead()}>
          <button type="button" class="button small" data-testid="restart" onClick={() => attempt('The agent could not be restarted', () => restartAgent(props.session.id))}>Restart agent</button>
        </Show>
        <CopyButton text={() => `${props.row.code}: ${props.row.message}`} label="Copy error" />
      </div>
    </div>
  );
}
