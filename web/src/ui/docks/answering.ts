/** Sends the answer to one request. Owns that one answer is on its way at most, and what the server said against it. */
import { type Accessor, createSignal } from 'solid-js';
import type { PermissionAnswer } from '../../gen/contracts';
import { approvals } from '../../state/catalog';
import { api, codeOfFailure, connection, reason } from '../../state/services';
import { toast } from '../../state/toasts';

export interface Answering {
  readonly isSending: Accessor<boolean>;
  /** Why the last answer was not taken. */
  readonly problem: Accessor<string | undefined>;
  send(answer: PermissionAnswer): void;
}

/** By HTTP if the socket is down: an agent must not wait for a socket. */
export async function sendAnswer(sessionId: string, itemId: string, answer: PermissionAnswer): Promise<void> {
  const approval = approvals().find((found) => found.item.itemId === itemId && found.sessionId === sessionId);
  if (connection.state().kind === 'open' || !approval) await connection.request({ type: 'session:permission', sessionId, itemId, ...answer });
  else await api.answer(approval.id, answer);
}

export function createAnswering(sessionId: string, itemId: string): Answering {
  const [isSending, setSending] = createSignal(false);
  const [problem, setProblem] = createSignal<string>();
  const fail = (error: unknown): void => {
    setSending(false);
    const code = codeOfFailure(error);
    if (code === 'ALREADY_ANSWERED') toast({ kind: 'plain', title: 'Already answered in another window' });
    else setProblem(code === 'INVALID_REQUEST' ? reason(error) : `Couldn't send your answer: ${reason(error)}`);
  };
  const send = (answer: PermissionAnswer): void => {
    if (isSending()) return;
    setSending(true);
    setProblem(undefined);
    sendAnswer(sessionId, itemId, answer).catch(fail);
  };
  return { isSending, problem, send };
}
