// Bytes of files across reloads, in the browser's database. Where there is none, as in some private windows, they are kept
// until the page goes.

import type { ByteStore } from './uploads';

const DATABASE = 'liminal';
const STORE = 'files';

export function browserBytes(factory: IDBFactory | undefined): ByteStore {
  const memory = memoryBytes();
  let opened: Promise<IDBDatabase> | undefined;
  const run = async <T>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> => {
    if (!factory) throw new Error('there is no database');
    opened ??= open(factory);
    return answer(ask((await opened).transaction(STORE, mode).objectStore(STORE)));
  };
  return {
    put: (key, bytes) => run('readwrite', (store) => store.put(bytes, key)).then(() => undefined, () => memory.put(key, bytes)),
    get: (key) => run<Blob | undefined>('readonly', (store) => store.get(key)).catch(() => undefined).then((found) => found ?? memory.get(key)),
    remove: async (key) => {
      await memory.remove(key);
      await run('readwrite', (store) => store.delete(key)).catch(() => undefined);
    },
  };
}

export function memoryBytes(): ByteStore {
  const values = new Map<string, Blob>();
  return {
    put: async (key, bytes) => void values.set(key, bytes),
    get: async (key) => values.get(key),
    remove: async (key) => void values.delete(key),
  };
}

function open(factory: IDBFactory): Promise<IDBDatabase> {
  const asked = factory.open(DATABASE, 1);
  asked.onupgradeneeded = () => asked.result.createObjectStore(STORE);
  return answer(asked);
}

function answer<T>(asked: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error ?? new Error('the database refused'));
  });
}
