/** What agents leave on disk, in their own format. Knows no server. */
import type { Place } from './place';

const slug = (path: string): string => path.replace(/[^a-zA-Z0-9]/g, '-');
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();

/** Claude Code makes ids of version 4, Codex of version 7. */
export const idOf = (number: number, version: 4 | 7): string => `${String(number).padStart(8, '0')}-2222-${version}333-8444-555555555555`;

export const lines = (all: unknown[]): string => all.map((line) => `${JSON.stringify(line)}\n`).join('');

export function claudeLine(cwd: string, sessionId: string, number: number, type: 'user' | 'assistant', content: unknown): unknown {
  return {
    parentUuid: number === 1 ? null : `${sessionId}-${number - 1}`, uuid: `${sessionId}-${number}`, type, sessionId, cwd, timestamp: at(number), isSidechain: false, version: '2.1.197',
    message: type === 'user' ? { role: 'user', content } : { id: `msg_${number}`, role: 'assistant', model: 'claude-opus-4-8', content: [content] },
  };
}

export function claudeFile(place: Place, cwd: string, id: string, text: string): string {
  return place.write(`home/.claude/projects/${slug(cwd)}/${id}.jsonl`, text);
}

/** A prompt, a thought, a call with its result, and an answer. */
export function claudeSession(place: Place, cwd: string, number: number, prompt: string, output = 'in the file'): string {
  const id = idOf(number, 4);
  const call = { type: 'tool_use', id: `toolu_${number}`, name: 'Bash', input: { command: 'cat a.txt' } };
  return claudeFile(place, cwd, id, lines([
    claudeLine(cwd, id, 1, 'user', prompt),
    claudeLine(cwd, id, 2, 'assistant', { type: 'thinking', thinking: 'Let me look.', signature: '' }),
    claudeLine(cwd, id, 3, 'assistant', call),
    claudeLine(cwd, id, 4, 'user', [{ type: 'tool_result', tool_use_id: call.id, content: output }]),
    claudeLine(cwd, id, 5, 'assistant', { type: 'text', text: `answer to ${prompt}` }),
  ]));
}

export function codexSession(place: Place, cwd: string, number: number, prompt: string): void {
  const id = idOf(number, 7);
  const line = (second: number, type: string, payload: unknown): unknown => ({ timestamp: at(second), type, payload });
  place.write(`home/.codex/sessions/2026/01/02/rollout-2026-01-01T00-00-00-${id}.jsonl`, lines([
    line(0, 'session_meta', { id, cwd, source: 'cli', model_provider: 'openai' }),
    line(1, 'turn_context', { cwd, model: 'gpt-5.5' }),
    line(2, 'event_msg', { type: 'user_message', message: prompt }),
    line(3, 'event_msg', { type: 'agent_message', message: `answer to ${prompt}` }),
  ]));
}
