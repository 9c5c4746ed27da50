/** Messages once more, with their files: to be edited first, or as they are. */
import { filesAgain } from '../../model/files';
import type { UserRow } from '../../model/rows';
import { addAgain } from '../../state/files';
import { focusComposer } from '../../state/screen';
import { drafts, newId, outbox } from '../../state/services';
import { setComposerText } from './text';

type Said = Pick<UserRow, 'text' | 'files'>;

export function editAgain(sessionId: string, { text, files }: Said): void {
  drafts.set(sessionId, text);
  setComposerText({ sessionId, text });
  addAgain(sessionId, files);
  focusComposer();
}

/** Whoever sends something again wants all of it: what lacks a file is left to be completed. */
export function sendAgain(sessionId: string, said: Said): void {
  const { kept, lost } = filesAgain(said.files, newId);
  if (lost.length > 0) editAgain(sessionId, said);
  else outbox.send(sessionId, said.text, kept);
}
