import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../src/gen/contracts';
import { createDrafts } from '../../src/model/drafts';
import { fuzzyFilter, fuzzyMatch } from '../../src/model/fuzzy';
import { ageText, filterSessions, groupByProject, sortSessions, titleOf } from '../../src/model/list';
import { notRecalling, promptsOf, recallStep } from '../../src/model/prompt-history';
import { countNeedsYou, documentTitle, glyphOf } from '../../src/model/status';
import { durationText, usageText } from '../../src/model/turn';
import { createSessionLog } from '../../src/model/session-log';
import { memoryStorage } from '../../src/protocol/environment';
import { fakeClock, fastest } from './support/clock';
import { history, idleView, message, SESSION, subscribed } from './support/frames';

const summary = (fields: Partial<SessionSummary> = {}): SessionSummary => ({
  sessionId: 's', cliType: 'claude-code', projectId: 'p', title: 'Fix the tests', directory: '/home/dev/project', state: 'idle',
  isAlive: false, source: 'made', pending: 0, seq: 5, updatedAt: '2026-01-01T00:00:00Z', ...fields,
});

describe('status', () => {
  it.each<[string, Parameters<typeof glyphOf>[0]]>([
    ['idle', { summary: summary() }],
    ['idle', { summary: summary(), seenSeq: 5 }],
    ['unread', { summary: summary(), seenSeq: 4 }],
    ['idle', { summary: summary({ seq: 0 }) }],
    ['error', { summary: summary({ hasFailed: true }), seenSeq: 1 }],
    ['error', { summary: summary({ hasFailed: true }) }],
    ['error', { summary: summary({ hasFailed: true }), seenSeq: 5, isShown: true }],
    ['idle', { summary: summary({ hasFailed: true }), seenSeq: 5 }],
    ['idle', { summary: summary(), seenSeq: 4, isShown: true }],
    ['running', { summary: summary({ state: 'running', hasFailed: true }) }],
    ['running', { summary: summary({ state: 'cancelling' }) }],
    ['running', { summary: summary({ state: 'starting' }) }],
    ['needs-you', { summary: summary({ state: 'waiting' }) }],
    ['needs-you', { summary: summary({ state: 'running', pending: 1 }) }],
    ['needs-you', { summary: summary({ state: 'running', timedOut: true }) }],
    ['needs-you', { summary: summary({ timedOut: true }), isShown: true }],
    ['idle', { summary: summary({ state: 'waiting', pending: 1 }), view: idleView }],
    ['error', { summary: summary(), view: { ...idleView, failure: { code: 'X', message: 'y' } } }],
  ])('is %s', (glyph, input) => {
    expect(glyphOf(input)).toBe(glyph);
  });

  it('is counted in the title', () => {
    expect(documentTitle(countNeedsYou(['idle', 'needs-you', 'needs-you', 'error']))).toBe('(2) Liminal Builder');
    expect(documentTitle(0)).toBe('Liminal Builder');
  });
});

