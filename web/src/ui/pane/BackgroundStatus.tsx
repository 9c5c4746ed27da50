/** Background work while no turn runs, and the way to stop it. Unlike a turn it keeps nobody from sending messages. */
import { createSignal, onCleanup, Show } from 'solid-js';
import { backgroundCount, backgroundText, hasTurn } from '../../model/background';
import { stopBackground } from '../../state/actions';
import { isDisconnected } from '../../state/services';
import type { OpenSession } from '../../state/session';
import { attempt } from '../../state/toasts';
import { Icon } from '../parts/Icon';

/** A second click on Stop must not reach this button, which appears when the turn has ended. */
const SETTLE_MS = 700;

export function BackgroundStatus(props: { session: OpenSession }) {
  const view = () => props.session.view();
  const count = (): number => backgroundCount(view());
  const isShown = (): boolean => count() > 0 && !hasTurn(view());
  const text = (): string => {
    if (isDisconnected()) return 'Disconnected; the background work may have continued';
    return view()?.state === 'waiting' ? `Waiting for your answer. ${backgroundText(count())}` : backgroundText(count());
  };
  return (
    <Show when={isShown()}>
      <div class="turn-status background" data-testid="background-status" data-state={view()?.state} data-count={count()}>
        <Show when={isDisconnected()} fallback={<span class="pulse" />}><Icon name="alert" /></Show>
        <span>{text()}</span>
        <span class="grow" />
        <StopButton session={props.session} />
      </div>
    </Show>
  );
}

function StopButton(props: { session: OpenSession }) {
  const [isSettled, setSettled] = createSignal(false);
  const timer = setTimeout(() => setSettled(true), SETTLE_MS);
  onCleanup(() => clearTimeout(timer));
  const stop = (): void => attempt('The background work could not be stopped', () => stopBackground(props.session.id));
  return <button type="button" class="button small" data-testid="stop-background" disabled={!isSettled()} onClick={stop}>Stop background work</button>;
}
