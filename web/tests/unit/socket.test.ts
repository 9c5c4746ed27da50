import { describe, expect, it } from 'vitest';
import { backoff } from '../../src/protocol/backoff';
import { type ConnectionState, Disconnected, Refused, socketUrl, Unanswered } from '../../src/protocol/socket';
import { settled } from './support/clock';
import { openWorld, world } from './support/sockets';

const CANCEL = { type: 'session:cancel', sessionId: 's' } as const;

describe('opening', () => {
  it('names the protocol and the key, and opens', () => {
    const { connection, socket } = world();
    const states: ConnectionState['kind'][] = [];
    connection.onState((state) => states.push(state.kind));
    connection.start();
    expect(socket().protocols).toEqual(['liminal.v1', 'key.secret']);
    socket().accept();
    expect(states).toEqual(['connecting', 'open']);
  });

  it.each([
    ['http://localhost:8080/', 'ws://localhost:8080/ws'],
    ['https://example.org/tools/lb/#c=x', 'wss://example.org/tools/lb/ws'],
    ['http://localhost:1/index.html', 'ws://localhost:1/ws'],
  ])('finds the socket beside %s', (page, url) => {
    expect(socketUrl({ href: page })).toBe(url);
  });

  it('gives up an attempt that hangs', async () => {
    const { connection, clock, sockets } = world();
    connection.start();
    await clock.advance(10_000);
    expect(connection.state().kind).toBe('reconnecting');
    expect(sockets[0]?.isClosed).toBe(true);
  });
});

describe('coming back', () => {
  it('tells at once that it is away, and when the next try is', () => {
    const { connection, clock, socket } = openWorld();
    socket().end();
    expect(connection.state()).toEqual({ kind: 'reconnecting', attempt: 1, nextTryAt: clock.now() + 250 });
  });

  it('waits longer each time, from a quarter of a second to ten', async () => {
    const { connection, clock, socket, sockets } = openWorld();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 9; attempt += 1) {
      socket().end();
      const state = connection.state();
      if (state.kind !== 'reconnecting') throw new Error(state.kind);
      waits.push(state.nextTryAt - clock.now());
      await clock.advance(state.nextTryAt - clock.now());
    }
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
    expect(sockets).toHaveLength(10);
  });

  it('is spread by chance, within its limits', () => {
    const waits = [0, 0.25, 0.5, 0.75, 0.999].map((random) => backoff(3, random));
    expect(new Set(waits).size).toBe(5);
    for (let attempt = 1; attempt < 50; attempt += 1) {
      expect(backoff(attempt, 0)).toBeGreaterThanOrEqual(250);
      expect(backoff(attempt, 0.999)).toBeLessThanOrEqual(10_000);
    }
  });

  it('begins anew only after a socket that lived', async () => {
    const { connection, clock, socket } = openWorld();
    socket().end();
    await clock.advance(250);
    socket().accept();
    socket().end();
    expect(connection.state()).toMatchObject({ attempt: 2 });
    await clock.advance(500);
    socket().accept();
    await clock.advance(5_000);
    socket().end();
    expect(connection.state()).toMatchObject({ attempt: 1 });
  });

  it('tries at once when it is nudged, and goes on trying without a network', async () => {
    const self = openWorld();
    self.isOnline = false;
    self.socket().end();
    expect(self.connection.state().kind).toBe('offline');
    await self.clock.advance(10_000);
    expect(self.sockets.length).toBeGreaterThan(1);
    self.socket().end();
    const { length } = self.sockets;
    self.connection.nudge('offline');
    expect(self.sockets).toHaveLength(length);
    self.connection.nudge('online');
    expect(self.sockets).toHaveLength(length + 1);
  });

  it('hears nothing more from a socket that it gave up', async () => {
    const { connection, clock, sockets, socket } = openWorld();
    const [old] = sockets;
    const said: string[] = [];
    connection.onFrame((frame) => said.push(frame.type));
    old?.end();
    await clock.advance(250);
    socket().accept();
    old?.say({ type: 'sessions:changed' });
    old?.end();
    expect([said, connection.state().kind]).toEqual([[], 'open']);
  });

  it('stops for good', async () => {
    const { connection, clock, sockets } = openWorld();
    connection.stop();
    await clock.advance(60_000);
    connection.nudge('online');
    expect(sockets).toHaveLength(1);
    expect(sockets[0]?.isClosed).toBe(true);
  });
});

describe('access', () => {
  it('is lost with 4401: no more attempts until there is a new key', async () => {
    const self = openWorld();
    self.socket().end(4401);
    expect(self.connection.state().kind).toBe('unauthorised');
    await self.clock.advance(60_000);
    self.connection.nudge('visible');
    expect(self.sockets).toHaveLength(1);
    self.key = 'new';
    self.connection.nudge('retry');
    expect(self.socket().protocols).toContain('key.new');
  });

  it('is asked for over HTTP when an upgrade fails without a reason', async () => {
    const self = world();
    self.access = 'refused';
    self.connection.start();
    self.socket().end();
    await self.clock.advance(0);
    expect(self.connection.state().kind).toBe('unauthorised');
    await self.clock.advance(60_000);
    expect(self.sockets).toHaveLength(1);
  });

  it.each(['granted', 'refused'] as const)('without a key is the server\'s to decide: %s', async (access) => {
    const self = world();
    [self.key, self.access] = [undefined, access];
    self.connection.start();
    expect(self.socket().protocols).toEqual(['liminal.v1']);
    if (access === 'granted') self.socket().accept();
    else self.socket().end();
    await self.clock.advance(0);
    expect(self.connection.state().kind).toBe(access === 'granted' ? 'open' : 'unauthorised');
  });
});

