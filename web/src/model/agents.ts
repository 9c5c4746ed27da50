// What is shown of an agent. Owns the words and the mark; knows no element.

import type { AgentReport } from '../gen/contracts';

export type AgentMark = 'detecting' | 'ready' | 'signed-out' | 'missing' | 'broken';

export function markOf(agent: AgentReport): AgentMark {
  if (agent.state === 'missing') return 'missing';
  if (agent.problem) return 'broken';
  if (agent.loggedIn === false) return 'signed-out';
  return agent.state === 'detecting' ? 'detecting' : 'ready';
}

/** What is wrong, without what to do about it: that is a command beside it. */
export function shortProblem(agent: AgentReport): string | undefined {
  const text = agent.state === 'missing' ? agent.problem?.split('; ', 1)[0] : agent.problem;
  return text ? text.charAt(0).toUpperCase() + text.slice(1) : undefined;
}

/** The command that makes an agent usable. */
export function remedyOf(agent: AgentReport): string | undefined {
  const mark = markOf(agent);
  if (mark === 'missing') return agent.install;
  return mark === 'signed-out' || mark === 'broken' ? agent.signIn : undefined;
}

const ORDER: Record<AgentMark, number> = { ready: 0, detecting: 0, 'signed-out': 0, broken: 1, missing: 2 };

/** Those that can be used first. Detection moves no line among them. */
export function usableFirst(agents: readonly AgentReport[]): AgentReport[] {
  return agents.toSorted((one, other) => ORDER[markOf(one)] - ORDER[markOf(other)]);
}
