// Sockets whose other end is the test.

import type { ClientFrame, Problem, ServerMessage } from '../../../src/gen/contracts';
import { type Connection, type ConnectionOptions, createConnection, type SocketLike } from '../../../src/protocol/socket';
import { fakeClock, type FakeClock } from './clock';

export class FakeSocket implements SocketLike {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  onerror: (() => void) | null = null;
  readonly sent: ClientFrame[] = [];
  isClosed = false;

  constructor(readonly url: string, readonly protocols: string[]) {}

  send(text: string): void {
    this.sent.push(JSON.parse(text) as ClientFrame);
  }

  close(): void {
    this.isClosed = true;
  }

  accept(): void {
    this.onopen?.();
  }

  say(frame: ServerMessage): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }

  /** The other end goes away. */
  end(code = 1006): void {
    this.onclose?.({ code });
  }

  last(): ClientFrame | undefined {
    return this.sent.at(-1);
  }

  /** Frames of one type. */
  of(type: ClientFrame['type']): ClientFrame[] {
    return this.sent.filter((frame) => frame.type === type);
  }

  ok(frame: ClientFrame | undefined, answer: { turnId?: string; queued?: { id: string; message: string } } = {}): void {
    this.say({ type: 'ok', requestId: frame?.requestId ?? '', ...answer });
  }

  refuse(frame: ClientFrame | undefined, code: Problem['code'], instance?: string): void {
    this.say({ type: 'error', requestId: frame?.requestId ?? '', problem: { type: 'about:blank', title: 'no', status: 409, code, ...(instance === undefined ? {} : { instance }) } });
  }
}

export type World = {
  readonly connection: Connection;
  readonly clock: FakeClock;
  readonly sockets: FakeSocket[];
  /** The newest one. */
  socket(): FakeSocket;
  isOnline: boolean;
  isVisible: boolean;
  key: string | undefined;
  access: 'granted' | 'refused' | 'unreachable';
};

export function world(options: Partial<ConnectionOptions> = {}): World {
  const clock = fakeClock();
  const sockets: FakeSocket[] = [];
  const self: World = {
    clock, sockets, isOnline: true, isVisible: true, key: 'secret', access: 'granted',
    socket: () => sockets.at(-1)!,
    connection: createConnection({
      url: 'ws://localhost:1/ws', clock,
      key: () => self.key,
      connect: (url, protocols) => {
        const socket = new FakeSocket(url, protocols);
        sockets.push(socket);
        return socket;
      },
      random: () => 0.5,
      isOnline: () => self.isOnline,
      isVisible: () => self.isVisible,
      checkAccess: () => Promise.resolve(self.access),
      ...options,
    }),
  };
  return self;
}

export function openWorld(options: Partial<ConnectionOptions> = {}): World {
  const self = world(options);
  self.connection.start();
  self.socket().accept();
  return self;
}
