/** Parts of the page that are fetched when they are needed. A network that is gone is waited for; a part that the server does not have is an error. */
import { connection } from '../state/services';

const PAUSE = 1000;
/** Failures with a connection: then it is not the network. */
const MOST = 3;

export async function fetchPart<T>(load: () => Promise<T>): Promise<T> {
  for (let failures = 0; ;) {
    try {
      return await load();
    } catch (error) {
      failures = connection.state().kind === 'open' ? failures + 1 : 0;
      if (failures >= MOST) throw error;
      await connectedOrPaused();
    }
  }
}

function connectedOrPaused(): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = setTimeout(done, PAUSE);
    const stop = connection.onState((state) => { if (state.kind === 'open') done(); });
  });
}
