import { describe, expect, it } from 'vitest';
import type { ClientFrame } from '../../src/gen/contracts';
import { type KeyValueStorage, memoryStorage } from '../../src/protocol/environment';
import { createOutbox } from '../../src/protocol/outbox';
import type { Uploads } from '../../src/protocol/uploads';
import { chance } from './support/chance';
import { settled } from './support/clock';
import { openWorld, type World, world } from './support/sockets';

function setUp(self: World = openWorld(), storage: KeyValueStorage = memoryStorage(), uploads: Uploads = noUploads) {
  let count = 0;
  const outbox = createOutbox({ connection: self.connection, storage, clock: self.clock, uploads, newId: () => `id${(count += 1)}` });
  const kinds = (session?: string) => outbox.entries(session).map((entry) => entry.delivery.kind);
  return { ...self, self, outbox, storage, kinds };
}

const noUploads: Uploads = { upload: () => Promise.reject(new Error('nothing is uploaded here')), forget: () => undefined };

async function reconnect(self: World): Promise<void> {
  self.socket().end();
  await settled();
  self.connection.nudge('online');
  self.socket().accept();
  await settled();
}

describe('a message', () => {
  it('goes out at once, may be queued, and is accepted', async () => {
    const { outbox, socket, kinds } = setUp();
    outbox.send('s', 'hello');
    expect(kinds()).toEqual(['sending']);
    expect(socket().last()).toMatchObject({ type: 'session:send', sessionId: 's', message: 'hello', queue: true, clientMessageId: 'id1' });
    socket().ok(socket().last(), { turnId: 't1' });
    await settled();
    expect(outbox.entries()[0]?.delivery).toEqual({ kind: 'accepted', turnId: 't1' });
    outbox.delivered('s', 't1');
    expect(outbox.entries()).toEqual([]);
  });

  it('is in the server’s queue until it leaves it', async () => {
    const { outbox, socket, kinds } = setUp();
    outbox.send('s', 'hello');
    socket().ok(socket().last(), { queued: { id: 'q1', message: 'hello' } });
    await settled();
    outbox.queueIs('s', [{ id: 'q1', message: 'hello' }]);
    expect(kinds()).toEqual(['queued']);
    outbox.queueIs('s', []);
    expect(kinds()).toEqual([]);
  });

  it('waits for a connection', async () => {
    const self = world();
    const { outbox, kinds } = setUp(self);
    outbox.send('s', 'hello');
    expect(kinds()).toEqual(['waiting']);
    self.connection.start();
    self.socket().accept();
    expect(self.socket().of('session:send')).toHaveLength(1);
  });

  it.each([
    ['WRONG_STATE', 'failed'],
    ['DELIVERY_UNKNOWN', 'indeterminate'],
  ] as const)('that is refused with %s is %s, and is repeated under a new id only if somebody asks', async (code, kind) => {
    const { outbox, socket, kinds, self } = setUp();
    outbox.send('s', 'hello');
    socket().refuse(socket().last(), code);
    await settled();
    expect(kinds()).toEqual([kind]);
    await reconnect(self);
    expect(self.socket().of('session:send')).toEqual([]);
    expect(outbox.retry('id1')).toBe('id2');
    expect(self.socket().last()).toMatchObject({ clientMessageId: 'id2', message: 'hello' });
    expect(outbox.entries().map((entry) => entry.clientMessageId)).toEqual(['id2']);
  });

  it('whose fate is unknown is left to the turn that tells of it', async () => {
    const { outbox, socket, kinds } = setUp();
    outbox.send('s', 'hello');
    socket().refuse(socket().last(), 'DELIVERY_UNKNOWN', 't1');
    await settled();
    expect(outbox.entries()[0]?.delivery).toEqual({ kind: 'accepted', turnId: 't1' });
    outbox.delivered('s', 't1');
    expect(kinds()).toEqual([]);
  });

  it('is offered again to a server that is shutting down, but not in a hurry', async () => {
    const { outbox, socket, self } = setUp();
    outbox.send('s', 'hello');
    socket().refuse(socket().last(), 'SHUTTING_DOWN');
    await settled();
    expect(socket().of('session:send')).toHaveLength(1);
    await self.clock.advance(1000);
    expect(socket().of('session:send')).toHaveLength(2);
  });

  it('can be taken back unless it may have arrived', async () => {
    const self = world();
    const { outbox } = setUp(self);
    outbox.send('s', 'one');
    expect(outbox.discard('id1')?.text).toBe('one');
    outbox.send('s', 'two');
    self.connection.start();
    self.socket().accept();
    expect(outbox.discard('id2')).toBeUndefined();
    self.socket().end();
    await settled();
    expect(outbox.discard('id2')).toBeUndefined();
  });

  it('changes the list, and only then', () => {
    const { outbox } = setUp();
    const told: string[] = [];
    outbox.onChange((session) => told.push(session));
    outbox.send('s', 'x');
    expect(outbox.entries('s')).toBe(outbox.entries('s'));
    expect(told.every((session) => session === 's') && told.length > 0).toBe(true);
  });
});

