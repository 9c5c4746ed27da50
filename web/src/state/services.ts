/** The one connection to the server and what is built on it. Owns how the modules of the protocol meet the browser. */
import { createSignal } from 'solid-js';
import { createDraftFiles } from '../model/draft-files';
import { createDrafts } from '../model/drafts';
import { browserStorage, systemClock } from '../protocol/environment';
import { ApiProblem, createApi } from '../protocol/http';
import { browserBytes } from '../protocol/byte-store';
import { createOutbox } from '../protocol/outbox';
import { createUploads } from '../protocol/uploads';
import { createConnection, Refused, socketUrl, type ConnectionState, type SocketLike } from '../protocol/socket';
import { root } from './place';

const storage = browserStorage(localStorage);

export const api = createApi({ base: root.href, storage, fetch: (url, init) => fetch(url, init) });

export const connection = createConnection({
  url: socketUrl({ href: root.href }),
  key: () => api.key(),
  connect: (url, protocols) => new WebSocket(url, protocols) as unknown as SocketLike,
  clock: systemClock,
  random: Math.random,
  isOnline: () => navigator.onLine,
  isVisible: () => document.visibilityState === 'visible',
  checkAccess: () => api.checkAccess(),
});

/** Bytes of files that the server may not have yet. */
export const fileBytes = browserBytes(globalThis.indexedDB);
export const uploads = createUploads({ api, bytes: fileBytes });

export const outbox = createOutbox({ connection, storage, clock: systemClock, uploads, newId });

export const drafts = createDrafts({ storage, clock: systemClock });
export const draftFiles = createDraftFiles(storage);

const [connectionState, setConnectionState] = createSignal<ConnectionState>(connection.state());
connection.onState(setConnectionState);
export { connectionState };

/** Whether the connection was lost: what is shown may be old. Not while the page connects for the first time. */
export function isDisconnected(): boolean {
  const { kind } = connectionState();
  return kind !== 'open' && kind !== 'connecting';
}

export function startConnection(): void {
  addEventListener('online', () => connection.nudge('online'));
  addEventListener('offline', () => connection.nudge('offline'));
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') connection.nudge('visible');
    else drafts.flush();
  });
  addEventListener('pagehide', () => drafts.flush());
  connection.start();
}

/** `randomUUID` is there only on secure origins; a page behind a plain proxy may be none. */
export function newId(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What a failure says to people. The server writes for logs: in lower case. */
export function reason(error: unknown): string {
  const text = error instanceof ApiProblem || error instanceof Refused
    ? (error.problem.detail ?? error.problem.title)
    : error instanceof Error ? error.message : String(error);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The word that a failure is told apart by. */
export function codeOfFailure(error: unknown): string | undefined {
  return error instanceof ApiProblem || error instanceof Refused ? error.problem.code : undefined;
}
