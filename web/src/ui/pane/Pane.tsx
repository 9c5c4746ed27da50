/** One session: what it is, what was said, what it waits for, and where to answer. */
import { createEffect, createSignal, on, onCleanup, Show } from 'solid-js';
import { announcementOf } from '../../model/announcements';
import { backgroundCount } from '../../model/background';
import { forkSession, restartAgent, unarchive } from '../../state/actions';
import { find } from '../../state/catalog';
import { setSeen } from '../../state/prefs';
import { announce, focusComposer, isFinding } from '../../state/screen';
import { api } from '../../state/services';
import { useSession, type OpenSession } from '../../state/session';
import { close } from '../../state/tabs';
import { attempt } from '../../state/toasts';
import { ApprovalDock } from '../docks/ApprovalDock';
import { PlanDock } from '../docks/PlanDock';
import { LostBand } from '../ConnectionPill';
import { Composer } from '../composer/Composer';
import { DropZone } from '../composer/DropZone';
import { QueueBar } from '../composer/QueueBar';
import { Icon } from '../parts/Icon';
import { panelId, tabId } from '../tabs/TabBar';
import { Transcript } from '../transcript/Transcript';
import type { RowWindow } from '../transcript/window';
import { canFork } from './abilities';
import { BackgroundStatus } from './BackgroundStatus';
import { FindBar } from './FindBar';
import { ForkLine } from './ForkLine';
import { PaneHeader } from './PaneHeader';
import { TurnStatus } from './TurnStatus';

export function Pane(props: { sessionId: string; isShown: boolean }) {
  // eslint-disable-next-line solid/reactivity -- a pane belongs to one session for life.
  const { session, release } = useSession(props.sessionId);
  onCleanup(release);
  const [rows, setRows] = createSignal<RowWindow>();
  let enterDock: (() => void) | undefined;
  let root!: HTMLElement;
  const isOpenable = (): boolean => session.isLoaded() || !session.problem();
  announceTurns(session, () => props.isShown);
  // The transcript tells what was seen of what was said.
  createEffect(() => {
    const isEmpty = session.isLoaded() && session.projection().rows.length === 0;
    if (isEmpty && props.isShown && document.visibilityState === 'visible') setSeen(session.id, session.seq(), undefined);
  });
  const look = (): void => {
    if (session.view()?.timedOut) attempt("Couldn't mark the session as seen", () => api.markSeen(session.id));
  };
  return (
    <section
      ref={root} class="pane" classList={{ shown: props.isShown }} role="tabpanel" id={panelId(props.sessionId)} aria-labelledby={tabId(props.sessionId)}
      inert={!props.isShown} data-testid="pane" data-session={props.sessionId} data-state={session.view()?.state} data-background={backgroundCount(session.view())}
      onPointerDown={look} onKeyDown={look}
    >
      <DropZone session={session} isShown={props.isShown} />
      <PaneHeader session={session} />
      <Bands session={session} />
      <Show when={isFinding() === props.sessionId && props.isShown}><FindBar session={session} /></Show>
      <Show when={isOpenable()} fallback={<NotOpened session={session} />}>
        <Show when={session.isLoaded()} fallback={<Loading />}>
          <Show when={session.projection().rows.length > 0} fallback={<NothingSaid session={session} />}>
            <Transcript session={session} isShown={props.isShown} onWindow={setRows} />
          </Show>
        </Show>
      </Show>
      <Show when={isOpenable()}>
        <div class="pane-foot"><div class="foot-column">
          <Failure session={session} />
          <PlanDock session={session} />
          <ApprovalDock
            session={session} isShown={props.isShown} onEnterable={(enter) => { enterDock = enter; }}
            onFocusLost={(from) => queueMicrotask(() => { if (root.classList.contains('shown')) refocus(root, from); })}
          />
          <TurnStatus session={session} />
          <BackgroundStatus session={session} />
          <QueueBar session={session} />
          <Composer session={session} isShown={props.isShown} onSent={() => rows()?.tell({ type: 'sent' })} enterDock={() => enterDock} />
        </div></div>
      </Show>
    </section>
  );
}

/**
 * The request that had the focus is gone. Never the next request: what is typed now was not meant for it. Nor the composer
 * if a reason was being written: its Enter would send the rest as a message. On a phone the composer would open the keyboard.
 */
