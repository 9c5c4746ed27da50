import { describe, expect, it } from 'vitest';
import { createHighlighter, type HighlightRequest, type WorkerLike } from '../../src/render/highlight';
import { LANGUAGES, languageNamed } from '../../src/render/highlight-languages';
import { highlightSpans } from '../../src/render/highlight-spans';

class FakeWorker implements WorkerLike {
  onmessage: WorkerLike['onmessage'] = null;
  onerror: WorkerLike['onerror'] = null;
  readonly asked: HighlightRequest[] = [];
  postMessage(message: HighlightRequest): void {
    this.asked.push(message);
  }
}

function setUp() {
  const workers: FakeWorker[] = [];
  const highlighter = createHighlighter(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  });
  return { workers, highlighter };
}

describe('asking for colours', () => {
  it('starts one worker, with the first code that can have any', async () => {
    const { workers, highlighter } = setUp();
    expect(await highlighter.highlight('x', undefined)).toBeUndefined();
    expect(await highlighter.highlight('x', 'brainfuck')).toBeUndefined();
    expect(workers).toHaveLength(0);
    const [first, second] = [highlighter.highlight('a', 'ts'), highlighter.highlight('b', 'PY')];
    expect(workers).toHaveLength(1);
    expect(workers[0]?.asked).toEqual([{ id: 1, language: 'typescript', code: 'a' }, { id: 2, language: 'python', code: 'b' }]);
    workers[0]?.onmessage?.({ data: { id: 2, spans: [{ text: 'b', classes: '' }] } });
    workers[0]?.onmessage?.({ data: { id: 1, spans: undefined } });
    expect([await first, await second]).toEqual([undefined, [{ text: 'b', classes: '' }]]);
  });

  it('is not done for more than 2,000 lines', async () => {
    const { workers, highlighter } = setUp();
    expect(await highlighter.highlight('x\n'.repeat(2000), 'ts')).toBeUndefined();
    expect(await highlighter.highlight('x'.repeat(400_000), 'ts')).toBeUndefined();
    expect(workers).toHaveLength(0);
    void highlighter.highlight('x\n'.repeat(1999), 'ts');
    expect(workers).toHaveLength(1);
  });

  it('ends without colours if the worker breaks, or cannot be made', async () => {
    const { workers, highlighter } = setUp();
    const asked = highlighter.highlight('a', 'ts');
    workers[0]?.onerror?.(new Error('no'));
    expect(await asked).toBeUndefined();
    expect(await highlighter.highlight('a', 'ts')).toBeUndefined();
    const none = createHighlighter(() => {
      throw new Error('forbidden');
    });
    expect(await none.highlight('a', 'ts')).toBeUndefined();
  });
});

describe('colours', () => {
  it.each(LANGUAGES)('are known for %s, and leave the code as it is', (language) => {
    const code = 'if (a < b && c > "d\'e") { /* x */ return 1; }\n# y\nkey: value\n';
    const spans = highlightSpans(code, language);
    expect(spans?.map((span) => span.text).join('')).toBe(code);
  });

  it('tell what is what', () => {
    expect(highlightSpans('const a = "<b>";', 'ts')).toContainEqual({ text: 'const', classes: 'hljs-keyword' });
    expect(highlightSpans('const a = "<b>";', 'ts')).toContainEqual({ text: '"<b>"', classes: 'hljs-string' });
  });

  it.each([['js', 'javascript'], ['SH', 'bash'], ['toml', 'ini'], ['html', 'xml'], ['nothing', undefined]])('%s is %s', (name, language) => {
    expect(languageNamed(name)).toBe(language);
  });
});
