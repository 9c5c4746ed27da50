/** The frame of the page: list, divider, and the shown session. */
import { ErrorBoundary, For, lazy, onCleanup, onMount, Show, Suspense } from 'solid-js';
import { setDrawerOpen, isDrawerOpen, overlay } from '../state/screen';
import { isUnlocked } from '../state/access';
import { isReady, projects } from '../state/catalog';
import { prefs, setPref } from '../state/prefs';
import { isDisconnected } from '../state/services';
import { isDiskFull } from '../state/storage';
import { active, isRestored, mounted } from '../state/tabs';
import { BrokenPane } from './Broken';
import { LostBand } from './ConnectionPill';
import { Empty } from './Empty';
import { fetchPart } from './fetch-part';
import { Icon } from './parts/Icon';
import { Sidebar } from './sidebar/Sidebar';
import { TabBar } from './tabs/TabBar';
import { Welcome } from './Welcome';
import { followKeyboardOfPhone } from './viewport';

const Overlays = lazy(() => fetchPart(() => import('./Overlays')));
/** Asked for at once, beside the first requests: the list does not wait for what shows a session. */
const loadPane = fetchPart(() => import('./pane/Pane'));
const Pane = lazy(async () => ({ default: (await loadPane).Pane }));

const SMALLEST = 220;
const USUAL = 272;
const largest = (): number => Math.min(640, Math.round(innerWidth * 0.6));
const within = (width: number): number => Math.round(Math.max(SMALLEST, Math.min(width, largest())));

export function Shell() {
  onMount(() => onCleanup(followKeyboardOfPhone()));
  return (
    <div class="shell" classList={{ 'has-drawer': isDrawerOpen(), disconnected: isDisconnected() }} style={{ '--sidebar': `${prefs.sidebarWidth}px` }}>
      <a class="skip" href="#main">Skip to the session</a>
      <Show when={isUnlocked() || isDiskFull()}>
        <div class="warnings"><Warnings /></div>
      </Show>
      <Sidebar />
      <Resizer />
      <button type="button" class="scrim" aria-label="Close the list" tabIndex={isDrawerOpen() ? 0 : -1} onClick={() => setDrawerOpen(false)} />
      <main class="main" id="main" aria-label="Session" data-testid="main">
        <TabBar />
        <div class="panes">
          <For each={mounted()}>
            {(id) => (
              <ErrorBoundary fallback={(error: unknown, reset) => <BrokenPane error={error} onRetry={reset} sessionId={id} isShown={id === active()} />}>
                <Suspense><Pane sessionId={id} isShown={id === active()} /></Suspense>
              </ErrorBoundary>
            )}
          </For>
          <Show when={!active()}><LostBand /></Show>
          <Show when={!active() && isReady() && isRestored()}>
            <Show when={projects.length > 0} fallback={<Welcome />}><Empty /></Show>
          </Show>
        </div>
      </main>
      <Show when={overlay()}><Suspense><Overlays /></Suspense></Show>
    </div>
  );
}

function Warnings() {
  return (
    <>
      <Show when={isUnlocked()}>
        <p class="warning" role="alert" data-testid="unlocked"><Icon name="shield" /><span>This server asks nobody for credentials: every program on this machine can use your agents. Start it without <code>--insecure-no-auth</code>.</span></p>
      </Show>
      <Show when={isDiskFull()}>
        <p class="warning" role="alert" data-testid="disk-full"><Icon name="alert" /><span>The disk is full. Answers are shown but not saved, and new messages are refused. Free some space; the server continues by itself.</span></p>
      </Show>
    </>
  );
}

function Resizer() {
  const drag = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    const move = (next: PointerEvent): void => setPref('sidebarWidth', within(next.clientX));
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', move), { once: true });
  };
  const step = (event: KeyboardEvent): void => {
    const by = event.shiftKey ? 32 : 16;
    const width = { ArrowLeft: prefs.sidebarWidth - by, ArrowRight: prefs.sidebarWidth + by, Home: SMALLEST, End: largest() }[event.key];
    if (width === undefined) return;
    event.preventDefault();
    setPref('sidebarWidth', within(width));
  };
  return (
    <div
      class="resizer" role="separator" aria-orientation="vertical" aria-label="Width of the list" tabIndex={0} data-testid="resizer"
      aria-valuemin={SMALLEST} aria-valuemax={largest()} aria-valuenow={prefs.sidebarWidth}
      onPointerDown={drag} onDblClick={() => setPref('sidebarWidth', USUAL)} onKeyDown={step}
    />
  );
}