function refocus(pane: HTMLElement, from: 'field' | 'button'): void {
  if (from === 'field') pane.querySelector<HTMLElement>('[role=log]')?.focus({ preventScroll: true });
  else if (matchMedia('(pointer: fine)').matches) focusComposer();
}

function Bands(props: { session: OpenSession }) {
  return (
    <>
      <LostBand />
      <Show when={props.session.view()?.isDiverged}>
        <div class="band warn" role="status" data-testid="diverged">
          <Icon name="branch" />
          <span class="grow">This session was changed in another program. What is shown may not be all that the agent knows.</span>
          <Show when={canFork(props.session)}>
            <button type="button" class="button small" data-testid="fork" onClick={() => attempt('The session could not be forked', () => forkSession(props.session.id))}>Fork</button>
          </Show>
          <button type="button" class="button small" onClick={() => attempt('The session could not be read again', () => restartAgent(props.session.id))}>Read it again</button>
        </div>
      </Show>
      <Show when={props.session.view()?.isUnguarded}>
        <div class="band bad" role="status" data-testid="unguarded"><Icon name="shield" /><span>Bypassing permissions</span></div>
      </Show>
      <Show when={props.session.view()?.guard === 'may_act'}>
        <div class="band quiet" data-testid="may-act"><Icon name="shield" /><span>May act without asking</span></div>
      </Show>
      <Show when={props.session.view()?.isArchived}>
        <div class="band" data-testid="archived">
          <Icon name="archive" /><span class="grow">This session is archived.</span>
          <button type="button" class="button small" onClick={() => unarchive(props.session.id, find(props.session.id)?.projectId, false)}>Restore</button>
        </div>
      </Show>
      <ForkLine session={props.session} />
      <Show when={props.session.caughtUp()}>
        {(event) => <div class="caught-up" data-testid="caught-up" role="status">Caught up{missed(event().updates)}</div>}
      </Show>
    </>
  );
}

function missed(updates: number): string {
  return updates === 0 ? '' : ` · ${updates} ${updates === 1 ? 'update' : 'updates'}`;
}

/** An agent that went away by itself while no turn could say so. */
function Failure(props: { session: OpenSession }) {
  const failure = () => {
    const view = props.session.view();
    const last = props.session.projection().rows.at(-1);
    return view?.failure && !view.isAlive && last?.kind !== 'error' ? view.failure : undefined;
  };
  return (
    <Show when={failure()}>
      {(found) => (
        <div class="error-row" role="alert" data-testid="agent-failure" data-code={found().code}>
          <Icon name="alert" />
          <div class="grow"><p class="error-message">The agent is gone: {found().message}</p><p class="faint mono">{found().code}</p></div>
          <div class="error-actions"><button type="button" class="button small" data-testid="restart" onClick={() => attempt('The agent could not be restarted', () => restartAgent(props.session.id))}>Restart agent</button></div>
        </div>
      )}
    </Show>
  );
}

function NotOpened(props: { session: OpenSession }) {
  return (
    <div class="pane-empty" role="alert">
      <Icon name="alert" />
      <h2>This session could not be opened</h2>
      <p class="muted">{props.session.problem()}</p>
      <div class="row">
        <button type="button" class="button" data-testid="retry" onClick={() => props.session.retry()}>Try again</button>
        <button type="button" class="button" onClick={() => close(props.session.id)}>Close tab</button>
      </div>
    </div>
  );
}

function Loading() {
  return <div class="pane-loading" role="status" data-testid="loading"><span class="hidden-text">Loading the session</span><i /><i /><i /><i /></div>;
}

function NothingSaid(props: { session: OpenSession }) {
  const directory = (): string => props.session.status()?.directory ?? '';
  return (
    <div class="pane-empty" data-testid="nothing-said">
      <Icon name="spark" />
      <h2>What should we build?</h2>
      <Show when={directory()}><p class="muted">The agent works in <code>{directory()}</code>.</p></Show>
      <p class="faint">Type <kbd>@</kbd> to name a file, <kbd>/</kbd> for the agent's commands.</p>
    </div>
  );
}

/** Says to ears what turns do; approvals say it themselves. */
function announceTurns(session: OpenSession, isShown: () => boolean): void {
  createEffect(on(() => session.view(), (view, before) => {
    if (!isShown()) return;
    const text = announcementOf(before, view, session.projection().rows.at(-1)?.kind === 'error');
    if (text !== undefined) announce(text);
  }));
}
