// The files of what was typed and not sent yet, per session: their names and ids. Outlives reloads and crashes; the bytes
// are kept elsewhere.

import type { SessionId } from '../gen/contracts';
import type { KeyValueStorage } from '../protocol/environment';
import type { OwnFile } from './files';

export type DraftFiles = {
  get(sessionId: SessionId): readonly OwnFile[];
  set(sessionId: SessionId, files: readonly OwnFile[]): void;
};

const PREFIX = 'liminal:draft-files:';

export function createDraftFiles(storage: KeyValueStorage): DraftFiles {
  return {
    get: (id) => parsedFiles(storage.get(PREFIX + id)),
    set(id, files) {
      if (files.length === 0) storage.remove(PREFIX + id);
      else storage.set(PREFIX + id, JSON.stringify(files));
    },
  };
}

function parsedFiles(text: string | undefined): readonly OwnFile[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter(isOwnFile) : [];
  } catch {
    return [];
  }
}

function isOwnFile(value: unknown): value is OwnFile {
  const file = value as Partial<OwnFile> | null;
  return typeof file?.key === 'string' && typeof file.name === 'string' && typeof file.mimeType === 'string' && typeof file.bytes === 'number';
}
