// Makes frames of one session as the server would send them.

import type { Upsert } from '../../../src/gen/contracts';
import type {
  AppendFrame, HistoryFrame, SessionView, StateFrame, SubscribedFrame, TurnFrame, UpsertFrame,
} from '../../../src/protocol/frames';

export const SESSION = 'claude-code:1';

export const idleView: SessionView = {
  state: 'idle', isAlive: true, pending: [], queue: [],
  agent: { abilities: { models: [], commands: [], permissionModes: [], options: [], attachments: { images: false, files: false }, steer: false }, unknownLines: 0 },
};

type Common = 'turnId' | 'sessionId' | 'itemId' | 'sourceTimestamp' | 'emittedAt' | 'status';

export function timeAt(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
}

export function common(itemId: string, status: Upsert['status'] = 'complete', turnId = 't1', at = 0): Pick<Upsert, Common> {
  return { turnId, sessionId: SESSION, itemId, sourceTimestamp: timeAt(at), emittedAt: timeAt(at), status };
}

export function message(
  itemId: string, content: string, status: Upsert['status'] = 'complete', origin: 'user' | 'agent' | 'system' = 'agent', turnId = 't1',
): Upsert {
  return { ...common(itemId, status, turnId), type: 'message', origin, content };
}

export function tool(itemId: string, fields: Partial<Extract<Upsert, { type: 'tool_call' }>> = {}): Upsert {
  return {
    ...common(itemId), type: 'tool_call', toolName: 'Read', toolArguments: { file_path: itemId }, callId: `call-${itemId}`,
    kind: 'read', locations: [{ path: itemId }], toolOutput: 'ok', ...fields,
  };
}

export function permission(itemId: string, fields: Partial<Extract<Upsert, { type: 'permission' }>> = {}): Upsert {
  return {
    ...common(itemId, 'create'), type: 'permission', callId: 'call-x', toolName: 'Bash', input: { command: 'ls' }, acceptsReason: true, title: 'Bash: ls',
    options: [
      { optionId: 'yes', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ],
    ...fields,
  };
}

export function upsert(seq: number, payload: Upsert, firstSeq = seq): UpsertFrame {
  return { type: 'session:upsert', sessionId: SESSION, seq, firstSeq, payload };
}

export function append(seq: number, itemId: string, base: number, text: string): AppendFrame {
  return { type: 'session:append', sessionId: SESSION, seq, itemId, base, text };
}

export function turnStarted(seq: number, turnId = 't1'): TurnFrame {
  const payload = { type: 'turn_started' as const, turnId, sessionId: SESSION, modelId: 'm', providerId: 'p' };
  return { type: 'session:turn', sessionId: SESSION, seq, payload };
}

export function turnComplete(seq: number, turnId = 't1', status: 'completed' | 'cancelled' = 'completed'): TurnFrame {
  const usage = { inputTokens: 10, outputTokens: 5 };
  return { type: 'session:turn', sessionId: SESSION, seq, payload: { type: 'turn_complete', turnId, sessionId: SESSION, status, usage } };
}

export function turnError(seq: number, turnId = 't1'): TurnFrame {
  const payload = { type: 'turn_error' as const, turnId, sessionId: SESSION, errorCode: 'PROCESS_CRASH', errorMessage: 'gone', usage: { inputTokens: 1, outputTokens: 2 } };
  return { type: 'session:turn', sessionId: SESSION, seq, payload };
}

export function subscribed(resume: 'ok' | 'reset', seq = 0, epoch = 'e1', view: Partial<SessionView> = {}): SubscribedFrame {
  return { type: 'session:subscribed', sessionId: SESSION, resume, epoch, seq, ...idleView, ...view };
}

export function history(seq: number, entries: Upsert[], turns: HistoryFrame['turns'] = [], before?: number): HistoryFrame {
  return { type: 'session:history', sessionId: SESSION, entries, turns, seq, ...(before === undefined ? {} : { before }) };
}

export function state(view: Partial<SessionView>): StateFrame {
  return { type: 'session:state', sessionId: SESSION, ...idleView, ...view };
}
