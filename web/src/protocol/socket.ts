// The one socket of a page: opens it, keeps it, notices when it is dead, and answers questions over it. Knows nothing of
// what sessions say.

import type { Problem, ServerMessage } from '../gen/contracts';
import { backoff, createPacer, type Pacer } from './backoff';
import type { Cancel, Clock } from './environment';
import type { ClientMessage, OkFrame } from './frames';
import { Disconnected, Requests } from './requests';

export { Disconnected, Refused, Unanswered } from './requests';

export type ConnectionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  | { readonly kind: 'reconnecting'; readonly attempt: number; readonly nextTryAt: number }
  /** The browser says that there is no network. Attempts go on: the server may be on this machine. */
  | { readonly kind: 'offline' }
  | { readonly kind: 'unauthorised' };

/** The part of `WebSocket` that is used. */
export type SocketLike = {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  onerror: (() => void) | null;
  send(text: string): void;
  close(code?: number): void;
};

export type ConnectionOptions = {
  readonly url: string;
  /** The browser's key; asked for at each attempt, because it may have been renewed. */
  key(): string | undefined;
  connect(url: string, protocols: string[]): SocketLike;
  readonly clock: Clock;
  /** From 0 up to 1. */
  random(): number;
  isOnline(): boolean;
  isVisible(): boolean;
  /** Asked after an attempt that never opened: a browser does not tell why an upgrade was refused. */
  checkAccess(): Promise<'granted' | 'refused' | 'unreachable'>;
};

/** `retry`: the user does not want to wait, or there is a new key. */
export type Nudge = 'online' | 'offline' | 'visible' | 'retry';

export type Connection = {
  state(): ConnectionState;
  start(): void;
  stop(): void;
  nudge(why: Nudge): void;
  /** Rejects with `Refused`, `Disconnected` or `Unanswered`. */
  request(message: ClientMessage): Promise<OkFrame>;
  onFrame(listener: (frame: ServerMessage) => void): Cancel;
  onState(listener: (state: ConnectionState) => void): Cancel;
};

const OPENING = 10_000;
/** A socket that lived this long was a good one: the next attempt is the first again. */
const SETTLED = 5_000;
const TICK = 5_000;
/** With the patience below it makes 45 seconds without a frame. */
const SILENCE = 30_000;
const PATIENCE = 15_000;
/** For when somebody looks and waits. */
const SHORT_PATIENCE = 3_000;
const UNAUTHORISED = 4401;
/** The server closes the socket over a larger one, and would do so again each time it is repeated. */
const LARGEST_FRAME = 1024 * 1024;
const TOO_LARGE: Problem = {
  type: 'about:blank', title: 'too large', status: 413, code: 'BODY_TOO_LARGE', detail: 'this is more than 1 MiB: put it into a file and name that',
};

/**
 * Asks for an answer on this very socket, and changes nothing: nobody is subscribed to it, so leaving it is answered by
 * `ok` or `error`, either of which proves that both directions work. `GET /healthz` would take another connection, and
 * find a server well whose socket to this page is long dead.
 */
const PROBE: ClientMessage = { type: 'session:unsubscribe', sessionId: 'liminal:probe' };

/** `ws(s)://…/ws` beside the page. */
export function socketUrl(page: { readonly href: string }): string {
  const url = new URL('ws', page.href);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.hash = '';
  return url.href;
}

export function createConnection(options: ConnectionOptions): Connection {
  return new SocketConnection(options);
}

class SocketConnection implements Connection {
  private current: ConnectionState = { kind: 'connecting' };
  private frameListeners = new Set<(frame: ServerMessage) => void>();
  private stateListeners = new Set<(state: ConnectionState) => void>();
  private requests: Requests;
  private socket: SocketLike | undefined;
  private pacer: Pacer | undefined;
  private timer: Cancel | undefined;
  private isRunning = false;
  private attempt = 0;
  private openedAt: number | undefined;
  private heardAt = 0;
  private probeUntil: number | undefined;

  constructor(private options: ConnectionOptions) {
    this.requests = new Requests(options.clock);
  }

  state(): ConnectionState {
    return this.current;
  }

  start(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    this.become({ kind: 'connecting' });
    this.open();
  }

  stop(): void {
    this.isRunning = false;
    this.drop();
  }

  nudge(why: Nudge): void {
    if (!this.isRunning) return;
    if (this.current.kind === 'open') this.probe(SHORT_PATIENCE);
    else if (why === 'offline' && this.current.kind === 'reconnecting') this.become({ kind: 'offline' });
    else if (why === 'retry' || (why !== 'offline' && this.current.kind !== 'unauthorised')) this.tryNow();
  }

  request(message: ClientMessage): Promise<OkFrame> {
    if (this.current.kind !== 'open') return Promise.reject(new Disconnected());
    const { requestId, answer } = this.requests.begin();
    const text = JSON.stringify({ requestId, ...message });
    if (isTooLarge(text)) this.requests.answered({ type: 'error', requestId, problem: TOO_LARGE });
    else this.pacer?.send(text);
    return answer;
  }

