/** How the dock names a request and who made it. */
import type { PermissionBody } from '../../gen/contracts';
import { agentName } from '../../state/catalog';

/** The agent of a session, as people call it. */
export function agentOf(sessionId: string): string {
  return agentName(sessionId.split(':', 1)[0] ?? '');
}

/** The tool, unless its agent has no name for it and calls it by the title: those are words, not a name. */
export function toolOf({ toolName, title }: Pick<PermissionBody, 'toolName' | 'title'>): string | undefined {
  const isName = /^[\w.:/-]+$/.test(toolName) || toolName !== title;
  return isName && toolName !== '' ? toolName : undefined;
}

export function requestLabel(sessionId: string, request: Pick<PermissionBody, 'questions'>): string {
  if (!request.questions?.length) return 'Permission needed';
  return `${agentOf(sessionId).replace(/^Claude Code$/, 'Claude')} has a question`;
}
