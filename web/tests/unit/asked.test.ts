import { describe, expect, it } from 'vitest';
import { answersOf, problemWith } from '../../src/model/answers';
import { partsOf, subjectOf } from '../../src/model/asked';
import { clipped, folded, isLong, linesOf } from '../../src/model/lines';
import { safest, isRisky, mildestRejection } from '../../src/model/option-safety';
import { outcomeWords } from '../../src/model/permission-words';
import type { PermissionRow } from '../../src/model/rows';
import { permissionOutcome } from '../../src/model/section';
import type { ItemOf } from '../../src/model/session-log';
import { changedLines } from '../../src/render/diff-model';
import { visibleLine } from '../../src/render/visible-text';
import type { PermissionBody, Upsert } from '../../src/gen/contracts';
import { permission } from './support/frames';

describe('the parts of a request', () => {
  it('are a command and every other value of the input', () => {
    expect(partsOf({ input: { command: 'ls\nrm x', description: 'List', timeout: 5, run_in_background: false } })).toEqual([
      { kind: 'command', text: 'ls\nrm x' }, { kind: 'value', name: 'description', text: 'List' },
      { kind: 'value', name: 'timeout', text: '5' }, { kind: 'value', name: 'run_in_background', text: 'false' },
    ]);
  });

  it('keep the words of a command apart', () => {
    expect(partsOf({ input: { command: ['sh', '-c', 'rm -rf a b'] } })).toEqual([{ kind: 'command', text: 'sh -c "rm -rf a b"' }]);
  });

  it('are the whole content of a file', () => {
    expect(partsOf({ input: { file_path: '/a/b.txt', content: 'one\ntwo\n' } })).toEqual([{ kind: 'file', path: '/a/b.txt', text: 'one\ntwo\n' }]);
  });

  it('are a change and whether it is made everywhere', () => {
    expect(partsOf({ input: { file_path: '/a', old_string: 'x', new_string: 'y', replace_all: true } })).toEqual([
      { kind: 'change', diff: { path: '/a', oldText: 'x', newText: 'y' } }, { kind: 'value', name: 'replace_all', text: 'true' },
    ]);
  });

  it('are several changes; one with more than two texts stays as it came', () => {
    const plain = { old_string: 'x', new_string: 'y' };
    expect(partsOf({ input: { file_path: '/a', edits: [plain, plain] } }).map((part) => part.kind)).toEqual(['change', 'change']);
    expect(partsOf({ input: { file_path: '/a', edits: [{ ...plain, replace_all: true }] } }).map((part) => part.kind)).toEqual(['value', 'value']);
  });

  it('are the diffs of an agent that sends them, beside all of its input', () => {
    const diffs = [{ path: '/a', newText: 'new' }];
    expect(partsOf({ input: { note: 'n' }, diffs }).map((part) => part.kind)).toEqual(['change', 'value']);
  });

  it('leave nothing of any input out', () => {
    const input = { command: 'ls', cmd: 'rm', path: '/p', file_path: '/q', content: 'c', old_string: 'o', nested: { deep: ['x'] }, nothing: null };
    const shown = JSON.stringify(partsOf({ input }));
    for (const text of ['ls', 'rm', '/p', '/q', '"text":"c"', '"text":"o"', 'deep', 'nothing']) expect(shown).toContain(text);
  });

  it('give a subject', () => {
    expect(subjectOf({ input: { command: 'ls' } })).toBe('ls');
    expect(subjectOf({ input: { file_path: '/a', content: '' } })).toBe('/a');
    expect(subjectOf({ input: {} })).toBe('');
  });
});

describe('long texts', () => {
  it('are folded with the number of lines that are left out', () => {
    const lines = linesOf(Array.from({ length: 100 }, (_, index) => `${index}`).join('\n'));
    const { head, hidden, tail } = folded(lines);
    expect(head.length + hidden + tail.length).toBe(100);
    expect([head[0]?.text, tail.at(-1)?.text, hidden]).toEqual(['0', '99', 64]);
    expect(isLong(lines)).toBe(true);
    expect(isLong(lines.slice(0, 40))).toBe(false);
  });

  it('are clipped within a line with the number of characters that are left out', () => {
    const text = `ls ${'x'.repeat(2000)} ; rm -rf /`;
    const { head, hidden, tail } = clipped(text);
    expect(head.length + hidden + tail.length).toBe(text.length);
    expect(tail.endsWith('; rm -rf /')).toBe(true);
    expect(isLong(linesOf(text))).toBe(true);
  });

  it('are compared whole: no line is cut or left out', () => {
    const long = 'y'.repeat(5000);
    const newText = [...Array.from({ length: 6000 }, (_, index) => `line ${index}`), long].join('\n');
    const lines = changedLines({ newText }).flat();
    expect(lines).toHaveLength(6001);
    expect(lines.at(-1)?.text).toBe(long);
  });
});

