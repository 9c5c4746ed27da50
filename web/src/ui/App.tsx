/** The page: who is let in sees the shell, others are told how to get in. */
import { createEffect, ErrorBoundary, Match, onCleanup, Switch } from 'solid-js';
import { documentTitle } from '../model/status';
import { access } from '../state/access';
import { find, waitingSessions } from '../state/catalog';
import { announcement } from '../state/screen';
import { active } from '../state/tabs';
import { toastError } from '../state/toasts';
import { Broken } from './Broken';
import { Shell } from './Shell';
import { SignIn } from './SignIn';
import { Toasts } from './Toasts';
import { followNews } from './notify';
import { listenForShortcuts } from './shortcuts';

export function App() {
  createEffect(() => {
    const shown = active();
    const title = shown ? find(shown)?.title : undefined;
    document.title = documentTitle(waitingSessions(), title ? `${title} · Liminal Builder` : undefined);
  });
  followNews();
  onCleanup(listenForShortcuts());
  const onRejection = (event: PromiseRejectionEvent): void => toastError('Something went wrong', event.reason);
  addEventListener('unhandledrejection', onRejection);
  onCleanup(() => removeEventListener('unhandledrejection', onRejection));
  return (
    <ErrorBoundary fallback={(error: unknown, reset) => <Broken error={error} onRetry={reset} />}>
      <Switch>
        <Match when={access() === 'granted'}><Shell /></Match>
        <Match when={access() !== 'checking'}><SignIn /></Match>
      </Switch>
      <Toasts />
      <div class="hidden-text" aria-live="polite" role="status" data-testid="announcer">{announcement()}</div>
    </ErrorBoundary>
  );
}
