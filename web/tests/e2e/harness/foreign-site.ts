/** Another server on this machine, such as one that an agent started, with a page that means no good. Knows nothing of ours but the
 * address that the page is told. */
import { createServer, type IncomingMessage, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = '<!doctype html><title>Another page</title><body><script type="module" src="/page.mjs"></script>';
const script = readFileSync(join(import.meta.dirname, '../foreign-page.mjs'));

export interface Victim {
  target: string;
  session: string;
  project: string;
}

export class ForeignSite {
  /** The cookies that browsers sent with requests for the page. */
  readonly cookies: string[] = [];
  /** By what was tried, what the page saw of it. */
  readonly report: Promise<Record<string, string>>;
  private readonly server: HttpServer;
  private reported: (seen: Record<string, string>) => void = () => undefined;

  constructor(private readonly host: string) {
    this.report = new Promise((resolve) => { this.reported = resolve; });
    this.server = createServer((request, response) => {
      if (request.url === '/report') void this.take(request).then(() => response.end());
      else if (request.url === '/page.mjs') response.setHeader('Content-Type', 'text/javascript').end(script);
      else {
        this.cookies.push(request.headers.cookie ?? '');
        response.setHeader('Content-Type', 'text/html').end(page);
      }
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => { this.server.listen(0, this.host, resolve); });
  }

  /** Where the page is, told whom to harm. */
  address(victim: Victim): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://${this.host}:${port}/?${new URLSearchParams({ ...victim })}`;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => { this.server.close(resolve); this.server.closeAllConnections(); });
  }

  private async take(request: IncomingMessage): Promise<void> {
    let text = '';
    for await (const part of request) text += String(part);
    this.reported(JSON.parse(text) as Record<string, string>);
  }
}
