// The outcome of a request in words, for the transcript.

import { subjectOf } from './asked';
import type { PermissionRow } from './row-types';

export type OutcomeWords = {
  /** "You allowed", "Timed out – rejected". */
  readonly label: string;
  /** What it was about: the first line of the input, or the agent's words if it has none. */
  readonly subject: string;
  /** Why, where that is known. */
  readonly note: string | undefined;
};

export function outcomeWords(row: PermissionRow): OutcomeWords {
  const { state } = row.item;
  const isQuestion = (state.questions?.length ?? 0) > 0;
  const subject = isQuestion ? '' : subjectOf(state) || state.title;
  switch (row.outcome) {
    case 'allowed':
      return { label: 'You allowed', subject, note: lasting(row) };
    case 'rejected':
      return { label: isQuestion ? 'You skipped' : 'You rejected', subject, note: state.outcome?.reason ?? lasting(row) };
    case 'answered':
      return { label: 'You chose', subject: row.chosen ?? Object.values(state.outcome?.answers ?? {}).join(' · '), note: undefined };
    case 'lapsed':
      return { label: 'Timed out – rejected', subject, note: state.outcome?.reason ?? 'No answer in time, rejected automatically' };
    case 'withdrawn':
      return { label: state.outcome?.by === 'agent' ? 'Agent withdrew' : 'Cancelled', subject, note: state.outcome?.by === 'restart' ? 'Server restarted' : undefined };
  }
}

/** The option's name, if it goes beyond this one request. */
function lasting({ item, chosen }: PermissionRow): string | undefined {
  const option = item.state.options.find(({ optionId }) => optionId === item.state.outcome?.optionId);
  return option?.kind.endsWith('_always') ? chosen : undefined;
}
