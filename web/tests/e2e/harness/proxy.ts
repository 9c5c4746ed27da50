/** A reverse proxy before the server that cuts sockets on demand. Knows frames of WebSockets, not what they say. */
import { createServer, request, type IncomingMessage, type Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ProxyOptions {
  /** The path below which the page is served, with a slash at both ends. */
  prefix?: string;
  /** Sockets on which nothing is said for so long are closed, as proxies do. */
  idleMs?: number;
}

export class Proxy {
  private readonly http: HttpServer;
  private readonly sockets = new Set<Socket>();
  private isDown = false;
  private cutAfter = Infinity;
  /** Frames from the server on all sockets. */
  frames = 0;
  upgrades = 0;
  /** Whether what the page says on its socket is lost on the way. */
  isDeaf = false;
  /** Whether what the server says is, too. */
  isMute = false;

  constructor(private readonly target: () => string, private readonly options: ProxyOptions = {}) {
    this.http = createServer((incoming, answer) => {
      if (this.isDown) return void incoming.socket.destroy();
      const onward = request(new URL(this.path(incoming), this.target()), { method: incoming.method, headers: this.headers(incoming), agent: false }, (found) => {
        answer.writeHead(found.statusCode ?? 502, found.headers);
        found.pipe(answer);
      });
      onward.on('error', () => incoming.socket.destroy());
      incoming.pipe(onward);
    });
    this.http.on('upgrade', (incoming, socket, head) => this.upgrade(incoming, socket as Socket, head));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.http.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}${this.options.prefix ?? ''}`;
  }

  /** From now on so many frames come through; then the network is gone. */
  cutAfterFrames(count: number): void {
    this.cutAfter = this.frames + count;
  }

  get isCut(): boolean {
    return this.isDown;
  }

  cut(): void {
    this.isDown = true;
    for (const socket of this.sockets) socket.destroy();
  }

  restore(): void {
    this.isDown = this.isDeaf = this.isMute = false;
    this.cutAfter = Infinity;
  }

  async stop(): Promise<void> {
    this.cut();
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  private path(incoming: IncomingMessage): string {
    const path = incoming.url ?? '/';
    const { prefix } = this.options;
    return prefix && path.startsWith(prefix) ? path.slice(prefix.length - 1) : path;
  }

  /** As usual behind a proxy: the server is addressed by its own name. */
  private headers(incoming: IncomingMessage): NodeJS.Dict<string | string[]> {
    const { host, origin } = new URL(this.target());
    return { ...incoming.headers, host, ...(incoming.headers.origin === undefined ? {} : { origin }) };
  }

  private upgrade(incoming: IncomingMessage, socket: Socket, head: Buffer): void {
    if (this.isDown) return void socket.destroy();
    this.upgrades += 1;
    const { hostname, port } = new URL(this.target());
    const onward = connect(Number(port), hostname);
    const lines = Object.entries(this.headers(incoming)).map(([name, value]) => `${name}: ${String(value)}`);
    onward.write(`GET ${this.path(incoming)} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    onward.write(head);
    this.join(socket, onward);
  }

  private join(socket: Socket, onward: Socket): void {
    const count = new FrameCounter();
    for (const [one, other] of [[socket, onward], [onward, socket]] as const) {
      this.sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
      if (this.options.idleMs !== undefined) one.setTimeout(this.options.idleMs, () => one.destroy());
    }
    socket.on('data', (data) => { if (!this.isDeaf) onward.write(data); });
    onward.on('data', (data) => this.pass(data, count, socket));
  }

  /** Frames before the cut arrive whole, and nothing of those behind it. */
  private pass(data: Buffer, count: FrameCounter, socket: Socket): void {
    if (this.isMute) return;
    const allowed = this.cutAfter - this.frames;
    const { frames, end } = count.read(data, allowed);
    this.frames += frames;
    if (frames < allowed) return void socket.write(data);
    socket.write(data.subarray(0, end), () => this.cut());
  }
}

/** Finds the ends of frames in what comes in pieces of any size. */
class FrameCounter {
  private rest = Buffer.alloc(0);
  private isUpgraded = false;
  /** Bytes of the frame that is being read which have not come yet. */
  private missing = 0;

  read(data: Buffer, most: number): { frames: number; end: number } {
    const held = this.rest.length;
    const all = Buffer.concat([this.rest, data]);
    let at = this.isUpgraded ? 0 : this.skipHead(all);
    let frames = 0;
    while (frames < most && at < all.length) {
      const length = this.missing || frameLength(all, at);
      if (length === undefined) break;
      if (at + length > all.length) {
        this.missing = at + length - all.length;
        at = all.length;
        break;
      }
      this.missing = 0;
      at += length;
      frames += 1;
    }
    this.rest = Buffer.from(all.subarray(at));
    return { frames, end: Math.max(0, at - held) };
  }

  private skipHead(all: Buffer): number {
    const end = all.indexOf('\r\n\r\n');
    if (end < 0) return 0;
    this.isUpgraded = true;
    return end + 4;
  }
}

/** Of an unmasked frame; nothing if its head is not whole. */
function frameLength(bytes: Buffer, at: number): number | undefined {
  if (bytes.length < at + 2) return undefined;
  const short = bytes.readUInt8(at + 1) & 0x7f;
  if (short < 126) return 2 + short;
  if (short === 126) return bytes.length < at + 4 ? undefined : 4 + bytes.readUInt16BE(at + 2);
  return bytes.length < at + 10 ? undefined : 10 + Number(bytes.readBigUInt64BE(at + 2));
}
