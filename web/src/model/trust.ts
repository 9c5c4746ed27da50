/** Which findings of a project concern an agent. The server decides; this only avoids asking in vain. */
import type { Finding } from '../gen/contracts';

/** Agents whose files are known one by one; any other must be expected to read everything. */
const KNOWN = ['claude-code', 'codex', 'gemini', 'opencode'];

/** Model APIs, which run no program in the project. */
const READ_NOTHING = ['anthropic', 'openai'];

export function concerning(findings: readonly Finding[], cliType: string): Finding[] {
  if (READ_NOTHING.includes(cliType)) return [];
  return findings.filter((finding) => !KNOWN.includes(cliType) || finding.agents.includes(cliType));
}
