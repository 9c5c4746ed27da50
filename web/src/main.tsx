/** Starts the page. */
import { render } from 'solid-js/web';
import './styles/index.css';
import { access, enter, isLockedOut, setLockedOut } from './state/access';
import { followCatalog, refreshAll } from './state/catalog';
import { followStorage } from './state/storage';
import { followTheme, restorePrefs } from './state/prefs';
import { startConnection } from './state/services';
import { restoreTabs } from './state/tabs';
import { createEffect, createRoot } from 'solid-js';
import { App } from './ui/App';

async function start(): Promise<void> {
  if (!(await enter())) return;
  startConnection();
  followCatalog();
  followStorage();
  await Promise.all([restorePrefs().then(restoreTabs), refreshAll()]);
  // Dialogs are there before the first key asks for one; without a network now, that key asks again.
  setTimeout(() => void import('./ui/Overlays').catch(() => undefined), 400);
}

createRoot(() => {
  followTheme();
  createEffect(() => { if (isLockedOut() && access() === 'granted') setLockedOut(); });
});
render(() => <App />, document.getElementById('app') as HTMLElement);
void start();