  onFrame(listener: (frame: ServerMessage) => void): Cancel {
    this.frameListeners.add(listener);
    return () => this.frameListeners.delete(listener);
  }

  onState(listener: (state: ConnectionState) => void): Cancel {
    this.stateListeners.add(listener);
    return () => this.stateListeners.delete(listener);
  }

  private become(state: ConnectionState): void {
    this.current = state;
    for (const listener of [...this.stateListeners]) listener(state);
  }

  private tryNow(): void {
    if (this.socket) return;
    this.timer?.();
    if (this.current.kind === 'unauthorised') this.become({ kind: 'connecting' });
    this.open();
  }

  private open(): void {
    const key = this.options.key();
    // Without one it is the server's to say no: it may ask nobody for credentials.
    const socket = this.options.connect(this.options.url, key === undefined ? ['liminal.v1'] : ['liminal.v1', `key.${key}`]);
    this.socket = socket;
    socket.onopen = () => this.opened(socket);
    socket.onmessage = ({ data }) => this.heard(data);
    socket.onclose = ({ code }) => this.closed(code);
    // `close` always follows, with the code.
    socket.onerror = null;
    this.timer = this.options.clock.after(OPENING, () => this.closed(0));
  }

  private opened(socket: SocketLike): void {
    this.openedAt = this.heardAt = this.options.clock.now();
    this.pacer = createPacer(this.options.clock, (text) => socket.send(text));
    this.timer?.();
    this.watch();
    this.become({ kind: 'open' });
  }

  private heard(data: unknown): void {
    this.heardAt = this.options.clock.now();
    this.probeUntil = undefined;
    const frame = parsed(data);
    if (!frame) return;
    this.requests.answered(frame);
    for (const listener of [...this.frameListeners]) listener(frame);
  }

  private closed(code: number): void {
    const hadOpened = this.openedAt !== undefined;
    if (hadOpened && this.options.clock.now() - (this.openedAt ?? 0) >= SETTLED) this.attempt = 0;
    this.drop();
    if (!this.isRunning) return;
    if (code === UNAUTHORISED) return this.become({ kind: 'unauthorised' });
    this.schedule();
    if (!hadOpened) void this.askWhy();
  }

  /** Lets go of the socket without waiting for a dead one to say so. */
  private drop(): void {
    const socket = this.socket;
    this.socket = undefined;
    this.openedAt = this.probeUntil = undefined;
    this.timer?.();
    this.timer = undefined;
    this.pacer?.stop();
    this.pacer = undefined;
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    }
    this.requests.lost();
  }

  private schedule(): void {
    const { clock, random, isOnline } = this.options;
    this.attempt += 1;
    const wait = backoff(this.attempt, random());
    this.timer = clock.after(wait, () => this.open());
    if (!isOnline()) return this.become({ kind: 'offline' });
    this.become({ kind: 'reconnecting', attempt: this.attempt, nextTryAt: clock.now() + wait });
  }

  private async askWhy(): Promise<void> {
    const access = await this.options.checkAccess();
    if (access !== 'refused' || !this.isRunning || this.current.kind === 'open') return;
    this.drop();
    this.become({ kind: 'unauthorised' });
  }

  private watch(): void {
    this.timer = this.options.clock.after(TICK, () => {
      this.look();
      if (this.current.kind === 'open') this.watch();
    });
  }

  // A hidden page's timers are slowed down, and nobody waits for it.
  private look(): void {
    const now = this.options.clock.now();
    if (!this.options.isVisible()) this.probeUntil = undefined;
    else if (this.probeUntil !== undefined && now >= this.probeUntil) this.closed(0);
    else if (now - this.heardAt >= SILENCE) this.probe(PATIENCE);
  }

  private probe(patience: number): void {
    const until = this.options.clock.now() + patience;
    const isAsked = this.probeUntil !== undefined;
    this.probeUntil = Math.min(this.probeUntil ?? Infinity, until);
    if (!isAsked) this.request(PROBE).catch(() => undefined);
    if (patience === SHORT_PATIENCE) this.checkAfter(patience);
  }

  private checkAfter(patience: number): void {
    const socket = this.socket;
    this.options.clock.after(patience, () => {
      if (this.socket === socket && this.current.kind === 'open') this.look();
    });
  }
}

// A character takes three bytes at most.
function isTooLarge(text: string): boolean {
  return text.length * 3 > LARGEST_FRAME && new TextEncoder().encode(text).length > LARGEST_FRAME;
}

function parsed(data: unknown): ServerMessage | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const frame: unknown = JSON.parse(data);
    return typeof frame === 'object' && frame !== null && 'type' in frame ? (frame as ServerMessage) : undefined;
  } catch {
    return undefined;
  }
}
