// Files on their way to the server. Each goes there once, however often it is asked for; its bytes are kept in the browser
// until the server has the message.

import type { SessionId } from '../gen/contracts';
import type { OwnFile } from '../model/files';
import type { Api } from './http';

/** Keeps bytes across reloads, by key. */
export type ByteStore = {
  put(key: string, bytes: Blob): Promise<void>;
  get(key: string): Promise<Blob | undefined>;
  remove(key: string): Promise<void>;
};

/** The browser has the bytes no longer. */
export class FileLost extends Error {
  override readonly name = 'FileLost';
  constructor(name: string) {
    super(`${name} is no longer in this browser; attach it again`);
  }
}

export type Uploads = {
  /** The file's id on the server. */
  upload(sessionId: SessionId, file: OwnFile): Promise<string>;
  /** The server has it with its message, or nobody wants it. */
  forget(file: OwnFile): void;
};

export function createUploads({ api, bytes }: { api: Pick<Api, 'attach'>; bytes: ByteStore }): Uploads {
  const running = new Map<string, Promise<string>>();

  const begin = async (sessionId: SessionId, file: OwnFile): Promise<string> => {
    const held = await bytes.get(file.key);
    if (!held) throw new FileLost(file.name);
    const { name, mimeType } = file;
    const { id } = await api.attach(sessionId, { name, mimeType, data: await base64(held) });
    if (id === undefined) throw new FileLost(file.name);
    return id;
  };

  return {
    upload(sessionId, file) {
      if (file.id !== undefined) return Promise.resolve(file.id);
      const known = running.get(file.key) ?? begin(sessionId, file);
      running.set(file.key, known);
      known.catch(() => running.delete(file.key));
      return known;
    },
    forget(file) {
      running.delete(file.key);
      void bytes.remove(file.key).catch(() => undefined);
    },
  };
}

/** A part at a time: a call takes only so many arguments. */
const PART = 0x8000;

export async function base64(bytes: Blob): Promise<string> {
  const all = new Uint8Array(await bytes.arrayBuffer());
  let text = '';
  for (let at = 0; at < all.length; at += PART) text += String.fromCharCode(...all.subarray(at, at + PART));
  return btoa(text);
}
