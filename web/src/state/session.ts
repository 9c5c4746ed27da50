/** One open session as components read it. Owns the step from what the socket tells to signals, at most once a frame. */
import { batch, createSignal, type Accessor } from 'solid-js';
import { createStore } from 'solid-js/store';
import type { HistoryPage, SessionStatus } from '../gen/contracts';
import { backgroundCount } from '../model/background';
import type { GapSide } from '../model/gap';
import { createProjector, type Projection } from '../model/rows';
import type { SessionLog } from '../model/session-log';
import type { SessionView } from '../protocol/frames';
import type { HistoryQuery } from '../protocol/http';
import type { Outgoing } from '../protocol/outbox';
import { createSubscriptions, type CaughtUp } from '../protocol/subscriptions';
import { noteBackground } from './background';
import { api, connection, outbox, reason } from './services';
import { attempt } from './toasts';

export interface OpenSession {
  readonly id: string;
  readonly projection: Accessor<Projection>;
  readonly view: Accessor<SessionView | undefined>;
  readonly outgoing: Accessor<readonly Outgoing[]>;
  readonly status: Accessor<SessionStatus | undefined>;
  readonly isLoaded: Accessor<boolean>;
  /** Whether what is shown came since somebody began to show it, and is not from an earlier time. */
  readonly isFresh: Accessor<boolean>;
  readonly hasOlder: Accessor<boolean>;
  readonly isLoadingOlder: Accessor<boolean>;
  readonly seq: Accessor<number>;
  readonly problem: Accessor<string | undefined>;
  readonly caughtUp: Accessor<CaughtUp | undefined>;
  /** When the agent was last heard, in milliseconds since 1970. */
  readonly heardAt: Accessor<number>;
  /** What the user opened or closed, by row. Outlives the rows' elements. */
  readonly isExpanded: (key: string) => boolean | undefined;
  readonly setExpanded: (key: string, value: boolean) => void;
  /** Where the transcript was left. */
  place: { key: string; offset: number } | undefined;
  log(): SessionLog | undefined;
  refreshStatus(): void;
  loadOlder(): Promise<void>;
  /** Brings an item that is not here, with those about it. */
  loadAround(itemId: string): Promise<void>;
  /** Brings more of what is missing between two parts. */
  loadGap(side: GapSide): Promise<void>;
  retry(): void;
}

/** Rows that come with the first answer; older ones are asked for when they are scrolled to. */
const WINDOW = 200;
const EMPTY: Projection = { rows: [], plan: undefined, pending: [], waiting: undefined };

interface Kept extends OpenSession {
  users: number;
  release: (() => void) | undefined;
  changed(): void;
  left(): void;
  refused(message: string): void;
  wasCut(event: CaughtUp): void;
}

const kept = new Map<string, Kept>();

const subscriptions = createSubscriptions({
  connection,
  window: WINDOW,
  onChange: (sessionId) => kept.get(sessionId)?.changed(),
  onCaughtUp: (event) => kept.get(event.sessionId)?.wasCut(event),
  onRefused: (sessionId, error) => kept.get(sessionId)?.refused(reason(error)),
});

outbox.onChange((sessionId) => kept.get(sessionId)?.changed());

/** The session, for as long as somebody shows it. */
export function useSession(id: string): { session: OpenSession; release: () => void } {
  const session = kept.get(id) ?? make(id);
  kept.set(id, session);
  session.users += 1;
  if (session.users === 1) session.retry();
  return { session, release: () => letGo(session) };
}

function letGo(session: Kept): void {
  session.users -= 1;
  if (session.users > 0) return;
  session.release?.();
  session.release = undefined;
  session.left();
}

/** A paint at most; a page in the background has no frames, and nobody who looks. */
function nextFrame(run: () => void): void {
  if (document.visibilityState === 'visible') requestAnimationFrame(run);
  else setTimeout(run, 100);
}

