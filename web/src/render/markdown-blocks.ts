// Cuts a growing markdown text into blocks. Blocks that are done stay the same objects under the same keys, so that what
// shows them is never made anew; only the end of the text is read again.

import type { Token, Tokens } from 'marked';
import remend from 'remend';
import { lexed, type Links, tokensHtml } from './markdown-html';

export type HtmlBlock = {
  readonly kind: 'html';
  readonly key: string;
  readonly raw: string;
  /** Not sanitised: goes through `sanitize`. */
  readonly html: string;
};
export type CodeBlock = {
  readonly kind: 'code';
  readonly key: string;
  readonly raw: string;
  readonly language: string | undefined;
  readonly code: string;
  /** The fence is not closed yet. */
  readonly isOpen: boolean;
};
export type Block = HtmlBlock | CodeBlock;

export type MarkdownBlocks = {
  /** Every block but the last few is final; a block is the same object, under the same key, as long as it says the same. */
  readonly blocks: readonly Block[];
};

/** Keeps what it read, so that growing texts cost what was added. One per text. */
export function createMarkdown(): (text: string, isComplete: boolean) => MarkdownBlocks {
  const splitter = new Splitter();
  return (text, isComplete) => splitter.read(text, isComplete);
}

class Splitter {
  private blocks: Block[] = [];
  /** The text that the frozen blocks were made of. */
  private frozenText = '';
  private frozenCount = 0;
  private links: Links = {};

  read(source: string, isComplete: boolean): MarkdownBlocks {
    const text = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source;
    // In the end everything is read once as a whole: a link may have been defined behind its use.
    if (isComplete || !text.startsWith(this.frozenText)) this.forget();
    const tokens = lexed(text.slice(this.frozenText.length), this.links);
    const frozen = isComplete ? tokens.length : frozenTokens(tokens);
    this.freeze(tokens.slice(0, frozen), tokens.links);
    const tail = tokens.slice(frozen).filter(isShown);
    this.blocks.length = Math.min(this.blocks.length, this.frozenCount + tail.length);
    tail.forEach((token, index) => this.put(this.frozenCount + index, token, index === tail.length - 1));
    return { blocks: [...this.blocks] };
  }

  private forget(): void {
    this.frozenText = '';
    this.frozenCount = 0;
    this.links = {};
  }

  private freeze(tokens: Token[], links: Links): void {
    this.links = links;
    this.frozenText += tokens.map((token) => token.raw).join('');
    for (const token of tokens.filter(isShown)) {
      this.put(this.frozenCount, token, false);
      this.frozenCount += 1;
    }
  }

  private put(index: number, token: Token, isTail: boolean): void {
    const block = isTail ? tailBlock(token, `b${index}`, this.links) : finalBlock(token, `b${index}`);
    const earlier = this.blocks[index];
    this.blocks[index] = earlier && isSame(earlier, block) ? earlier : block;
  }
}

/** How many of the tokens can no longer change, whatever is added. */
function frozenTokens(tokens: readonly Token[]): number {
  let index = tokens.findLastIndex(isShown);
  const last = tokens[index];
  if (!last) return 0;
  index = runStart(tokens, index);
  // The beginning of another list item is not one yet.
  if (UNDECIDED.test(last.raw)) index = runStart(tokens, tokens.findLastIndex((token, at) => at < index && isShown(token)));
  return Math.max(0, index);
}

// Blocks that no blank line parts may still turn out to be one: "text\n```" goes on as inline code.
function runStart(tokens: readonly Token[], index: number): number {
  let start = index;
  while (start > 0 && tokens[start - 1]?.type !== 'space') start -= 1;
  return start;
}

const UNDECIDED = /^\s*(?:\d{1,9}[.)]?|[-+*]|[`~]{1,2})\s*$/;

function isShown(token: Token): boolean {
  return token.type !== 'space' && token.type !== 'def';
}

function finalBlock(token: Token, key: string): Block {
  const fence = fenceOf(token);
  if (!fence) return { kind: 'html', key, raw: token.raw, html: tokensHtml([token]) };
  return { kind: 'code', key, raw: token.raw, language: languageOf(fence.token), code: fence.token.text, isOpen: false };
}

function tailBlock(token: Token, key: string, links: Links): Block {
  const fence = fenceOf(token);
  if (fence) return fence.isClosed ? finalBlock(token, key) : openBlock(fence.token, key, fence.mark);
  const whole = remend(token.raw.replace(/(^|\n)[`~]{1,2}$/, '$1'), { linkMode: 'text-only', katex: false });
  return { kind: 'html', key, raw: token.raw, html: tokensHtml(lexed(whole, links)) };
}

function openBlock(token: Tokens.Code, key: string, mark: string): Block {
  const { raw } = token;
  // While its line is not over, the word may be the first half of a language, and the end the first half of a fence.
  const language = raw.includes('\n') ? languageOf(token) : undefined;
  const lines = token.text.split('\n');
  const last = lines.at(-1)?.trim() ?? '';
  const isHalfFence = last !== '' && !raw.endsWith('\n') && mark.startsWith(last);
  const code = isHalfFence ? lines.slice(0, -1).join('\n') : token.text;
  return { kind: 'code', key, raw, language, code: raw.includes('\n') ? code : '', isOpen: true };
}

type Fence = { readonly token: Tokens.Code; readonly mark: string; readonly isClosed: boolean };

/** Nothing for what is no code between fences; indented code has no language and no end. */
function fenceOf(token: Token): Fence | undefined {
  if (token.type !== 'code') return undefined;
  const mark = /^ {0,3}(`{3,}|~{3,})/.exec(token.raw)?.[1];
  if (mark === undefined) return undefined;
  const end = token.raw.trimEnd();
  const last = end.slice(end.lastIndexOf('\n') + 1).trim();
  const isClosed = end.includes('\n') && last.length >= mark.length && last === mark.charAt(0).repeat(last.length);
  return { token: token as Tokens.Code, mark, isClosed };
}

function languageOf(token: Tokens.Code): string | undefined {
  return /^[^\s{,]+/.exec(token.lang ?? '')?.[0].toLowerCase();
}

function isSame(left: Block, right: Block): boolean {
  if (left.kind === 'html') return right.kind === 'html' && left.html === right.html && left.raw === right.raw;
  return right.kind === 'code' && left.code === right.code && left.language === right.language && left.isOpen === right.isOpen;
}
