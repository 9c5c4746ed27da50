import type { Problem, ServerMessage } from '../gen/contracts';
import type { Cancel, Clock } from './environment';
import type { ClientMessage, OkFrame } from './frames';

export type ConnectionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  | { readonly kind: 'reconnecting'; readonly attempt: number; readonly nextTryAt: number }
  | { readonly kind: 'offline' }
  | { readonly kind: 'unauthorised' };

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

export type Nudge = 'online' | 'offline' | 'visible' | 'retry';

export type Connection = {
  state(): ConnectionState;
  start(): void;
  stop(): void;
  nudge(why: Nudge): void;
  /** Rejects with `Refused` or `Disconnected`. */
  request(message: ClientMessage): Promise<OkFrame>;
  onFrame(listener: (frame: ServerMessage) => void): Cancel;
  onState(listener: (state: ConnectionState) => void): Cancel;
};

export declare class Disconnected extends Error {}
export declare class Refused extends Error {
  readonly problem: Problem;
}

export declare function createConnection(options: ConnectionOptions): Connection;
/** `ws(s)://…/ws` beside the page. */
export declare function socketUrl(location: { href: string }): string;
