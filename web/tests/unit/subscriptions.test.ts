import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/model/session-log';
import { type CaughtUp, createSubscriptions } from '../../src/protocol/subscriptions';
import { append, history, message, SESSION, subscribed, turnStarted, upsert } from './support/frames';
import { openWorld, world } from './support/sockets';
import { settled } from './support/clock';

function setUp(self = openWorld()) {
  const changes: Change[] = [];
  const caughtUp: CaughtUp[] = [];
  const refused: string[] = [];
  const subscriptions = createSubscriptions({
    connection: self.connection, window: 200,
    onChange: (_, change) => changes.push(change),
    onCaughtUp: (event) => caughtUp.push(event),
    onRefused: (_, error) => refused.push(error.message),
  });
  return { ...self, self, subscriptions, changes, caughtUp, refused };
}

async function reconnect({ self }: ReturnType<typeof setUp>): Promise<void> {
  self.socket().end();
  await self.clock.advance(1000);
  self.socket().accept();
}

function load({ self }: ReturnType<typeof setUp>): void {
  self.socket().say(subscribed('reset', 1));
  self.socket().say(history(1, [message('a', 'abc', 'update')]));
}

describe('subscribing', () => {
  it('asks for additions and a window, without a cursor at first', () => {
    const { subscriptions, socket } = setUp();
    subscriptions.acquire(SESSION);
    expect(socket().last()).toMatchObject({ type: 'session:subscribe', sessionId: SESSION, encoding: 'append', window: 200 });
    expect(socket().last()).not.toHaveProperty('after');
  });

  it('waits for the connection', () => {
    const self = world();
    const { subscriptions } = setUp(self);
    subscriptions.acquire(SESSION);
    self.connection.start();
    self.socket().accept();
    expect(self.socket().of('session:subscribe')).toHaveLength(1);
  });

  it('is done once for all who want the session, and ends with the last of them', () => {
    const { subscriptions, socket } = setUp();
    const releases = [subscriptions.acquire(SESSION), subscriptions.acquire(SESSION)];
    expect(socket().sent).toHaveLength(1);
    releases[0]?.();
    releases[0]?.();
    expect(socket().of('session:unsubscribe')).toEqual([]);
    releases[1]?.();
    expect(socket().of('session:unsubscribe')).toHaveLength(1);
    expect(subscriptions.log(SESSION)).toBeUndefined();
  });

  it('tells what changed, and nothing of sessions that nobody wants', () => {
    const all = setUp();
    all.subscriptions.acquire(SESSION);
    load(all);
    all.socket().say({ ...upsert(2, message('x', 'y')), sessionId: 'other' });
    all.socket().say(upsert(2, message('b', 'new')));
    all.socket().say(upsert(2, message('b', 'again')));
    expect(all.changes.map((change) => change.items)).toEqual([[], ['a'], ['b']]);
    expect(all.subscriptions.cursor(SESSION)).toBe('e1.2');
  });

  it('tells a refusal', async () => {
    const { subscriptions, socket, refused } = setUp();
    subscriptions.acquire(SESSION);
    socket().refuse(socket().last(), 'SESSION_NOT_FOUND');
    await settled();
    expect(refused).toEqual(['no']);
  });
});

describe('resuming', () => {
  it('comes back with the cursor of the last frame applied', async () => {
    const all = setUp();
    all.subscriptions.acquire(SESSION);
    load(all);
    all.socket().say(upsert(5, message('b', 'x')));
    await reconnect(all);
    expect(all.self.socket().last()).toMatchObject({ type: 'session:subscribe', after: 'e1.5', encoding: 'append' });
  });

  it('counts what was missed, once all of it is there', async () => {
    const all = setUp();
    all.subscriptions.acquire(SESSION);
    load(all);
    expect(all.caughtUp).toEqual([]);
    await reconnect(all);
    const socket = all.self.socket();
    socket.say(subscribed('ok', 4));
    socket.say(upsert(3, message('b', 'x')));
    expect(all.caughtUp).toEqual([]);
    socket.say(turnStarted(4));
    socket.say(upsert(5, message('c', 'x')));
    expect(all.caughtUp).toEqual([{ sessionId: SESSION, updates: 2, isReset: false }]);
  });

  it('tells at once that nothing was missed', async () => {
    const all = setUp();
    all.subscriptions.acquire(SESSION);
    load(all);
    await reconnect(all);
    all.self.socket().say(subscribed('ok', 1));
    expect(all.caughtUp).toEqual([{ sessionId: SESSION, updates: 0, isReset: false }]);
  });

  it('replaces everything if the server says so', async () => {
    const all = setUp();
    all.subscriptions.acquire(SESSION);
    load(all);
    await reconnect(all);
    all.self.socket().say(subscribed('reset', 1, 'e2'));
    all.self.socket().say(history(1, [message('z', '')]));
    expect(all.subscriptions.log(SESSION)?.order).toEqual(['z']);
    expect(all.caughtUp).toEqual([{ sessionId: SESSION, updates: 1, isReset: true }]);
  });

  it('asks for everything if it was cut off before a history came', async () => {
    const all = setUp();
    all.subscriptions.acquire(SESSION);
    load(all);
    await reconnect(all);
    all.self.socket().say(subscribed('reset', 9, 'e2'));
    await reconnect(all);
    expect(all.self.socket().last()).not.toHaveProperty('after');
  });

  it('starts over, once, if what is held does not fit', () => {
    const all = setUp();
    all.subscriptions.acquire(SESSION);
    load(all);
    const before = all.socket().sent.length;
    all.socket().say(append(2, 'a', 99, 'x'));
    all.socket().say(append(3, 'a', 99, 'x'));
    const sent = all.socket().sent.slice(before);
    expect(sent.map((frame) => frame.type)).toEqual(['session:unsubscribe', 'session:subscribe']);
    expect(sent[1]).not.toHaveProperty('after');
    all.socket().say(subscribed('reset', 3));
    all.socket().say(history(3, [message('a', 'abcdef', 'update')]));
    expect(all.subscriptions.cursor(SESSION)).toBe('e1.3');
  });
});
