/** The real program, started and stopped. Knows its command line and its HTTP, not the page. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HistoryPage, Project, SessionOpened, SessionStatus } from '../../../src/gen/contracts';
import { fakeAgent, liminal, type Place } from './place';
import { until } from './until';

export interface ServerOptions {
  /** TOML that is added to the configuration. */
  config?: string;
  /** Milliseconds between two pieces of the demo agent's texts. */
  pace?: number;
  environment?: Record<string, string>;
  /** `claude-code` is the agent that misbehaves on demand. */
  fake?: boolean;
  arguments?: string[];
}

const LISTENS = /(http:\/\/127\.0\.0\.1:\d+)\/#c=(\S+)/;

export class Server {
  private child: ChildProcess | undefined;
  private errors = '';
  url = '';
  code = '';

  constructor(readonly place: Place, readonly options: ServerOptions) {}

  async start(port = 0): Promise<void> {
    const { place, options } = this;
    const demo = `[agents.demo]\nargs = ["--pace", "${options.pace ?? 0}"]\n`;
    const config = place.write('config.toml', `${demo}${options.config ?? ''}`);
    const fake = options.fake ? ['--agent', `claude-code=${fakeAgent}`] : [];
    const words = ['serve', '--port', String(port), '--no-open', '--data-dir', place.data, '--config', config, ...fake, ...(options.arguments ?? [])];
    const environment = { PATH: process.env['PATH'] ?? '', HOME: place.home, LANG: 'C.UTF-8', FAKE_AGENT_LOG: join(place.root, 'agent.log'), ...options.environment };
    const child = spawn(liminal, words, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    child.stderr?.on('data', (data) => { this.errors += String(data); });
    const address = await new Promise<RegExpExecArray>((resolve, reject) => {
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
        const found = LISTENS.exec(line);
        if (found) resolve(found);
      });
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${this.errors}`)));
    });
    [this.url, this.code] = [address[1] as string, address[2] as string];
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get log(): string {
    return this.errors;
  }

  /** Ends it as a user does; nothing of it may stay. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
    await until('no process is left', () => this.place.processes().length === 0, () => JSON.stringify(this.place.processes()));
  }

  /** Ends it as the system does when it is out of memory. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  private get token(): string {
    return (JSON.parse(readFileSync(join(this.place.data, 'server.json'), 'utf8')) as { token: string }).token;
  }

  async call(method: string, path: string, body?: unknown): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.token}`, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
    return fetch(new URL(path, this.url), { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  }

  async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.call(method, path, body);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return await answer.json() as T;
  }

  async addProject(path: string, isTrusted = true): Promise<Project> {
    const project = await this.json<Project>('POST', '/api/projects', { path });
    return isTrusted ? this.json('POST', `/api/projects/${project.id}/trust`, { trusted: true }) : project;
  }

  async createSession(projectDir: string, cliType = 'demo'): Promise<string> {
    return (await this.json<SessionOpened>('POST', '/api/session/create', { cliType, projectDir })).sessionId;
  }

  status(sessionId: string): Promise<SessionStatus> {
    return this.json('GET', `/api/session/${encodeURIComponent(sessionId)}/status`);
  }

  send(sessionId: string, message: string, queue = false): Promise<unknown> {
    return this.json('POST', `/api/session/${encodeURIComponent(sessionId)}/send`, { message, queue });
  }

  async isIdle(sessionId: string): Promise<void> {
    await until(`${sessionId} is idle`, async () => (await this.status(sessionId)).state === 'idle');
  }

  /** Says it, and waits for the end of the turn. */
  async turn(sessionId: string, message: string): Promise<void> {
    await this.send(sessionId, message);
    await this.isIdle(sessionId);
  }

  /** All items in order, from all pages. */
  async history(sessionId: string): Promise<HistoryPage['entries']> {
    const entries: HistoryPage['entries'] = [];
    let before: number | undefined;
    do {
      const page: HistoryPage = await this.json('GET', `/api/session/${encodeURIComponent(sessionId)}/history?limit=1000${before === undefined ? '' : `&before=${before}`}`);
      entries.unshift(...page.entries);
      before = page.before;
    } while (before !== undefined);
    return entries;
  }

  /** What the fake agent was told, in order. */
  prompts(): string[] {
    const lines = this.place.read('agent.log').split('\n').filter(Boolean).map((line) => JSON.parse(line) as { prompt?: string });
    return lines.flatMap((line) => (line.prompt === undefined ? [] : [line.prompt]));
  }
}
