/** Whether this browser is let in. Owns the one-time code of the address and what became of it. */
import { createSignal } from 'solid-js';
import { codeOf } from '../protocol/http';
import { api, codeOfFailure, connectionState, reason } from './services';

export type Access = 'checking' | 'granted' | 'refused' | 'code-used' | 'code-invalid' | 'unreachable';

const [access, setAccess] = createSignal<Access>('checking');
const [detail, setDetail] = createSignal<string>();
/** Whether the server asks nobody for credentials. */
const [isUnlocked, setUnlocked] = createSignal(false);
export { access, detail, isUnlocked };

/** Uses the code of the address if there is one; the address does not keep it. */
export async function enter(): Promise<boolean> {
  const code = codeOf(location.hash);
  if (code) {
    history.replaceState(null, '', location.pathname + location.search);
    try {
      await api.exchange(code);
    } catch (error) {
      return (await check()) || refuse(error);
    }
  }
  return check();
}

async function check(): Promise<boolean> {
  const found = await api.checkAccess();
  setAccess(found);
  if (found === 'granted') void api.meta().then(({ capabilities }) => setUnlocked(capabilities['insecureNoAuth'] === true), () => undefined);
  return found === 'granted';
}

function refuse(error: unknown): boolean {
  const code = codeOfFailure(error);
  setDetail(reason(error));
  setAccess(code === 'CODE_USED' ? 'code-used' : code === 'CODE_INVALID' ? 'code-invalid' : 'refused');
  return false;
}

/** A key that stops being good while the page is open. */
export function isLockedOut(): boolean {
  return connectionState().kind === 'unauthorised';
}

export function setLockedOut(): void {
  setAccess('refused');
}
