/** A browser window with the page in it: what a user sees and does. Knows the page's test ids, not the server. */
import { expect, type Locator, type Page } from '@playwright/test';

export class Window {
  /** What no test may cause unless it says so. */
  readonly faults: string[] = [];
  private expected: RegExp[] = [];

  constructor(readonly page: Page) {
    page.on('pageerror', (error) => this.faults.push(`uncaught: ${error.name} ${error.message} ${error.stack}`));
    page.on('console', (message) => {
      if (message.type() === 'error') this.faults.push(`console: ${message.text()} (${message.location().url})`);
    });
  }

  /** The network's own complaints, in tests that break it. */
  expectFaults(...patterns: RegExp[]): void {
    this.expected.push(...patterns);
  }

  unexpectedFaults(): string[] {
    return this.faults.filter((fault) => !this.expected.some((pattern) => pattern.test(fault)));
  }

  async signIn(base: string, code: string): Promise<void> {
    await this.page.goto(new URL(`#c=${code}`, base).href);
    await expect(this.id('sidebar')).toBeVisible();
    await this.isConnected();
  }

  id(testId: string): Locator {
    return this.page.getByTestId(testId);
  }

  async isConnected(): Promise<void> {
    await expect(this.id('conn-pill')).toHaveAttribute('data-state', 'open');
  }

  async openSession(sessionId: string): Promise<Pane> {
    await this.listed(sessionId).getByRole('button').first().click();
    const pane = this.pane(sessionId);
    await expect(pane.root).toHaveClass(/\bshown\b/);
    await pane.isReady();
    return pane;
  }

  pane(sessionId: string): Pane {
    return new Pane(this.page, this.page.locator(`[data-testid="pane"][data-session="${sessionId}"]`));
  }

  listed(sessionId: string): Locator {
    return this.page.locator(`[data-testid="session-row"][data-session="${sessionId}"]`);
  }

  async addProject(path: string): Promise<void> {
    await this.page.getByTestId('add-project').or(this.page.getByTestId('welcome-add')).first().click();
    await this.id('project-path').fill(path);
    await this.id('confirm').click();
    await expect(this.id('project-path')).toBeHidden();
  }

  /** With the agent of that name, by the menu beside a project; gives the session's id. */
  async newSession(agent: string): Promise<Pane> {
    const before = await this.page.getByTestId('tab').count();
    await this.id('new-session-menu').first().click();
    await this.page.getByRole('menuitemradio', { name: agent }).or(this.page.getByRole('menuitem', { name: agent })).first().click();
    await expect(this.page.getByTestId('tab')).toHaveCount(before + 1);
    const shown = this.page.locator('[data-testid="pane"].shown');
    await expect(shown).toBeVisible();
    const pane = this.pane(await shown.getAttribute('data-session') as string);
    await pane.isReady();
    return pane;
  }
}

export class Pane {
  constructor(readonly page: Page, readonly root: Locator) {}

  id(testId: string): Locator {
    return this.root.getByTestId(testId);
  }

  async sessionId(): Promise<string> {
    return await this.root.getAttribute('data-session') as string;
  }

  get input(): Locator {
    return this.id('composer-input');
  }

  async isReady(): Promise<void> {
    await expect(this.id('transcript').or(this.id('nothing-said'))).toBeVisible();
  }

  async isIdle(timeout?: number): Promise<void> {
    await expect(this.root).toHaveAttribute('data-state', 'idle', timeout === undefined ? {} : { timeout });
    await expect(this.id('turn-status')).toHaveCount(0);
  }

  async isRunning(): Promise<void> {
    await expect(this.root).toHaveAttribute('data-state', 'running');
  }

  async send(text: string): Promise<void> {
    await this.input.fill(text);
    // A list of suggestions would take the key for itself.
    await this.id('send').click();
  }

  /** Says it, and waits for the end of the turn. */
  async turn(text: string): Promise<void> {
    const turns = this.root.locator('[data-testid="row"][data-kind="user"]', { hasText: text });
    await this.send(text);
    await expect(turns.last()).toBeVisible();
    await expect(turns.last().getByTestId('delivery')).toHaveCount(0);
    await this.isIdle();
  }

  rows(kind?: string): Locator {
    return this.root.locator(kind ? `[data-testid="row"][data-kind="${kind}"]` : '[data-testid="row"]');
  }

  /**
   * The keys of the rows that have elements, from top to bottom. A user's message is named by what it says: where it was
   * written, its row may keep the key that it had before the server knew of it.
   */
  keys(): Promise<string[]> {
    return this.rows().evaluateAll((rows) => rows.map((row) => {
      const { kind, key } = (row as HTMLElement).dataset;
      return kind === 'user' ? `user:${row.querySelector('.user-bubble')?.textContent}` : key ?? '';
    }));
  }
}
