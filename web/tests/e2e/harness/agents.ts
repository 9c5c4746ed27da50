/** The real agents and the model that answers them from a script. Knows how each is told where its model is. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { type Place, repository, scriptedModel } from './place';

const packages = join(repository, 'crates/liminal-builder/tests/agents/node_modules');
const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
const claudePackage = `@anthropic-ai/claude-code-linux-${architecture}/claude`;

/** The pinned versions of Claude Code. npm nests the newest below its alias. */
export const PINS = ['old', 'newest'] as const;
export type Pin = (typeof PINS)[number];
export const claude: Readonly<Record<Pin, string>> = {
  old: installed(claudePackage),
  newest: installed(`claude-code-newest/node_modules/${claudePackage}`),
};
const codexAdapter = installed('@agentclientprotocol/codex-acp/dist/index.js');

function installed(path: string): string {
  const file = join(packages, path);
  if (!existsSync(file)) throw new Error(`${file} is missing; run ./x test, which installs it`);
  return file;
}

/** Answers like a model's API, by keywords of the prompt. */
export class ScriptedModel {
  private child: ChildProcess | undefined;
  url = '';

  async start(): Promise<void> {
    const child = spawn(scriptedModel, ['0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.child = child;
    this.url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
        const found = /http:\/\/[\d.]+:\d+/.exec(line);
        if (found) resolve(found[0]);
      });
      child.once('exit', (code) => reject(new Error(`the model ended with ${code}`)));
    });
  }

  async stop(): Promise<void> {
    const child = this.child;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
  }
}

/** What Claude Code needs to ask the model, and nobody else. */
export function claudeEnvironment(model: ScriptedModel): Record<string, string> {
  return { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: 'any', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', CLAUDE_CODE_MAX_RETRIES: '1' };
}

/** Codex reads its directory from the environment that the server has too: there its sessions are found. */
function codexEnvironment(model: ScriptedModel): Record<string, string> {
  const config = {
    model: 'gpt-5.5',
    model_provider: 'scripted',
    model_reasoning_summary: 'auto',
    features: { plugins: false, default_mode_request_user_input: true },
    analytics: { enabled: false },
    check_for_update_on_startup: false,
    model_providers: { scripted: { name: 'Scripted', base_url: `${model.url}/v1`, wire_api: 'responses', request_max_retries: 1, stream_max_retries: 1 } },
  };
  return { CODEX_CONFIG: JSON.stringify(config), MODEL_PROVIDER: 'scripted', NO_BROWSER: '1' };
}

const table = (variables: Record<string, string>): string => `{ ${Object.entries(variables).map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(', ')} }`;

/** The part of the configuration that brings Codex. */
export function codexConfig(variables: Record<string, string> = {}): string {
  return `[agents.codex]\ncommand = "node"\nargs = [${JSON.stringify(codexAdapter)}]\nenv = ${table(variables)}\n`;
}

/** The part of the configuration that brings Claude Code. */
export function claudeConfig(model: ScriptedModel, pin: Pin): string {
  return `[agents.claude-code]\ncommand = ${JSON.stringify(claude[pin])}\nenv = ${table(claudeEnvironment(model))}\n`;
}

/** The part of the configuration that brings both agents. */
export function realAgents(model: ScriptedModel, place: Place, pin: Pin): string {
  place.directory('home/.codex');
  return `${claudeConfig(model, pin)}${codexConfig(codexEnvironment(model))}`;
}
