/** The files of drafts as components read them, and the pictures of files. Owns when a file goes to the server: at once if
 *  there is a connection, else with its message. */
import { createSignal, type Accessor } from 'solid-js';
import { createStore } from 'solid-js/store';
import type { Attachment, AttachmentAbilities } from '../gen/contracts';
import { filesAgain, MOST_FILES, refusal, type OwnFile } from '../model/files';
import { Unreachable } from '../protocol/http';
import { api, connectionState, draftFiles, fileBytes, newId, reason, uploads } from './services';

interface Draft {
  files: readonly OwnFile[];
  /** Why the last file was not taken. */
  problem?: string | undefined;
}

const [drafts, set] = createStore<Record<string, Draft>>({});
const [onTheirWay, setOnTheirWay] = createSignal<ReadonlySet<string>>(new Set());

/** Whether a file is going to the server now; one that is neither there nor on its way goes with its message. */
export function isOnItsWay(file: OwnFile): boolean {
  return onTheirWay().has(file.key);
}

export function filesOf(sessionId: string): Accessor<readonly OwnFile[]> {
  if (!drafts[sessionId]) set(sessionId, { files: draftFiles.get(sessionId) });
  return () => drafts[sessionId]?.files ?? [];
}

export function fileProblem(sessionId: string): string | undefined {
  return drafts[sessionId]?.problem;
}

function put(sessionId: string, files: readonly OwnFile[], problem?: string): void {
  set(sessionId, { files, problem });
  draftFiles.set(sessionId, files);
}

/** Puts files into the draft; all are seen before the first is on its way. */
export async function addFiles(sessionId: string, given: readonly File[], able: AttachmentAbilities | undefined): Promise<void> {
  const added: OwnFile[] = [];
  put(sessionId, filesOf(sessionId)());
  for (const bytes of given) {
    const file = await add(sessionId, bytes, able);
    if (file) added.push(file);
  }
  await upload(sessionId, added);
}

async function upload(sessionId: string, files: readonly OwnFile[]): Promise<void> {
  const isOpen = (): boolean => connectionState().kind === 'open';
  const isWanted = (file: OwnFile): boolean => filesOf(sessionId)().some(({ key }) => key === file.key);
  if (isOpen()) setOnTheirWay((keys) => new Set([...keys, ...files.map(({ key }) => key)]));
  for (const file of files) {
    if (isWanted(file) && isOpen()) await send(sessionId, file);
    setOnTheirWay((keys) => new Set([...keys].filter((key) => key !== file.key)));
  }
}

async function add(sessionId: string, bytes: File, able: AttachmentAbilities | undefined): Promise<OwnFile | undefined> {
  const file: OwnFile = { key: newId(), name: bytes.name || 'pasted', mimeType: bytes.type || 'application/octet-stream', bytes: bytes.size };
  const held = filesOf(sessionId)();
  const problem = refusal(file, held.length, able);
  if (problem) {
    put(sessionId, held, problem);
    return undefined;
  }
  await fileBytes.put(file.key, bytes);
  put(sessionId, [...filesOf(sessionId)(), file], fileProblem(sessionId));
  return file;
}

/** A server that takes it tells its id, one that does not tells why; without an answer it goes with its message. */
async function send(sessionId: string, file: OwnFile): Promise<void> {
  try {
    const id = await uploads.upload(sessionId, file);
    const all = filesOf(sessionId)();
    if (all.some(({ key }) => key === file.key)) put(sessionId, all.map((other) => (other.key === file.key ? { ...other, id } : other)), fileProblem(sessionId));
  } catch (error) {
    if (error instanceof Unreachable) return;
    uploads.forget(file);
    put(sessionId, filesOf(sessionId)().filter(({ key }) => key !== file.key), notTaken(file.name, reason(error)));
  }
}

/** The server may name the file itself. */
function notTaken(name: string, why: string): string {
  return why.toLowerCase().startsWith(name.toLowerCase()) ? `${name}${why.slice(name.length)}` : `${name} was not attached: ${why}`;
}

/** Takes one out of the draft. */
export function removeFile(sessionId: string, key: string): void {
  const all = filesOf(sessionId)();
  put(sessionId, all.filter((file) => file.key !== key));
  const gone = all.find((file) => file.key === key);
  if (!gone) return;
  uploads.forget(gone);
  // The server forgets by itself what is never sent.
  if (gone.id && !gone.isSent) void api.detach(sessionId, gone.id).catch(() => undefined);
}

/** Hands the files over to a message. */
export function takeFiles(sessionId: string): readonly OwnFile[] {
  const all = filesOf(sessionId)();
  put(sessionId, []);
  return all;
}

/** Brings files of a message back into the draft. */
export function giveFilesBack(sessionId: string, files: readonly OwnFile[]): void {
  put(sessionId, [...filesOf(sessionId)(), ...files]);
}

/** Puts the files of a message into the draft as well, each once. */
export function addAgain(sessionId: string, files: readonly ShownFile[]): void {
  const { kept, lost } = filesAgain(files, newId);
  const held = filesOf(sessionId)();
  const all = [...held, ...kept.filter(({ id }) => !held.some((other) => other.id === id))];
  const left = all[MOST_FILES];
  const problem = lost.length > 0 ? `Only the agent has ${lost.join(', ')}: attach ${lost.length === 1 ? 'it' : 'them'} again` : left && refusal(left, MOST_FILES, undefined);
  put(sessionId, all.slice(0, MOST_FILES), problem);
}

export type ShownFile = OwnFile | Attachment;

/** The bytes, from this browser or from the server. */
export async function bytesOf(sessionId: string, file: ShownFile): Promise<Blob | undefined> {
  const own = 'key' in file ? await fileBytes.get(file.key) : undefined;
  if (own || file.id === undefined) return own;
  return api.attachment(sessionId, file.id);
}

/** The address of a picture for as long as its component lives. */
export function createPicture(load: () => Promise<Blob | undefined>, onCleanup: (run: () => void) => void): Accessor<string | undefined> {
  const [address, setAddress] = createSignal<string>();
  let isGone = false;
  onCleanup(() => {
    isGone = true;
    const shown = address();
    if (shown) URL.revokeObjectURL(shown);
  });
  load().then((found) => {
    if (found && !isGone) setAddress(URL.createObjectURL(found));
  }, () => undefined);
  return address;
}
