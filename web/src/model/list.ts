import type { ProjectId, SessionSummary } from '../gen/contracts';

export type ListFilter = {
  readonly text?: string;
  /** Whether sessions of other programs are shown. */
  readonly showFound?: boolean;
};

/** All words must occur in title, directory, agent or id. Keeps the order. */
export declare function filterSessions(sessions: readonly SessionSummary[], filter: ListFilter): SessionSummary[];
/** The newest first; equal times by id, so that rows do not jump. */
export declare function sortSessions(sessions: readonly SessionSummary[]): SessionSummary[];
export declare function groupByProject(sessions: readonly SessionSummary[]): Map<ProjectId, SessionSummary[]>;
/** "now", "5m", "3h", "2d", "6w". */
export declare function ageText(at: string, now: number): string;
/** The title, or a word for its absence. */
export declare function titleOf(session: Pick<SessionSummary, 'title'>): string;
