/** What every test starts with: `world`, a machine with a running server, and windows that look at it. */
import { test as base, type Browser, type BrowserContextOptions, expect } from '@playwright/test';
import { clause } from './harness/clause';
import { servePageFromDisk } from './harness/page-on-disk';
import { Place } from './harness/place';
import { Proxy, type ProxyOptions } from './harness/proxy';
import { Server, type ServerOptions } from './harness/server';
import { Window } from './harness/window';

export { expect } from '@playwright/test';
export { clause } from './harness/clause';
export { gate } from './harness/gate';
export { HANG, until } from './harness/until';
export { Pane, Window } from './harness/window';
export { Proxy } from './harness/proxy';

export class World {
  readonly place = new Place();
  server: Server;
  private proxies: Proxy[] = [];
  private windows: Window[] = [];
  private isSignedIn = false;

  constructor(private readonly browser: Browser) {
    this.server = new Server(this.place, {});
  }

  async start(options: ServerOptions = {}): Promise<Server> {
    this.server = new Server(this.place, options);
    await this.server.start();
    return this.server;
  }

  /** The same machine after the end of its server; the address stays. */
  async startAgain(): Promise<void> {
    const port = Number(new URL(this.server.url).port);
    this.server = new Server(this.place, this.server.options);
    await this.server.start(port);
    this.isSignedIn = false;
  }

  async proxy(options: ProxyOptions = {}): Promise<Proxy> {
    const proxy = new Proxy(() => this.server.url, options);
    await proxy.start();
    this.proxies.push(proxy);
    return proxy;
  }

  /** Another browser: it has its own cookie and storage, and signs in. */
  async window(at: string = this.server.url): Promise<Window> {
    const window = await this.blank();
    await window.signIn(at, await this.code());
    return window;
  }

  /** Another browser, which nobody has invited. */
  async stranger(): Promise<Window> {
    const window = await this.blank();
    await window.page.goto(this.server.url);
    return window;
  }

  /** A telephone: a finger, and little room. */
  async phone(): Promise<Window> {
    const window = await this.blank({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 780 } });
    await window.page.goto(new URL(`#c=${await this.code()}`, this.server.url).href);
    await expect(window.id('drawer')).toBeVisible();
    return window;
  }

  private async blank(options: BrowserContextOptions = {}): Promise<Window> {
    const context = await this.browser.newContext(options);
    await servePageFromDisk(context);
    const window = new Window(await context.newPage());
    this.windows.push(window);
    return window;
  }

  /** Another tab of the same browser, which is signed in already. */
  async tab(of: Window): Promise<Window> {
    const window = new Window(await of.page.context().newPage());
    this.windows.push(window);
    await window.page.goto(of.page.url());
    await expect(window.id('sidebar')).toBeVisible();
    await window.isConnected();
    return window;
  }

  /** A code is good for one browser. */
  private async code(): Promise<string> {
    if (!this.isSignedIn) {
      this.isSignedIn = true;
      return this.server.code;
    }
    const { url } = await this.server.json<{ url: string }>('POST', '/auth/code');
    return url.split('#c=')[1] as string;
  }

  async end(): Promise<void> {
    const faults = this.windows.flatMap((window) => window.unexpectedFaults());
    for (const window of this.windows) await window.page.context().close();
    for (const proxy of this.proxies) await proxy.stop();
    await this.server.stop();
    this.place.remove();
    await clause('59c', () => expect(faults).toEqual([]));
  }
}

export const test = base.extend<{ world: World }>({
  world: async ({ browser }, use) => {
    const world = new World(browser);
    await use(world);
    await world.end();
  },
});