describe('a line of what will run', () => {
  const marks = (line: string): string => visibleLine(line).map((piece) => piece.hidden ?? piece.mark ?? piece.text).join('');
  it.each([
    ['plain text', 'plain text'],
    ['a\tb', 'a⇥\tb'],
    ['trailing  ', 'trailing··'],
    ['   ', '···'],
    ['dos\r', 'dos␍'],
    ['over\rwritten', 'overU+000Dwritten'],
    ['rm\u202e txt', 'rmU+202E txt'],
    ['a\u200bb', 'aU+200Bb'],
    ['rm\u00a0-rf', 'rmU+00A0-rf'],
    ['a\u2003b\u3000c', 'aU+2003bU+3000c'],
    ['a\u2800b', 'aU+2800b'],
    ['\u001b[31mred', 'U+001B[31mred'],
    ['a\u2028b', 'aU+2028b'],
    ['\ud800x', 'U+D800x'],
    ['x\u{e0041}y', 'xU+E0041y'],
    [`ls${' '.repeat(500)}; rm x`, 'ls‹500 spaces›; rm x'],
    [`ls${' '.repeat(500)}`, 'ls‹500 spaces›'],
    ['    indented', '    indented'],
    ['äöü 漢字 🙂', 'äöü 漢字 🙂'],
  ])('%j is shown as %j', (line, shown) => {
    expect(marks(line)).toBe(shown);
    expect(visibleLine(line).map((piece) => piece.text).join('')).toBe(line);
  });
});

describe('answers', () => {
  const question = { question: 'How many?', multiSelect: false, options: [] };
  it.each([
    [{}, '', 'Answer every question to continue'], [{ isOptional: true }, '', undefined], [{}, 'some', undefined],
    [{ answerType: 'integer' as const }, 'many', 'Enter a whole number'], [{ answerType: 'integer' as const }, '1.5', 'Enter a whole number'],
    [{ answerType: 'integer' as const }, ' -12 ', undefined], [{ answerType: 'number' as const }, '1.5', undefined], [{ answerType: 'number' as const }, 'x', 'Enter a number'],
  ])('%j with %j: %j', (type, words, problem) => {
    expect(problemWith({ ...question, ...type }, { chosen: [], words })).toBe(problem);
  });

  it('leave out what was not answered', () => {
    const questions = [question, { ...question, question: 'Which?', isOptional: true }];
    expect(answersOf(questions, [{ chosen: [], words: '3' }, { chosen: [], words: ' ' }])).toEqual({ 'How many?': '3' });
  });
});

describe('options', () => {
  const option = (kind: PermissionBody['options'][number]['kind']) => ({ optionId: kind, name: '', kind });
  it('are safest when they reject once, and an unknown kind comes last', () => {
    expect(safest([option('allow_always'), option('allow_once')])?.optionId).toBe('allow_once');
    expect(safest([option('allow_once'), option('reject_once')])?.optionId).toBe('reject_once');
    expect(safest([option('other'), option('allow_always')])?.optionId).toBe('allow_always');
    expect(safest([option('other')])?.optionId).toBe('other');
    expect(safest([])).toBeUndefined();
  });

  it('are risky if they last or are unknown', () => {
    const kinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always', 'other'] as const;
    expect(kinds.filter((kind) => isRisky(option(kind)))).toEqual(['allow_always', 'other']);
  });

  it('are rejected with a reason by the mildest rejection', () => {
    expect(mildestRejection([option('reject_always'), option('allow_once'), option('reject_once')])?.optionId).toBe('reject_once');
    expect(mildestRejection([option('allow_once')])).toBeUndefined();
  });
});

describe('an outcome in words', () => {
  type Fields = Partial<Extract<Upsert, { type: 'permission' }>>;
  const words = (fields: Fields) => {
    const state = permission('p', { input: { command: 'ls -la' }, ...fields });
    const item = { id: 'p', turnId: 't1', state, startedAt: '2026-01-01T00:00:00Z' } as ItemOf<'permission'>;
    const row: PermissionRow = { kind: 'permission', key: 'p', turnId: 't1', item, ...permissionOutcome(item) };
    return outcomeWords(row);
  };
  const always = [{ optionId: 'yes', name: 'Allow Bash(ls:*) in this session', kind: 'allow_always' as const }];
  const question = { question: 'Which database?', multiSelect: false, options: [{ label: 'PostgreSQL' }] };
  it.each<[Fields, ReturnType<typeof words>]>([
    [{ status: 'complete', outcome: { optionId: 'yes', by: 'user' } }, { label: 'You allowed', subject: 'ls -la', note: undefined }],
    [{ status: 'complete', outcome: { optionId: 'yes', by: 'user' }, options: always }, { label: 'You allowed', subject: 'ls -la', note: 'Allow Bash(ls:*) in this session' }],
    [{ status: 'complete', outcome: { optionId: 'no', reason: 'wrong branch', by: 'user' } }, { label: 'You rejected', subject: 'ls -la', note: 'wrong branch' }],
    [{ status: 'complete', outcome: { optionId: 'yes', answers: { 'Which database?': 'PostgreSQL' }, by: 'user' }, questions: [question] }, { label: 'You chose', subject: 'PostgreSQL', note: undefined }],
    [{ status: 'complete', outcome: { optionId: 'no', by: 'user' }, questions: [question] }, { label: 'You skipped', subject: '', note: undefined }],
    [{ status: 'error', outcome: { by: 'timeout', reason: 'No answer in 10 min, rejected automatically' } }, { label: 'Timed out – rejected', subject: 'ls -la', note: 'No answer in 10 min, rejected automatically' }],
    [{ status: 'error', outcome: { by: 'agent' } }, { label: 'Agent withdrew', subject: 'ls -la', note: undefined }],
    [{ status: 'error', outcome: { by: 'restart' } }, { label: 'Cancelled', subject: 'ls -la', note: 'Server restarted' }],
    [{ status: 'error', outcome: { by: 'user', reason: 'the turn was stopped' } }, { label: 'Cancelled', subject: 'ls -la', note: undefined }],
    [{ status: 'error' }, { label: 'Cancelled', subject: 'ls -la', note: undefined }],
  ])('%j', (fields, expected) => {
    expect(words(fields)).toEqual(expected);
  });
});