function make(id: string): Kept {
  const project = createProjector();
  const [projection, setProjection] = createSignal<Projection>(EMPTY);
  const [view, setView] = createSignal<SessionView>();
  const [outgoing, setOutgoing] = createSignal<readonly Outgoing[]>([]);
  const [status, setStatus] = createSignal<SessionStatus>();
  const [isLoaded, setLoaded] = createSignal(false);
  const [isFresh, setFresh] = createSignal(false);
  const [hasOlder, setHasOlder] = createSignal(false);
  const [isLoadingOlder, setLoadingOlder] = createSignal(false);
  const [seq, setSeq] = createSignal(0);
  const [problem, setProblem] = createSignal<string>();
  const [caughtUp, setCaughtUp] = createSignal<CaughtUp>();
  const [heardAt, setHeardAt] = createSignal(Date.now());
  const [expanded, setExpanded] = createStore<Record<string, boolean>>({});
  let isDue = false;

  const read = (): void => {
    isDue = false;
    const log = subscriptions.log(id);
    if (!log) return;
    setView(log.view);
    if (self.users > 0) noteBackground(id, backgroundCount(log.view));
    // What was shown before stays until there is something newer.
    if (!log.isLoaded) return;
    if (log.view) outbox.queueIs(id, log.view.queue);
    for (const turn of deliveredTurns(log, outbox.entries(id))) outbox.delivered(id, turn);
    batch(() => {
      setOutgoing(outbox.entries(id));
      setFresh(true);
      setProjection(project({ log, view: log.view, outgoing: outbox.entries(id) }));
      setLoaded(true);
      setHasOlder(log.before !== undefined);
      if (log.seq !== seq()) setHeardAt(Date.now());
      setSeq(log.seq);
    });
  };

  const load = async (): Promise<void> => {
    setProblem(undefined);
    try {
      await api.loadSession(id);
      self.release ??= subscriptions.acquire(id);
      setStatus(await api.sessionStatus(id));
    } catch (error) {
      setProblem(reason(error));
    }
  };

  /** One page at a time: each begins where the one before ended. */
  const page = async (query: (log: SessionLog) => HistoryQuery | undefined | 0, put: (log: SessionLog, found: HistoryPage) => unknown): Promise<void> => {
    const log = subscriptions.log(id);
    const wanted = log && query(log);
    if (!wanted || isLoadingOlder()) return;
    setLoadingOlder(true);
    try {
      put(log, await api.history(id, { ...wanted, limit: WINDOW }));
      read();
    } finally {
      setLoadingOlder(false);
    }
  };

  const self: Kept = {
    id, projection, view, outgoing, status, isLoaded, isFresh, hasOlder, isLoadingOlder, seq, problem, caughtUp, heardAt,
    users: 0,
    release: undefined,
    place: undefined,
    isExpanded: (key) => expanded[key],
    setExpanded: (key, value) => setExpanded(key, value),
    log: () => subscriptions.log(id),
    changed: () => {
      if (isDue) return;
      isDue = true;
      nextFrame(read);
    },
    left: () => {
      setFresh(false);
      noteBackground(id, undefined);
    },
    refused: setProblem,
    wasCut: (event) => {
      setCaughtUp(event);
      setTimeout(() => setCaughtUp((shown) => (shown === event ? undefined : shown)), 2000);
    },
    refreshStatus: () => attempt('The session could not be read', async () => setStatus(await api.sessionStatus(id))),
    loadOlder: () => page(({ before }) => before && { before }, (log, found) => log.prepend(found)),
    loadAround: (around) => page(() => ({ around }), (log, found) => log.around(found)),
    loadGap: (side) => page(({ gap }) => gap && (side === 'older' ? { after: gap.after } : { before: gap.before }), (log, found) => log.fill(found, side)),
    retry: () => void load(),
  };
  return self;
}

/** Turns of sent messages whose user message the log shows. */
function deliveredTurns(log: SessionLog, entries: readonly Outgoing[]): string[] {
  const turns = entries.flatMap(({ delivery }) => (delivery.kind === 'accepted' ? [delivery.turnId] : []));
  if (turns.length === 0) return [];
  const shown = new Set<string>();
  for (const { state } of log.items.values()) if (state.type === 'message' && state.origin === 'user') shown.add(state.turnId);
  return turns.filter((turn) => shown.has(turn));
}
