/** Whether the page hears the server, in a word. */
import { createEffect, on, Show } from 'solid-js';
import type { ConnectionState } from '../protocol/socket';
import { announce } from '../state/screen';
import { connection, connectionState, isDisconnected } from '../state/services';
import { second } from './clock';
import { Icon } from './parts/Icon';

export function connectionText(state: ConnectionState, now: number): string {
  switch (state.kind) {
    case 'open': return 'Connected';
    case 'connecting': return 'Connecting';
    case 'reconnecting': {
      const seconds = Math.max(0, Math.ceil((state.nextTryAt - now) / 1000));
      return seconds > 0 ? `Reconnecting in ${seconds} s (attempt ${state.attempt})` : `Reconnecting (attempt ${state.attempt})`;
    }
    case 'offline': return 'Offline';
    case 'unauthorised': return 'Signed out';
  }
}

export function ConnectionPill() {
  createEffect(on(() => connectionState().kind, (kind, before) => {
    if (before !== undefined && before !== kind) announce(connectionText(connectionState(), Date.now()));
  }));
  const isGood = (): boolean => connectionState().kind === 'open';
  return (
    <button
      type="button" class="conn-pill" data-testid="conn-pill" data-state={connectionState().kind}
      title={isGood() ? 'Connected to the server' : 'Try again now'} onClick={() => connection.nudge('retry')}
    >
      <span class="conn-dot" />
      <span class="conn-text">{connectionText(connectionState(), second())}</span>
      <Show when={!isGood()}><span class="hidden-text">; press to try again now</span></Show>
    </button>
  );
}

/** The same above a session, where one looks. The announcer says it to those who hear the page. */
export function LostBand() {
  return (
    <Show when={isDisconnected()}>
      <div class="band warn lost" data-testid="lost-band">
        <Icon name="alert" />
        <span class="grow" aria-hidden="true">{connectionText(connectionState(), second())}</span>
        <button type="button" class="button small" onClick={() => connection.nudge('retry')}>Retry now</button>
      </div>
    </Show>
  );
}
