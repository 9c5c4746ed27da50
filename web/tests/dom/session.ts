/** A session whose content the test decides. */
import { createSignal } from 'solid-js';
import { createStore } from 'solid-js/store';
import type { PermissionBody, Upsert } from '../../src/gen/contracts';
import { createProjector } from '../../src/model/rows';
import { createSessionLog } from '../../src/model/session-log';
import type { SessionView } from '../../src/protocol/frames';
import type { OpenSession } from '../../src/state/session';

export const ID = 'demo:1';
const AT = '2026-01-01T00:00:00Z';

export function view(change: Partial<SessionView> = {}): SessionView {
  return {
    state: 'idle', isAlive: true, pending: [], queue: [],
    agent: { abilities: { models: [], commands: [], permissionModes: [], options: [], attachments: { images: false, files: false }, steer: false }, unknownLines: 0 },
    ...change,
  };
}

type Body = Upsert extends infer U ? (U extends Upsert ? Omit<U, 'turnId' | 'sessionId' | 'sourceTimestamp' | 'emittedAt'> : never) : never;

export function item(body: Body): Upsert {
  return { turnId: 't1', sessionId: ID, sourceTimestamp: AT, emittedAt: AT, ...body } as Upsert;
}

export function message(itemId: string, content: string, more: { origin?: 'user' | 'agent'; status?: Upsert['status'] } = {}): Upsert {
  return item({ itemId, status: more.status ?? 'complete', type: 'message', origin: more.origin ?? 'agent', content } as Body);
}

export function permission(itemId: string, body: Partial<PermissionBody> = {}): Upsert {
  const options: PermissionBody['options'] = [
    { optionId: 'always', name: 'Always', kind: 'allow_always' },
    { optionId: 'once', name: 'Once', kind: 'allow_once' },
    { optionId: 'no', name: 'No', kind: 'reject_once' },
  ];
  return item({ itemId, status: 'create', type: 'permission', callId: 'c1', title: 'Run it?', toolName: 'Bash', input: { command: 'touch proof' }, acceptsReason: true, options, ...body } as Body);
}

/** The session and the ways to change what it holds. */
export function fakeSession(first: SessionView = view()) {
  const log = createSessionLog(ID);
  const project = createProjector();
  let seq = 0;
  const [shown, setShown] = createSignal(first);
  const [projection, setProjection] = createSignal(project({ log, view: first, outgoing: [] }));
  const [expanded, setExpanded] = createStore<Record<string, boolean>>({});
  const refresh = (): void => void setProjection(project({ log, view: shown(), outgoing: [] }));
  log.apply({ type: 'session:subscribed', sessionId: ID, resume: 'reset', epoch: 'e', seq: 0, ...first });
  log.apply({ type: 'session:history', sessionId: ID, entries: [], turns: [], seq: 0 });
  const session: OpenSession = {
    id: ID, projection, view: shown, outgoing: () => [], status: () => undefined, isLoaded: () => true, isFresh: () => true, hasOlder: () => false, isLoadingOlder: () => false,
    seq: () => seq, problem: () => undefined, caughtUp: () => undefined, heardAt: () => Date.now(),
    isExpanded: (key) => expanded[key], setExpanded: (key, value) => setExpanded(key, value),
    place: undefined, log: () => log, refreshStatus: () => undefined, loadOlder: () => Promise.resolve(), loadAround: () => Promise.resolve(), loadGap: () => Promise.resolve(), retry: () => undefined,
  };
  return {
    session,
    setView: (next: SessionView) => {
      setShown(next);
      refresh();
    },
    tell: (payload: Upsert, at?: number) => {
      seq = at ?? seq + 1;
      log.apply({ type: 'session:upsert', sessionId: ID, seq, firstSeq: log.items.has(payload.itemId) ? 1 : seq, payload });
      refresh();
    },
  };
}
