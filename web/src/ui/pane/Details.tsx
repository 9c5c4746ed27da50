/** All that is known of a session's agent, for those who want to know why. */
import { createSignal, For, Show } from 'solid-js';
import type { SessionState } from '../../gen/contracts';
import { backgroundCount, tasksText } from '../../model/background';
import { durationText } from '../../model/turn';
import { agentName, meta } from '../../state/catalog';
import type { OpenSession } from '../../state/session';
import { second } from '../clock';
import { CopyButton } from '../parts/CopyCommand';
import { Icon } from '../parts/Icon';
import { Popover } from '../parts/Popover';
import { modelText, modeText } from './PaneHeader';

const STATES: Record<SessionState, string> = {
  starting: 'starting', idle: 'ready', running: 'working', cancelling: 'stopping', waiting: 'waiting for you', closed: 'ended',
};

export function processText(session: OpenSession): string {
  const view = session.view();
  if (!view) return 'unknown';
  if (view.failure && !view.isAlive) return 'failed';
  const count = backgroundCount(view);
  if (count > 0) return `${STATES[view.state]}, ${tasksText(count)} in the background`;
  return view.isAlive || view.state !== 'idle' ? STATES[view.state] : 'not running; starts with your next message';
}

export function DetailsButton(props: { session: OpenSession; cliType: string }) {
  const [isOpen, setOpen] = createSignal(false);
  let button!: HTMLButtonElement;
  const toggle = (): void => {
    if (!isOpen()) props.session.refreshStatus();
    setOpen(!isOpen());
  };
  return (
    <>
      <button ref={button} type="button" class="icon-button" aria-label="Details of the session" title="Details" aria-expanded={isOpen()} aria-haspopup="dialog" data-testid="details-button" onClick={toggle}><Icon name="info" /></button>
      <Popover anchor={button} isOpen={isOpen()} onClose={() => setOpen(false)} align="end" role="dialog" label="Details of the session" class="details">
        <Show when={isOpen()}><DetailList session={props.session} cliType={props.cliType} /></Show>
      </Popover>
    </>
  );
}

function DetailList(props: { session: OpenSession; cliType: string }) {
  const view = () => props.session.view();
  const status = () => props.session.status();
  const facts = (): [string, string | undefined, boolean?][] => [
    ['Agent', agentName(props.cliType)],
    ['Model', modelText(props.session)],
    ['Mode', modeText(props.session)],
    ['Process', processText(props.session)],
    ['Pid', view()?.agent.pid?.toString(), true],
    ['Last heard', `${durationText(Math.max(0, second() - props.session.heardAt()))} ago`],
    ['Directory', status()?.directory, true],
    ['Branch', status()?.branch, true],
    ['Session', props.session.id, true],
    ['Protocol', meta() ? `version ${meta()?.protocolVersion}, server ${meta()?.version}` : undefined],
    ['Not understood', view()?.agent.unknownLines ? `${view()?.agent.unknownLines} lines` : undefined],
  ];
  return (
    <div data-testid="details">
      <dl class="facts">
        <For each={facts().filter(([, value]) => value)}>
          {([name, value, isCopied]) => (
            <>
              <dt>{name}</dt>
              <dd classList={{ mono: isCopied ?? false }}><span>{value}</span><Show when={isCopied}><CopyButton text={() => value ?? ''} label={`Copy ${name.toLowerCase()}`} /></Show></dd>
            </>
          )}
        </For>
      </dl>
      <Show when={status()?.unknownSamples?.length}>
        <details class="samples"><summary>Lines that nobody understood</summary><pre>{status()?.unknownSamples?.join('\n')}</pre></details>
      </Show>
    </div>
  );
}