describe('list', () => {
  const sessions = [
    summary({ sessionId: 'a', title: 'Café menu', source: 'found' }),
    summary({ sessionId: 'b', title: undefined, directory: '/srv/api' }),
    summary({ sessionId: 'c', title: 'API tests', cliType: 'codex' }),
  ];
  const ids = (list: SessionSummary[]) => list.map((session) => session.sessionId);

  it.each([
    ['', ['a', 'b', 'c']], ['api', ['b', 'c']], ['API codex', ['c']], ['cafe', ['a']], ['  menu CAFÉ ', ['a']], ['nothing', []],
  ])('finds %j', (text, expected) => {
    expect(ids(filterSessions(sessions, { text }))).toEqual(expected);
  });

  it('hides sessions of other programs', () => {
    expect(ids(filterSessions(sessions, { showFound: false }))).toEqual(['b', 'c']);
  });

  it('filters a thousand rows well within 50 ms, also the first time', () => {
    const filter = () => {
      const many = Array.from({ length: 1000 }, (_, n) => summary({ sessionId: `s${n}`, title: `Session ${n} about the thing`.repeat(3) }));
      expect(filterSessions(many, { text: 'session 99 thing' })).toHaveLength(19);
    };
    expect(fastest(filter)).toBeLessThan(50);
  });

  it('puts the newest first, and equals always in the same order', () => {
    const list = [summary({ sessionId: 'z' }), summary({ sessionId: 'y' }), summary({ sessionId: 'n', updatedAt: '2026-02-01T00:00:00Z' })];
    expect(ids(sortSessions(list))).toEqual(['n', 'y', 'z']);
    expect(ids(sortSessions(list.toReversed()))).toEqual(['n', 'y', 'z']);
  });

  it('groups by project', () => {
    const groups = groupByProject([summary({ projectId: 'p' }), summary({ projectId: 'q' }), summary({ projectId: 'p', sessionId: 't' })]);
    expect([...groups].map(([id, list]) => [id, list.length])).toEqual([['p', 2], ['q', 1]]);
  });

  it.each([[-5, 'now'], [59, 'now'], [60, '1m'], [3599, '59m'], [3600, '1h'], [86_399, '23h'], [86_400, '1d'], [604_800, '1w'], [6_048_000, '10w']])(
    'is %i seconds old: %s', (seconds, text) => {
      expect(ageText('2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1) + seconds * 1000)).toBe(text);
    });

  it('has a word for what has no title or time', () => {
    expect([titleOf({ title: ' ' }), titleOf({}), ageText('soon', 0)]).toEqual(['Untitled session', 'Untitled session', '']);
  });
});

describe('cost and time', () => {
  it.each([
    [{ inputTokens: 10, outputTokens: 5 }, '10 tokens in · 5 out'],
    [{ inputTokens: 300, outputTokens: 456, cacheReadInputTokens: 12_000, costUsd: 0.034 }, '12.3k tokens in · 456 out · $0.03'],
    [{ inputTokens: 1_500_000, outputTokens: 150_400, costUsd: 0.001 }, '1.5M tokens in · 150k out · <$0.01'],
    [{ inputTokens: 999_700, outputTokens: 1000, costUsd: 0 }, '1M tokens in · 1k out · $0.00'],
  ])('%j', (usage, text) => {
    expect(usageText(usage)).toBe(text);
  });

  it('tells nothing of what is not known', () => {
    expect(usageText(undefined)).toBe('');
  });

  it.each([[0, '0.0 s'], [400, '0.4 s'], [9949, '9.9 s'], [12_300, '12 s'], [185_000, '3 min 05 s'], [3_720_000, '1 h 02 min'], [-3, '0.0 s']])(
    '%i ms is %s', (milliseconds, text) => {
      expect(durationText(milliseconds)).toBe(text);
    });
});

describe('drafts', () => {
  it('are stored within half a second, also while typing goes on', async () => {
    const [storage, clock] = [memoryStorage(), fakeClock()];
    const drafts = createDrafts({ storage, clock });
    for (let letter = 1; letter <= 10; letter += 1) {
      drafts.set('s', 'x'.repeat(letter));
      await clock.advance(50);
    }
    expect(createDrafts({ storage, clock }).get('s').length).toBeGreaterThanOrEqual(8);
    expect(drafts.get('s')).toBe('x'.repeat(10));
  });

  it('are written at once when the page goes, and are each session’s own', () => {
    const [storage, clock] = [memoryStorage(), fakeClock()];
    const drafts = createDrafts({ storage, clock });
    drafts.set('a', 'one');
    drafts.set('b', 'two');
    drafts.flush();
    const again = createDrafts({ storage, clock });
    expect([again.get('a'), again.get('b'), again.get('c')]).toEqual(['one', 'two', '']);
  });

  it('are cleared when they were sent, unless something else was typed since', () => {
    const [storage, clock] = [memoryStorage(), fakeClock()];
    const drafts = createDrafts({ storage, clock });
    drafts.set('a', 'next one');
    drafts.clear('a', 'sent');
    expect(drafts.get('a')).toBe('next one');
    drafts.clear('a', 'next one');
    drafts.flush();
    expect([drafts.get('a'), storage.keys()]).toEqual(['', []]);
  });
});

describe('recalling prompts', () => {
  const log = createSessionLog(SESSION);
  log.apply(subscribed('reset'));
  log.apply(history(5, [
    message('1', 'first', 'complete', 'user'), message('2', 'answer'), message('3', 'second', 'complete', 'user'),
    message('4', 'first', 'complete', 'user'), { ...message('5', 'inner', 'complete', 'user'), parentCallId: 'c' },
  ]));
  const prompts = promptsOf(log);

  it('knows them, the newest first and each once', () => {
    expect(prompts).toEqual(['first', 'second']);
  });

  it('goes up and down, and back to what was there', () => {
    const texts: string[] = [];
    let [recall, text] = [notRecalling, ''];
    for (const direction of ['older', 'older', 'older', 'newer', 'newer', 'newer'] as const) {
      const step = recallStep(recall, direction, text, prompts);
      if (step) [recall, text] = [step.recall, step.text];
      texts.push(step ? text : '-');
    }
    expect(texts).toEqual(['first', 'second', '-', 'first', '', '-']);
  });

  it('leaves the keys alone where something is written', () => {
    expect(recallStep(notRecalling, 'older', 'typing', prompts)).toBeUndefined();
    expect(recallStep({ index: 0, draft: '' }, 'older', 'first, changed', prompts)).toBeUndefined();
    expect(recallStep(notRecalling, 'older', '', [])).toBeUndefined();
  });
});

describe('fuzzy', () => {
  it.each([
    ['', 'anything', []],
    ['fb', 'foo-bar', [[0, 1], [4, 5]]],
    ['bar', 'foo bar', [[4, 7]]],
    ['sl', 'SessionLog', [[0, 1], [7, 8]]],
    ['sess log', 'session-log.ts', [[0, 4], [8, 11]]],
    ['aab', 'a-ab', [[0, 1], [2, 4]]],
  ])('%j finds its letters in %j', (query, text, ranges) => {
    expect(fuzzyMatch(query, text)?.ranges).toEqual(ranges);
  });

  it.each([['xyz', 'foo'], ['ba', 'ab'], ['aaa', 'aa']])('%j is not in %j', (query, text) => {
    expect(fuzzyMatch(query, text)).toBeUndefined();
  });

  it.each([
    ['log', ['log', 'logger', 'model/log.ts', 'dialog', 'l-o-g', 'lxxoxxg']],
    ['ns', ['New session', 'transport']],
  ])('%j ranks what was meant first', (query, texts) => {
    const ranked = fuzzyFilter(query, texts.toReversed(), (text) => text).map((hit) => hit.item);
    expect(ranked).toEqual(texts);
  });

  it('gives the first ones for nothing, and never more than asked', () => {
    expect(fuzzyFilter('', ['a', 'b', 'c'], (text) => text, 2).map((hit) => hit.item).length).toBe(2);
  });

  it('is quick on many long texts', () => {
    const many = Array.from({ length: 5000 }, (_, n) => `src/some/long/path/of/a/project/file-${n}.test.ts`);
    expect(fastest(() => fuzzyFilter('splpfts', many, (text) => text))).toBeLessThan(1_000);
  });
});
