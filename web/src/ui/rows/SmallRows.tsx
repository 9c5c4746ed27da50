/** Rows of one line or a few: ends of turns, errors. */
import { Show } from 'solid-js';
import type { ErrorRow as Failure, TurnEndRow as TurnEnd, UserRow } from '../../model/rows';
import { usageText } from '../../model/turn';
import { restartAgent } from '../../state/actions';
import { agentName, agentOf, find } from '../../state/catalog';
import type { OpenSession } from '../../state/session';
import { attempt } from '../../state/toasts';
import { sendAgain } from '../composer/again';
import { CopyButton, CopyCommand } from '../parts/CopyCommand';
import { Icon } from '../parts/Icon';

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
  /** Without a login the same would fail again. */
  const lacksLogin = (): boolean => props.row.code === 'LOGIN_REQUIRED';
  const cliType = (): string => find(props.session.id)?.cliType ?? props.session.id.split(':', 1)[0] ?? '';
  const signIn = (): string | undefined => (lacksLogin() ? agentOf(cliType())?.signIn : undefined);
  const isDead = (): boolean => /^(PROCESS_|SPAWN_|AGENT_)/.test(props.row.code);
  return (
    <div class="error-row" role="alert" data-testid="error-row" data-code={props.row.code}>
      <Icon name="alert" />
      <div class="grow">
        <Show when={lacksLogin()}><p class="error-message">{agentName(cliType())} is not signed in.{signIn() ? ' Run this in a terminal, then send the message again:' : ''}</p></Show>
        <Show when={signIn()}>{(command) => <CopyCommand command={command()} />}</Show>
        <p class="error-message" classList={{ faint: lacksLogin() }}>{props.row.message}</p>
        <p class="faint mono">{[props.row.code, usageText(props.row.usage)].filter(Boolean).join(' · ')}</p>
      </div>
      <div class="error-actions">
        <Show when={lacksLogin() ? undefined : prompt()}>{(said) => <button type="button" class="button small" data-testid="retry" onClick={() => sendAgain(props.session.id, said())}>Retry</button>}</Show>
        <Show when={isDead()}>
          <button type="button" class="button small" data-testid="restart" onClick={() => attempt('The agent could not be restarted', () => restartAgent(props.session.id))}>Restart agent</button>
        </Show>
        <CopyButton text={() => `${props.row.code}: ${props.row.message}`} label="Copy error" />
      </div>
    </div>
  );
}
