// Files that go with a message: what is known of one, which an agent takes, and how they are told. Knows no bytes.

import type { Attachment, AttachmentAbilities } from '../gen/contracts';

/** A file of a draft, or of a message on its way. */
export type OwnFile = {
  /** Under which this browser keeps its bytes. */
  readonly key: string;
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** Its id on the server, once that has it. */
  readonly id?: string;
  /** Whether a message has it already: then it stays with its session, whatever becomes of this draft. */
  readonly isSent?: true;
};

/** As many as the server takes with one message. */
export const MOST_FILES = 10;
/** More than any server is set to take; what is smaller is the server's to refuse. */
const LARGEST = 64 * 1024 * 1024;

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export function isImage({ mimeType }: Pick<Attachment, 'mimeType'>): boolean {
  return IMAGES.includes(mimeType);
}

export function takesFiles(able: AttachmentAbilities | undefined): boolean {
  return able !== undefined && (able.images || able.files);
}

/** What a dialog offers to choose, where not everything is taken. */
export function acceptOf(able: AttachmentAbilities | undefined): string | undefined {
  return able?.files ? undefined : IMAGES.join(',');
}

/** Why a file cannot go with a message, as far as that is known here. */
export function refusal(file: Pick<OwnFile, 'name' | 'mimeType' | 'bytes'>, held: number, able: AttachmentAbilities | undefined): string | undefined {
  if (held >= MOST_FILES) return `${file.name} was left out: a message takes at most ${MOST_FILES} files`;
  if (file.bytes > LARGEST) return `${file.name} is too large: it has ${fileSize(file.bytes)}`;
  if (isImage(file) ? able?.images : able?.files) return undefined;
  return `${file.name} was left out: this agent takes ${able?.images ? 'images' : able?.files ? 'texts and PDF' : 'no files'}${able?.images || able?.files ? ' only' : ''}`;
}

/** The files of a message for another one of its session. What only the agent remembers is nowhere to be sent from. */
export function filesAgain(files: readonly (Attachment | OwnFile)[], newKey: () => string): { kept: OwnFile[]; lost: string[] } {
  const kept = files.flatMap(({ id, name, mimeType, bytes }): OwnFile[] => (id === undefined ? [] : [{ key: newKey(), name, mimeType, bytes, id, isSent: true }]));
  return { kept, lost: files.filter(({ id }) => id === undefined).map(({ name }) => name) };
}

/** "12 KB". */
export function fileSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