describe('a silent socket', () => {
  it('is asked after 30 seconds and given up after 45', async () => {
    const { connection, clock, socket, sockets } = openWorld();
    await clock.advance(29_000);
    expect(socket().sent).toEqual([]);
    await clock.advance(2_000);
    expect(socket().sent).toHaveLength(1);
    await clock.advance(13_000);
    expect(connection.state().kind).toBe('open');
    await clock.advance(2_000);
    expect(sockets[0]?.isClosed).toBe(true);
    expect(connection.state().kind).toBe('reconnecting');
  });

  it.each(['ok', 'error'] as const)('lives if it answers with %s', async (answer) => {
    const { connection, clock, socket, sockets } = openWorld();
    for (let minute = 0; minute < 5; minute += 1) {
      await clock.advance(31_000);
      if (answer === 'ok') socket().ok(socket().last());
      else socket().refuse(socket().last(), 'SESSION_NOT_FOUND');
    }
    expect([connection.state().kind, sockets.length]).toEqual(['open', 1]);
  });

  it('is asked nothing that changes anything', async () => {
    const { clock, socket } = openWorld();
    await clock.advance(31_000);
    expect(socket().last()).toMatchObject({ type: 'session:unsubscribe', sessionId: 'liminal:probe' });
  });

  it('is left alone while nobody looks, and asked as soon as somebody does', async () => {
    const self = openWorld();
    self.isVisible = false;
    await self.clock.advance(300_000);
    expect([self.socket().sent, self.connection.state().kind]).toEqual([[], 'open']);
    self.isVisible = true;
    self.connection.nudge('visible');
    expect(self.socket().sent).toHaveLength(1);
    await self.clock.advance(3_000);
    expect(self.connection.state().kind).toBe('reconnecting');
  });

  it('stays if it answers the one who looks', async () => {
    const { connection, clock, socket } = openWorld();
    connection.nudge('online');
    socket().ok(socket().last());
    await clock.advance(20_000);
    expect(connection.state().kind).toBe('open');
  });
});

describe('questions', () => {
  it('get their own answers', async () => {
    const { connection, socket } = openWorld();
    const [first, second] = [connection.request(CANCEL), connection.request(CANCEL)];
    socket().refuse(socket().sent[1], 'WRONG_STATE');
    socket().ok(socket().sent[0], { turnId: 't1' });
    await expect(first).resolves.toMatchObject({ turnId: 't1' });
    await expect(second).rejects.toMatchObject({ problem: { code: 'WRONG_STATE' } });
    await expect(second).rejects.toBeInstanceOf(Refused);
  });

  it('are lost with the socket, and refused without one', async () => {
    const { connection, socket } = openWorld();
    const pending = connection.request(CANCEL);
    socket().end();
    await expect(pending).rejects.toBeInstanceOf(Disconnected);
    await expect(connection.request(CANCEL)).rejects.toBeInstanceOf(Disconnected);
  });

  it('do not wait forever on a socket that says other things', async () => {
    const { connection, clock, socket } = openWorld();
    const pending = connection.request(CANCEL).catch((error: unknown) => error);
    for (let step = 0; step < 6; step += 1) {
      await clock.advance(10_000);
      socket().say({ type: 'sessions:changed' });
    }
    expect(await pending).toBeInstanceOf(Unanswered);
    expect(connection.state().kind).toBe('open');
  });

  it('go out in order and never more than 40 a second', async () => {
    const { connection, clock, socket } = openWorld();
    for (let count = 0; count < 100; count += 1) connection.request({ ...CANCEL, sessionId: `s${count}` }).catch(() => undefined);
    const counts = [socket().sent.length];
    for (let second = 0; second < 2; second += 1) {
      await clock.advance(1000);
      counts.push(socket().sent.length);
    }
    expect(counts).toEqual([40, 80, 100]);
    expect(socket().sent.map((frame) => 'sessionId' in frame && frame.sessionId)).toEqual(Array.from({ length: 100 }, (_, n) => `s${n}`));
  });

  it.each([['x', 1_048_400, true], ['x', 1_048_600, false], ['ü', 524_400, false], ['ü', 520_000, true]])(
    'of %s × %i go out: %s, since a larger one would close the socket again and again', async (letter, count, isSent) => {
      const { connection, socket } = openWorld();
      const asked = connection.request({ type: 'session:send', sessionId: 's', message: letter.repeat(count) }).catch((error: unknown) => error);
      expect(socket().sent).toHaveLength(isSent ? 1 : 0);
      if (!isSent) expect(await asked).toMatchObject({ problem: { code: 'BODY_TOO_LARGE' } });
    });

  it('survive what is no frame', async () => {
    const { connection, socket } = openWorld();
    const said: string[] = [];
    connection.onFrame((frame) => said.push(frame.type));
    for (const data of ['', '{', 'null', '1', '"x"', '{}', new ArrayBuffer(1)]) socket().onmessage?.({ data });
    socket().say({ type: 'sessions:changed' });
    await settled();
    expect(said).toEqual(['sessions:changed']);
  });
});
