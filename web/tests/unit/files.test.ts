import { describe, expect, it } from 'vitest';
import type { Attachment } from '../../src/gen/contracts';
import { createDraftFiles } from '../../src/model/draft-files';
import { acceptOf, fileSize, type OwnFile, refusal, takesFiles } from '../../src/model/files';
import { memoryBytes } from '../../src/protocol/byte-store';
import { memoryStorage } from '../../src/protocol/environment';
import { createOutbox } from '../../src/protocol/outbox';
import { ApiProblem, Unreachable } from '../../src/protocol/problems';
import { base64, createUploads, FileLost } from '../../src/protocol/uploads';
import { settled } from './support/clock';
import { openWorld, world, type World } from './support/sockets';

const picture: OwnFile = { key: 'k1', name: 'a.png', mimeType: 'image/png', bytes: 3 };
const all = { images: true, files: true };

describe('which files go with a message', () => {
  const pdf = { name: 'a.pdf', mimeType: 'application/pdf', bytes: 10 };
  it.each([
    ['all that the agent takes', picture, 0, all, undefined],
    ['no image for an agent without eyes', picture, 0, { images: false, files: true }, /takes texts and PDF only/],
    ['no text for one that sees only', pdf, 0, { images: true, files: false }, /takes images only/],
    ['none for one that takes none', pdf, 0, undefined, /takes no files/],
    ['not more than ten', picture, 10, all, /at most 10/],
    ['not what no server takes', { ...picture, bytes: 65 * 1024 * 1024 }, 0, all, /too large: it has 68\.2 MB/],
  ])('%s', (_, file, held, able, expected) => {
    const told = refusal(file, held, able);
    if (expected) expect(told).toMatch(expected);
    else expect(told).toBeUndefined();
  });

  it('is told to the dialog and to the page', () => {
    expect(takesFiles(undefined)).toBe(false);
    expect(takesFiles({ images: false, files: false })).toBe(false);
    expect(takesFiles({ images: true, files: false })).toBe(true);
    expect(acceptOf(all)).toBeUndefined();
    expect(acceptOf({ images: true, files: false })).toContain('image/webp');
  });

  it.each([[3, '3 B'], [12_400, '12 KB'], [999_600, '1.0 MB'], [2_500_000, '2.5 MB']])('%i bytes are %s', (bytes, text) => {
    expect(fileSize(bytes)).toBe(text);
  });
});

describe('the files of a draft', () => {
  it('are there after a reload, and gone when it is empty', () => {
    const storage = memoryStorage();
    createDraftFiles(storage).set('s', [picture]);
    expect(createDraftFiles(storage).get('s')).toEqual([picture]);
    createDraftFiles(storage).set('s', []);
    expect(storage.keys()).toEqual([]);
  });

  it.each(['{', '{}', '[1]', '[{"key":1}]'])('are none if what is stored is %s', (text) => {
    const storage = memoryStorage();
    storage.set('liminal:draft-files:s', text);
    expect(createDraftFiles(storage).get('s')).toEqual([]);
  });
});

describe('bytes', () => {
  it.each([0, 1, 2, 3, 100_000])('are written in Base64, %i of them', async (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => index % 256);
    expect(await base64(new Blob([bytes]))).toBe(Buffer.from(bytes).toString('base64'));
  });
});

/** A server that takes files, and remembers them. */
function server(answer: () => Promise<void> = () => Promise.resolve()) {
  const taken: string[] = [];
  const bytes = memoryBytes();
  const attach = async (_: string, body: { name: string; mimeType: string; data: string }): Promise<Attachment> => {
    await answer();
    taken.push(atob(body.data));
    return { id: `a${taken.length}`, name: body.name, mimeType: body.mimeType, bytes: 3 };
  };
  return { taken, bytes, uploads: createUploads({ api: { attach }, bytes }) };
}

