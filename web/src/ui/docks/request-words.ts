/** How the dock names a request and who made it. */
import type { PermissionBody } from '../../gen/contracts';
import { agentName } from '../../state/catalog';

/** The agent of a session, as people call it. */
export function agentOf(sessionId: string): string {
  return agentName(sessionId.split(':', 1)[0] ?? '');
}

export function requestLabel(sessionId: string, request: Pick<PermissionBody, 'questions'>): string {
  if (!request.questions?.length) return 'Permission needed';
  return `${agentOf(sessionId).replace(/^Claude Code$/, 'Claude')} has a question`;
}
