import { describe, expect, it } from 'vitest';
import { announcementOf } from '../../src/model/announcements';
import { backgroundCount, backgroundText, hasTurn, tasksText } from '../../src/model/background';
import { newsOf } from '../../src/model/news';
import { type Glyph, glyphOf, glyphText } from '../../src/model/status';
import type { SessionView } from '../../src/protocol/frames';
import { idleView } from './support/frames';

const background = (running: number) => ({ background: { running } });

describe('a session with background work', () => {
  const view = (fields: Partial<SessionView>): SessionView => ({ ...idleView, ...fields });

  it.each<[boolean, Partial<SessionView>]>([
    [false, {}],
    [false, background(2)],
    [false, { state: 'waiting', pending: ['p'], ...background(1) }],
    [true, { state: 'waiting', turn: 't1', pending: ['p'], ...background(1) }],
    [true, { state: 'waiting', pending: ['p'] }],
    [true, { state: 'running', turn: 't1', ...background(1) }],
    [true, { state: 'cancelling', turn: 't1' }],
    [true, { state: 'starting' }],
    [false, { state: 'closed' }],
  ])('has a turn: %s with %j', (expected, fields) => {
    expect(hasTurn(view(fields))).toBe(expected);
  });

  it('counts and names it', () => {
    expect([undefined, view({}), view(background(3))].map(backgroundCount)).toEqual([0, 0, 3]);
    expect([1, 2].map(tasksText)).toEqual(['1 task', '2 tasks']);
    expect([1, 2].map(backgroundText)).toEqual(['Running in the background: 1 task', 'Running in the background: 2 tasks']);
  });

  const summary = { state: 'idle' as const, pending: 0, seq: 5 };
  it.each<[Glyph, Parameters<typeof glyphOf>[0]]>([
    ['background', { summary, background: 1 }],
    ['background', { summary, background: 1, seenSeq: 4 }],
    ['background', { summary, view: view(background(1)) }],
    ['background', { summary: { ...summary, hasFailed: true }, background: 1, seenSeq: 5 }],
    ['error', { summary: { ...summary, hasFailed: true }, background: 1, seenSeq: 4 }],
    ['running', { summary: { ...summary, state: 'running' }, background: 1 }],
    ['needs-you', { summary: { ...summary, state: 'waiting', pending: 1 }, background: 1 }],
    ['unread', { summary, background: 0, seenSeq: 4 }],
  ])('is %s in the list', (glyph, input) => {
    expect(glyphOf(input)).toBe(glyph);
  });

  it('says in the list what runs', () => {
    expect(glyphText('background', 1)).toBe('Running in the background: 1 task');
    expect(glyphText('running', 1)).toBe('running');
    expect(glyphText('idle', 0)).toBe('idle');
  });

  it.each<[string | undefined, Glyph | undefined, Glyph]>([
    ['continues', 'running', 'background'],
    ['done', 'running', 'idle'],
    ['done', 'running', 'unread'],
    ['background-over', 'background', 'idle'],
    ['background-over', 'background', 'unread'],
    ['needs-you', 'background', 'needs-you'],
    ['error', 'running', 'error'],
    [undefined, 'background', 'running'],
    [undefined, 'needs-you', 'background'],
    [undefined, 'needs-you', 'idle'],
    [undefined, 'unread', 'background'],
    [undefined, undefined, 'background'],
    [undefined, 'background', 'background'],
  ])('is news %s from %s to %s', (news, before, after) => {
    expect(newsOf(before, after)).toBe(news);
  });

  const turn = { state: 'running' as const, turn: 't1' };
  it.each<[string | undefined, Partial<SessionView>, Partial<SessionView>, boolean?]>([
    ['The agent works', {}, turn],
    ['The agent works', background(1), { ...turn, ...background(1) }],
    [undefined, { state: 'starting' }, turn],
    ['The turn is done', turn, {}],
    ['The turn failed', turn, {}, true],
    ['The turn is done', { ...turn, state: 'waiting' }, {}],
    ['The turn is done. Running in the background: 2 tasks', { ...turn, ...background(2) }, background(2)],
    ['The turn is done', { ...turn, ...background(1) }, {}],
    [undefined, { state: 'starting' }, {}],
    [undefined, background(2), background(1)],
    ['The background work has ended', background(1), {}],
    ['The agent works', background(1), turn],
    [undefined, { state: 'waiting', pending: ['p'], ...background(1) }, background(1)],
    ['The background work has ended', { state: 'waiting', pending: ['p'], ...background(1) }, {}],
  ])('is announced by %j from %j to %j', (text, before, after, hasFailed = false) => {
    expect(announcementOf(view(before), view(after), hasFailed)).toBe(text);
  });

  it('is not announced when it is first seen', () => {
    expect(announcementOf(undefined, view(background(1)), false)).toBeUndefined();
  });
});
