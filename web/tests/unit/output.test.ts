import { describe, expect, it } from 'vitest';
import { ansiLines, stripAnsi } from '../../src/render/ansi';
import { lineIndex, outputModel, showAllText } from '../../src/render/output-model';
import { chance } from './support/chance';
import { fastest } from './support/clock';

const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`).join('\n');
const one = (text: string) => ansiLines([text])[0]!;
const textOf = (text: string) => one(text).map((span) => span.text).join('');

describe('long outputs', () => {
  it('are shown whole up to 500 lines', () => {
    const model = outputModel(`${lines(500)}\n`);
    expect(model).toMatchObject({ totalLines: 500, hiddenLines: 0, tail: [], isWhole: true });
    expect(model.head.at(-1)).toEqual({ text: 'line 500', cut: 0 });
  });

  it('show 200 lines of the start and 300 of the end beyond that', () => {
    const model = outputModel(lines(30_000));
    expect([model.head.length, model.hiddenLines, model.tail.length, model.isWhole]).toEqual([200, 29_500, 300, false]);
    expect([model.head[199]?.text, model.tail[0]?.text, model.tail[299]?.text]).toEqual(['line 200', 'line 29701', 'line 30000']);
    expect(showAllText(model)).toBe('Show all (30,000 lines, 319 KB)');
  });

  it.each([['', 0], ['a', 1], ['a\n', 1], ['a\n\n', 2], ['\n', 1], ['a\r\nb', 2]])('%j has its lines', (text, count) => {
    expect(outputModel(text).totalLines).toBe(count);
  });

  it.each([[5, '5 B'], [1500, '2 KB'], [5_000_000, '5.0 MB']])('of %i characters tell their size', (length, size) => {
    expect(showAllText(outputModel('x'.repeat(length)))).toBe(`Show all (1 line, ${size})`);
  });

  it('of one line of 5 MB cost next to nothing', () => {
    const text = 'x'.repeat(5_000_000);
    expect(outputModel(text)).toMatchObject({ head: [{ cut: 4_998_000 }], isWhole: false });
    expect(fastest(() => outputModel(text))).toBeLessThan(50);
    expect(fastest(() => ansiLines(outputModel(text).head.map((line) => line.text)))).toBeLessThan(50);
  });

  it('do not cut a character in two', () => {
    expect(outputModel('🙂'.repeat(2000).slice(0) + 'x').head[0]?.text.length).toBe(2000);
    expect(outputModel(`x${'🙂'.repeat(2000)}`).head[0]?.text.endsWith('🙂')).toBe(true);
  });

  it('of a progress bar show where it ended', () => {
    const bar = Array.from({ length: 5000 }, (_, n) => `step ${n}`).join('\r');
    const [line] = outputModel(bar).head;
    expect(textOf(line!.text)).toBe('step 4999');
  });

  it.each([['Exit code 1\nboom', 1], ['Exit code: 0\nWall time: 1', 0], ['exit code -9', -9], ['No exit code 1', undefined], ['', undefined]])(
    '%j tell how the command ended', (text, code) => {
      expect(outputModel(text).exitCode).toBe(code);
    });

  it('can be read line by line', () => {
    const random = chance(3);
    for (let round = 0; round < 50; round += 1) {
      const parts = Array.from({ length: random.below(30) }, () => 'ab'.repeat(random.below(4)));
      const text = parts.join('\n');
      const index = lineIndex(text);
      const expected = text === '' ? [] : text.replace(/\n$/, '').split('\n');
      expect(Array.from({ length: index.count }, (_, n) => index.line(n))).toEqual(expected);
    }
  });
});

describe('colours', () => {
  it.each([
    ['plain', [{ text: 'plain', classes: '' }]],
    ['', []],
    ['\u001b[31mred\u001b[0m x', [{ text: 'red', classes: 'ansi-red' }, { text: ' x', classes: '' }]],
    ['\u001b[1;92mok\u001b[m', [{ text: 'ok', classes: 'ansi-bright-green ansi-bold' }]],
    ['\u001b[44mb', [{ text: 'b', classes: 'ansi-background-blue' }]],
    ['\u001b[38;5;196mx', [{ text: 'x', classes: '', color: 'rgb(255, 0, 0)' }]],
    ['\u001b[48;5;244mx', [{ text: 'x', classes: '', background: 'rgb(128, 128, 128)' }]],
    ['\u001b[38;2;1;2;3mx', [{ text: 'x', classes: '', color: 'rgb(1, 2, 3)' }]],
    ['<b>&amp;', [{ text: '<b>&amp;', classes: '' }]],
  ])('%j', (text, spans) => {
    expect(one(text)).toEqual(spans);
  });

  it('go on in the next line', () => {
    expect(ansiLines(['\u001b[31ma', 'b\u001b[0m', 'c']).map((line) => line.map((span) => span.classes))).toEqual([['ansi-red'], ['ansi-red'], ['']]);
  });

  it('are kept by what moves or erases', () => {
    expect(one('\u001b[31ma\u001b[Kb')).toMatchObject([{ text: 'a', classes: 'ansi-red' }, { text: 'b', classes: 'ansi-red' }]);
  });
});

describe('writing over', () => {
  it.each([
    ['10%\r20%\r100%', '100%'], ['long text\rshort', 'shorttext'], ['long text\r\u001b[Kshort', 'short'], ['abc\u001b[2K\rxy', 'xy'], ['abc\b\bX', 'aXc'],
    ['done\r', 'done'], ['a\r\r\r', 'a'], ['\b\bx', 'x'], ['\u001b[32m10%\r\u001b[0m99%', '99%'],
  ])('%j is %j', (text, seen) => {
    expect(textOf(text)).toBe(seen);
  });

  it('keeps the colours of what is left', () => {
    expect(one('\u001b[31mred!\u001b[0m\rR')).toEqual([{ text: 'R', classes: '' }, { text: 'ed!', classes: 'ansi-red' }]);
  });
});

describe('sequences for the terminal', () => {
  it.each([
    ['\u001b]0;title\u0007text', 'text'], ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'], ['\u001b[2J\u001b[Hx', 'x'], ['\u001b[?25lx\u001b[?25h', 'x'],
    ['\u001b(Bx', 'x'], ['\u001b7x\u001b8', 'x'], ['x\u001b', 'x'], ['x\u001b[3', 'x'], ['x\u001b]0;never ended', 'x'], ['\u0000x\u0007y', 'xy'], ['\u001b[4:3mx', 'x'],
  ])('%j leave %j', (text, seen) => {
    expect(textOf(text)).toBe(seen);
    expect(stripAnsi(text)).toBe(seen);
  });

  it('never break anything, whatever comes', () => {
    const random = chance(11);
    const bits = ['\u001b', '[', '3', '1', ';', 'm', 'K', 'J', ']', '\u0007', '\r', '\b', 'text', 'ü🙂', ':', '?', '\u009b', '\\'];
    for (let round = 0; round < 2000; round += 1) {
      const text = Array.from({ length: random.below(20) }, () => bits[random.below(bits.length)]).join('');
      const spans = one(text);
      expect(spans.map((span) => span.text).join('')).not.toMatch(/[\u001b\r\b]/);
      expect(ansiLines([text, 'next'])).toHaveLength(2);
    }
  });
});