describe('an upload', () => {
  it('happens once, however often it is asked for', async () => {
    const { taken, bytes, uploads } = server();
    await bytes.put('k1', new Blob(['abc']));
    expect(await Promise.all([uploads.upload('s', picture), uploads.upload('s', picture)])).toEqual(['a1', 'a1']);
    expect(await uploads.upload('s', picture)).toBe('a1');
    expect(taken).toEqual(['abc']);
    expect(await uploads.upload('s', { ...picture, id: 'known' })).toBe('known');
  });

  it('that fails is made again', async () => {
    let isDown = true;
    const { taken, bytes, uploads } = server(() => (isDown ? Promise.reject(new Unreachable(undefined)) : Promise.resolve()));
    await bytes.put('k1', new Blob(['abc']));
    await expect(uploads.upload('s', picture)).rejects.toBeInstanceOf(Unreachable);
    isDown = false;
    expect(await uploads.upload('s', picture)).toBe('a1');
    expect(taken).toEqual(['abc']);
  });

  it('of bytes that are gone says so', async () => {
    await expect(server().uploads.upload('s', picture)).rejects.toBeInstanceOf(FileLost);
  });
});

describe('a message with files', () => {
  function outboxOf(self: World, { uploads }: ReturnType<typeof server>, storage = memoryStorage()) {
    let count = 0;
    const outbox = createOutbox({ connection: self.connection, storage, clock: self.clock, uploads, newId: () => `id${(count += 1)}` });
    return { outbox, storage };
  }
  async function tick(): Promise<void> {
    for (let round = 0; round < 10; round += 1) await settled();
  }

  it('waits for a connection, brings its files there once, and names them', async () => {
    const self = world();
    const files = server();
    await files.bytes.put('k1', new Blob(['abc']));
    const { outbox } = outboxOf(self, files);
    outbox.send('s', 'look', [picture]);
    await tick();
    expect(files.taken).toEqual([]);
    self.connection.start();
    self.socket().accept();
    await tick();
    expect(self.socket().last()).toMatchObject({ type: 'session:send', message: 'look', attachments: ['a1'] });
    self.socket().ok(self.socket().last(), { turnId: 't1' });
    await tick();
    expect(await files.bytes.get('k1')).toBeUndefined();
  });

  it('is the same message when it is repeated, also by a page that was loaded anew', async () => {
    const self = openWorld();
    const files = server();
    await files.bytes.put('k1', new Blob(['abc']));
    const { storage } = outboxOf(self, files);
    const first = outboxOf(self, files, storage);
    first.outbox.send('s', 'look', [picture]);
    await tick();
    const sent = self.socket().last();
    first.outbox.stop();
    const anew = openWorld();
    outboxOf(anew, files, storage);
    await tick();
    expect(anew.socket().last()).toMatchObject({ ...sent, requestId: expect.anything() });
    expect(files.taken).toEqual(['abc']);
  });

  it('fails with the server’s words if a file is not taken, and can be taken back with it', async () => {
    const self = openWorld();
    const problem = new ApiProblem({ type: 'about:blank', title: 'too large', status: 413, code: 'BODY_TOO_LARGE', detail: 'at most 6 MiB' });
    const files = server(() => Promise.reject(problem));
    await files.bytes.put('k1', new Blob(['abc']));
    const { outbox } = outboxOf(self, files);
    outbox.send('s', 'look', [picture]);
    await tick();
    expect(outbox.entries()[0]?.delivery).toEqual({ kind: 'failed', code: 'BODY_TOO_LARGE', message: 'at most 6 MiB' });
    expect(outbox.discard('id1')?.files).toEqual([picture]);
    expect(await files.bytes.get('k1')).toBeDefined();
  });

  it('waits on while the server cannot be reached', async () => {
    const self = openWorld();
    let isDown = true;
    const files = server(() => (isDown ? Promise.reject(new Unreachable(undefined)) : Promise.resolve()));
    await files.bytes.put('k1', new Blob(['abc']));
    const { outbox } = outboxOf(self, files);
    outbox.send('s', 'look', [picture]);
    await tick();
    expect(outbox.entries()[0]?.delivery.kind).toBe('waiting');
    isDown = false;
    await self.clock.advance(1000);
    await tick();
    expect(self.socket().last()).toMatchObject({ attachments: ['a1'] });
  });
});
