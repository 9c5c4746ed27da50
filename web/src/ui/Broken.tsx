/** What is left when a part of the page fails: the reason, and ways on. One session that cannot be shown takes no other with it. */
import { reason } from '../state/services';
import { close } from '../state/tabs';
import { Icon } from './parts/Icon';
import { panelId, tabId } from './tabs/TabBar';

interface Props {
  error: unknown;
  onRetry: () => void;
}

export function Broken(props: Props) {
  return (
    <main class="full-page">
      <section class="notice" role="alert" data-testid="broken">
        <h1>The page ran into an error</h1>
        <p class="muted">Your sessions are safe: they live in the server.</p>
        <pre class="notice-code">{reason(props.error)}</pre>
        <div class="row">
          <button type="button" class="button primary" onClick={() => location.reload()}>Reload</button>
          <button type="button" class="button" onClick={() => props.onRetry()}>Try again</button>
        </div>
      </section>
    </main>
  );
}

export function BrokenPane(props: Props & { sessionId: string; isShown: boolean }) {
  return (
    <section class="pane" classList={{ shown: props.isShown }} role="tabpanel" id={panelId(props.sessionId)} aria-labelledby={tabId(props.sessionId)} inert={!props.isShown}>
      <div class="pane-empty" role="alert" data-testid="broken-pane">
        <Icon name="alert" />
        <h2>The page cannot show this session</h2>
        <p class="muted">The session itself is safe, and so is whatever its agent does: both live in the server.</p>
        <pre class="notice-code">{reason(props.error)}</pre>
        <div class="row">
          <button type="button" class="button primary" onClick={() => location.reload()}>Reload</button>
          <button type="button" class="button" onClick={() => props.onRetry()}>Try again</button>
          <button type="button" class="button" onClick={() => close(props.sessionId)}>Close tab</button>
        </div>
      </div>
    </section>
  );
}
