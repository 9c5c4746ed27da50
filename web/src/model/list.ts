// The list of sessions: what is shown of it, in which order, and how old a session is.

import type { ProjectId, SessionSummary } from '../gen/contracts';

export type ListFilter = {
  readonly text?: string;
  /** Whether sessions of other programs are shown; they are unless this is `false`. */
  readonly showFound?: boolean;
};

/** All words must occur in title, directory, agent or id. Keeps the order. */
export function filterSessions(sessions: readonly SessionSummary[], { text = '', showFound = true }: ListFilter): SessionSummary[] {
  const words = folded(text).split(/\s+/).filter((word) => word !== '');
  return sessions.filter((session) => {
    if (!showFound && session.source === 'found') return false;
    const haystack = words.length > 0 ? haystackOf(session) : '';
    return words.every((word) => haystack.includes(word));
  });
}

/** The newest first; equal times by id, so that rows do not jump. */
export function sortSessions(sessions: readonly SessionSummary[]): SessionSummary[] {
  const byAge = (a: SessionSummary, b: SessionSummary) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt);
  return sessions.toSorted((a, b) => byAge(a, b) || (a.sessionId < b.sessionId ? -1 : 1));
}

/** Each session once: of several states of one, the last counts. */
export function uniqueSessions(...lists: readonly (readonly SessionSummary[])[]): SessionSummary[] {
  return [...new Map(lists.flat().map((session) => [session.sessionId, session])).values()];
}

export function groupByProject(sessions: readonly SessionSummary[]): Map<ProjectId, SessionSummary[]> {
  const groups = new Map<ProjectId, SessionSummary[]>();
  for (const session of sessions) {
    const group = groups.get(session.projectId);
    if (group) group.push(session);
    else groups.set(session.projectId, [session]);
  }
  return groups;
}

/** "now", "5m", "3h", "2d", "6w"; nothing for a time that cannot be read. */
export function ageText(at: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(at)) / 60_000);
  if (Number.isNaN(minutes)) return '';
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes}m`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h`;
  const days = Math.floor(minutes / (24 * 60));
  return days < 7 ? `${days}d` : `${Math.floor(days / 7)}w`;
}

/** The title, or a word for its absence. */
export function titleOf(session: Pick<SessionSummary, 'title'>): string {
  return session.title?.trim() || 'Untitled session';
}

// Typing asks for every session again with each letter.
const haystacks = new WeakMap<SessionSummary, string>();

function haystackOf(session: SessionSummary): string {
  const known = haystacks.get(session);
  if (known !== undefined) return known;
  const { title = '', directory, cliType, sessionId } = session;
  const haystack = folded([title, directory, cliType, sessionId].join('\n'));
  haystacks.set(session, haystack);
  return haystack;
}

/** In lower case and without accents. */
export function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{Mark}/gu, '').toLowerCase();
}
