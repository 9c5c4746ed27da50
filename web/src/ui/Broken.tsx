/** What is left when a part of the page fails: the reason, and a way on. */
import { reason } from '../state/services';

export function Broken(props: { error: unknown; onRetry: () => void }) {
  return (
    <main class="full-page">
      <section class="notice" role="alert">
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
