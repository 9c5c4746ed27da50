import { describe, expect, it } from 'vitest';
import { type Block, createMarkdown } from '../../src/render/markdown-blocks';
import { visiblePieces } from '../../src/render/visible-text';
import { chance } from './support/chance';
import { fastest } from './support/clock';
import { recordings } from './support/recordings';

const blocksOf = (text: string, isComplete = true) => createMarkdown()(text, isComplete).blocks;
const html = (text: string, isComplete = true) => blocksOf(text, isComplete).map((block) => (block.kind === 'html' ? block.html : `[${block.code}]`)).join('');
const plain = (blocks: readonly Block[]) => blocks.map((block) => ({ ...block, raw: '' }));

describe('blocks', () => {
  it('are cut where markdown has them, and code is data', () => {
    expect(plain(blocksOf('# A\n\ntext *x*\n\n```TS title=a\nlet a = 1 < 2;\n```\n\n- l'))).toEqual([
      { kind: 'html', key: 'b0', raw: '', html: '<h1>A</h1>\n' },
      { kind: 'html', key: 'b1', raw: '', html: '<p>text <em>x</em></p>\n' },
      { kind: 'code', key: 'b2', raw: '', language: 'ts', code: 'let a = 1 < 2;', isOpen: false },
      { kind: 'html', key: 'b3', raw: '', html: '<ul>\n<li>l</li>\n</ul>\n' },
    ]);
  });

  it.each([
    ['```js\nlet a', { language: 'js', code: 'let a', isOpen: true }],
    ['```j', { language: undefined, code: '', isOpen: true }],
    ['```js\nlet a\n``', { code: 'let a', isOpen: true }],
    ['```js\nlet a\n```', { code: 'let a', isOpen: false }],
    ['~~~\nx\n```', { code: 'x\n```', isOpen: true }],
    ['````md\n```\nx\n```\n', { code: '```\nx\n```', isOpen: true }],
  ])('of an open fence are code: %j', (text, expected) => {
    expect(blocksOf(text, false).at(-1)).toMatchObject({ kind: 'code', ...expected });
  });

  it('are no longer open when the text is over', () => {
    expect(blocksOf('```js\nlet a')[0]).toMatchObject({ kind: 'code', isOpen: false, code: 'let a' });
  });

  it.each([
    ['some **bold', '**'], ['some `code', '`'], ['a [link](http://x', ']('], ['a\n\n``', '`'], ['- item\n- **b', '**'], ['some *it', '*it'],
  ])('show no raw marks at the end: %j', (text, mark) => {
    expect(html(text, false)).not.toContain(mark);
  });

  it('show what stands between raw tags as text, too', () => {
    expect(html('x <script><a href="https://evil">y</a></scr</script> &amp; z')).toBe('<p>x &lt;script&gt;&lt;a href=&quot;https://evil&quot;&gt;y&lt;/a&gt;&lt;/scr&lt;/script&gt; &amp; z</p>\n');
  });

  it('show raw HTML as text, and images as placeholders', () => {
    const out = html('a <b onclick="x">b</b>\n\n<script>alert(1)</script>\n\n![pic](https://evil/x.png "t")');
    expect(out).toContain('&lt;b onclick=&quot;x&quot;&gt;');
    expect(out).toContain('&lt;script&gt;');
    expect(out).toContain('<span class="image-placeholder" data-image-src="https://evil/x.png" data-image-alt="pic">pic</span>');
    expect(out).not.toContain('<img');
  });

  it('know links that are defined elsewhere', () => {
    expect(html('[a][1] text\n\nmore\n\n[1]: http://x')).toContain('<a href="http://x">a</a>');
  });
});

const SAMPLE = `# Title
Intro right below.

Some *text* with \`code\` and **bold** and a [link][1].

1. one

2. two
   - nested
   - more

   paragraph in the item

text\n\`\`\`inline\`\`\` goes on

| a | b |
|---|---|
| 1 | 2 |

\`\`\`ts
const a = "\`\`";

function f() {}
\`\`\`

> quote
lazy

    indented

    code

<div>
raw
</div>

- [ ] task
- [x] done

Setext
===

[1]: https://example.org
last words\r\nof it`;

describe('growing texts', () => {
  const answers = recordings().flatMap(({ frames }) => frames.flatMap((frame) =>
    frame.type === 'session:upsert' && frame.payload.type === 'message' && frame.payload.status === 'complete' ? [frame.payload.content] : []));
  const texts = [SAMPLE, SAMPLE.repeat(3), ...new Set(answers)];

  it('give in the end what is read at once', () => {
    for (const [seed, text] of texts.entries()) {
      const random = chance(seed);
      const read = createMarkdown();
      for (let at = 0; at < text.length; at += 1 + random.below(9)) read(text.slice(0, at), false);
      expect(plain(read(text, true).blocks)).toEqual(plain(blocksOf(text)));
    }
  });

  it('keep the blocks that are done, letter by letter', () => {
    const read = createMarkdown();
    let before: readonly Block[] = [];
    const changes = new Map<string, number>();
    for (let at = 1; at <= SAMPLE.length; at += 1) {
      const { blocks } = read(SAMPLE.slice(0, at), false);
      expect(new Set(blocks.map((block) => block.key)).size).toBe(blocks.length);
      const last = Math.min(before.length, blocks.length) - 1;
      // Blocks next to the end may still change, those before a blank line and another block may not.
      for (let index = 0; index < last - 2; index += 1) expect(blocks[index]).toBe(before[index]);
      before.forEach((block, index) => {
        if (blocks[index] !== block) changes.set(block.key, (changes.get(block.key) ?? 0) + 1);
      });
      before = blocks;
    }
    const done = read(SAMPLE, true).blocks;
    const kept = done.filter((block, index) => block === before[index]).length;
    // All but the paragraph whose link was defined last, and the end.
    expect(done.length - kept).toBeLessThanOrEqual(2);
  });

  it('keep every block if nothing changed', () => {
    const read = createMarkdown();
    const first = read(SAMPLE, true).blocks;
    const second = read(SAMPLE, true).blocks;
    expect(second.every((block, index) => block === first[index])).toBe(true);
  });

  it('may be replaced by others', () => {
    const read = createMarkdown();
    read('one\n\ntwo\n\nthree', false);
    expect(plain(read('new\n\ntwo', false).blocks)).toEqual(plain(blocksOf('new\n\ntwo')));
  });

  it('cost what was added, not what is there', () => {
    const paragraphs = Array.from({ length: 2000 }, (_, n) => `Paragraph ${n} with *some* text.`);
    const text = paragraphs.join('\n\n');
    const read = createMarkdown();
    read(text, false);
    let grown = text;
    const step = fastest(() => {
      grown += ' more';
      read(grown, false);
    }, 20);
    const whole = fastest(() => createMarkdown()(grown, false), 3);
    expect(step).toBeLessThan(whole / 10);
  });
});

describe('hidden characters', () => {
  it.each([
    ['plain\ttext\r\nöü 漢字 🙂', []], ['rm -rf\u202e txt', ['U+202E']], ['a\u200bb', ['U+200B']], ['\u2066x\u2069', ['U+2066', 'U+2069']],
    ['over\rwritten', ['U+000D']], ['\u001b[31m', ['U+001B']], ['x\u{e0041}y', ['U+E0041']], ['\ufeff', ['U+FEFF']], ['a\u00adb', ['U+00AD']],
  ])('are seen in %j', (text, hidden) => {
    const pieces = visiblePieces(text);
    expect(pieces.flatMap((piece) => piece.hidden ?? [])).toEqual(hidden);
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  });
});