describe('order', () => {
  it('is kept in a session: the next goes out when the one before is answered', async () => {
    const { outbox, socket } = setUp();
    for (const text of ['1', '2']) outbox.send('s', text);
    outbox.send('other', '3');
    const texts = () => socket().of('session:send').map((frame) => 'message' in frame && frame.message);
    expect(texts()).toEqual(['1', '3']);
    socket().ok(socket().sent[0], { turnId: 't' });
    await settled();
    expect(texts()).toEqual(['1', '3', '2']);
  });
});

describe('lost connections', () => {
  it('repeat a message under its id until it is answered', async () => {
    const { outbox, self, kinds } = setUp();
    outbox.send('s', 'hello');
    await reconnect(self);
    await reconnect(self);
    expect(self.socket().of('session:send')).toMatchObject([{ clientMessageId: 'id1' }]);
    self.socket().ok(self.socket().last(), { turnId: 't' });
    await settled();
    await reconnect(self);
    expect(self.socket().of('session:send')).toEqual([]);
    expect(kinds()).toEqual(['accepted']);
  });

  it('and a reload keep what was not answered, and no more', async () => {
    const storage = memoryStorage();
    const first = setUp(openWorld(), storage);
    first.outbox.send('s', 'answered');
    first.socket().ok(first.socket().last(), { turnId: 't' });
    await settled();
    first.outbox.send('s', 'lost');
    first.outbox.send('s', 'never sent');
    const second = setUp(openWorld(), storage);
    expect(second.outbox.entries().map((entry) => entry.text)).toEqual(['lost', 'never sent']);
    expect(second.socket().of('session:send')).toMatchObject([{ clientMessageId: 'id2', message: 'lost' }]);
  });

  it('of a day ago are not repeated by themselves', async () => {
    const storage = memoryStorage();
    const first = setUp(openWorld(), storage);
    first.outbox.send('s', 'maybe');
    first.outbox.send('s', 'never sent');
    const later = openWorld();
    await later.clock.advance(24 * 60 * 60 * 1000);
    const second = setUp(later, storage);
    expect(second.kinds()).toEqual(['indeterminate', 'failed']);
    expect(later.socket().of('session:send')).toEqual([]);
  });

  it('and a broken storage do no harm', () => {
    const storage = memoryStorage();
    for (const [index, text] of ['', '{', 'null', '{"clientMessageId":1}'].entries()) storage.set(`liminal:outbox:${index}`, text);
    expect(setUp(openWorld(), storage).outbox.entries()).toEqual([]);
  });
});

describe('exactly once', () => {
  /** A server that takes each id once, on a line that is cut before or after it hears, and before or after it answers. */
  it.each(Array.from({ length: 30 }, (_, index) => index + 1))('with cuts anywhere (%i)', async (seed) => {
    const random = chance(seed);
    const { outbox, self } = setUp();
    const taken = new Map<string, string>();
    let heard = new WeakSet<ClientFrame>();
    const serve = (isReliable: boolean) => {
      for (const frame of self.socket().sent) {
        if (frame.type !== 'session:send' || heard.has(frame) || (!isReliable && random.below(3) === 0)) continue;
        heard.add(frame);
        const id = frame.clientMessageId ?? '';
        if (!taken.has(id)) taken.set(id, frame.message);
        if (isReliable || random.below(2) === 0) self.socket().ok(frame, { turnId: `turn of ${id}` });
      }
    };
    for (let step = 0; step < 80; step += 1) {
      if (step < 20) outbox.send('s', `message ${step}`);
      serve(false);
      await settled();
      if (random.below(3) === 0) await reconnect(self);
    }
    await reconnect(self);
    heard = new WeakSet();
    for (let step = 0; step < 25; step += 1) {
      serve(true);
      await settled();
    }
    expect([...taken.values()]).toEqual(Array.from({ length: 20 }, (_, n) => `message ${n}`));
    expect(outbox.entries().map((entry) => entry.delivery.kind)).toEqual(Array(20).fill('accepted'));
  });
});
