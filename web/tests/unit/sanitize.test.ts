// @vitest-environment jsdom
import { describe, expect, it } from 'vitest';
import { createMarkdown } from '../../src/render/markdown-blocks';
import { createSanitizer, isSafeLink } from '../../src/render/sanitize';

const markdownHtml = (text: string) =>
  createMarkdown()(text, true).blocks.map((block) => (block.kind === 'html' ? block.html : '')).join('');

describe('sanitising', () => {
  const sanitize = createSanitizer(window);

  it.each([
    ['<script>alert(1)</script>', 'alert'], ['<img src=x onerror=alert(1)>', '<img'], ['<p onclick="x()">a</p>', 'onclick'],
    ['<a href="javascript:alert(1)">a</a>', 'javascript'], ['<a href="data:text/html,x">a</a>', 'data:'], ['<iframe src="http://x"></iframe>', 'iframe'],
    ['<svg><script>x</script></svg>', 'svg'], ['<style>*{}</style>', 'style'], ['<form action="/x"><button>a</button></form>', 'form'],
    ['<p style="position:fixed">a</p>', 'style'], ['<p id="x">a</p>', 'id='], ['<span class="toast">a</span>', 'toast'],
    ['<a href=" java\nscript:alert(1)">a</a>', 'script:'], ['<p data-testid="x">a</p>', 'data-testid'], ['<math><mi>x</mi></math>', 'math'],
  ])('takes the harm out of %j', (dirty, harm) => {
    expect(String(sanitize(dirty))).not.toContain(harm);
  });

  it('lets links open elsewhere, without telling from where', () => {
    expect(String(sanitize('<a href="https://x.y/z" target="_self" rel="opener">l</a>')))
      .toBe('<a href="https://x.y/z" target="_blank" rel="noopener noreferrer">l</a>');
  });

  it('makes a path of the project data, and no address of this server', () => {
    expect(String(sanitize('<a href="src/a.ts">l</a>'))).toBe('<a data-path="src/a.ts">l</a>');
    for (const address of ['//evil/x', '#x', 'javascript:x', 'file:///etc/passwd']) {
      expect(String(sanitize(`<a href="${address}">l</a>`))).toBe('<a>l</a>');
    }
  });

  it('lets pass what markdown makes', () => {
    const made = markdownHtml('# a\n\n*b* **c** ~~d~~ `e`\n\n- [x] t\n\n| a |\n|:-:|\n| 1 |\n\n![p](http://x/y.png)\n\n1. x\n\n> q');
    const out = String(sanitize(made));
    for (const part of ['<h1>', '<em>', '<strong>', '<del>', '<code>', 'type="checkbox"', '<td align="center">', 'data-image-src="http://x/y.png"', '<blockquote>']) {
      expect(out).toContain(part);
    }
  });

  it.each([['http://x', true], ['https://x', true], ['mailto:a@b', true], ['javascript:x', false], ['JAVASCRIPT:x', false], ['x/y', false], ['', false], ['file:///x', false], ['vbscript:x', false]])(
    '%j is a safe link: %s', (address, isSafe) => {
      expect(isSafeLink(address)).toBe(isSafe);
    });
});
