/** What the running turn does, for how long, and what to do when its agent is silent. */
import { createEffect, createSignal, on, Show } from 'solid-js';
import { backgroundCount, hasTurn } from '../../model/background';
import { durationText } from '../../model/turn';
import { waitingText } from '../../model/waiting';
import { restartAgent, stopTurn } from '../../state/actions';
import { isDisconnected } from '../../state/services';
import type { OpenSession } from '../../state/session';
import { attempt } from '../../state/toasts';
import { second } from '../clock';
import { Icon } from '../parts/Icon';

/** Models think for long; this is when silence is worth a word. */
const SILENCE = 60_000;
const ESCALATE = 5_000;

export function isRunning(session: OpenSession): boolean {
  return hasTurn(session.view());
}

/** Whether there is a turn to stop; one whose agent is being started has not begun. */
export function isStoppable(session: OpenSession): boolean {
  return isRunning(session) && session.view()?.state !== 'starting';
}

export function TurnStatus(props: { session: OpenSession }) {
  const [patientUntil, setPatientUntil] = createSignal(0);
  const [stoppingSince, setStoppingSince] = createSignal<number>();
  const view = () => props.session.view();
  createEffect(on(() => view()?.state, (state) => setStoppingSince(state === 'cancelling' ? Date.now() : undefined)));
  const elapsed = (): string => {
    const start = view()?.turnStartedAt;
    return start ? durationText(Math.max(0, second() - Date.parse(start))) : '';
  };
  const isSilent = (): boolean => {
    if (isDisconnected() || view()?.state !== 'running' || second() < patientUntil()) return false;
    return (view()?.isStalled ?? false) || second() - props.session.heardAt() > SILENCE;
  };
  /** A page that was just opened only knows from the server that it has been long. */
  const silence = (): string => {
    const heard = second() - props.session.heardAt();
    return heard > SILENCE ? `No word for ${durationText(heard)}` : 'No word for a while';
  };
  const isStubborn = (): boolean => !isDisconnected() && second() - (stoppingSince() ?? Number.POSITIVE_INFINITY) > ESCALATE;
  const text = (): string => {
    // What the agent does now is not known.
    if (isDisconnected()) return 'Disconnected; the agent may have continued';
    const waiting = props.session.projection().waiting;
    // The dock above says what is asked.
    if (waiting?.kind === 'approval' || waiting?.kind === 'question') return 'Waiting for your answer';
    return waiting ? waitingText(waiting) : view()?.state === 'starting' ? 'Starting the agent' : 'Working';
  };
  const restart = (): void => attempt('The agent could not be restarted', () => restartAgent(props.session.id));
  return (
    <Show when={isRunning(props.session)}>
      <div class="turn-status" data-testid="turn-status" data-stalled={isSilent()} data-state={view()?.state}>
        <Show when={isSilent() || isDisconnected()} fallback={<span class="pulse" />}><Icon name="alert" /></Show>
        <span class="truncate">{isSilent() ? `${silence()}: ${text()}` : text()}</span>
        <Show when={!isDisconnected()}><span class="faint elapsed" data-testid="elapsed">{elapsed()}</span></Show>
        <Show when={backgroundCount(view()) > 0}><span class="faint beside" data-testid="background-beside">{backgroundCount(view())} in the background</span></Show>
        <span class="grow" />
        <Show when={isSilent()}>
          <button type="button" class="button small plain" data-testid="wait" onClick={() => setPatientUntil(Date.now() + SILENCE)}>Wait</button>
          <button type="button" class="button small" data-testid="interrupt" onClick={() => attempt('The turn could not be stopped', () => stopTurn(props.session.id))}>Interrupt</button>
          <button type="button" class="button small" data-testid="restart" onClick={restart}>Restart agent</button>
        </Show>
        <Show when={isStubborn()}><button type="button" class="button small danger" data-testid="force-stop" onClick={restart}>End the agent</button></Show>
      </div>
    </Show>
  );
}
