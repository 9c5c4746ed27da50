// Markdown tokens as HTML. Raw HTML in a text is text, and images are placeholders: an agent's answer loads nothing by
// being read. What leaves here still goes through `sanitize`.

import { Lexer, Parser, Renderer, type Token, type Tokens, type TokensList } from 'marked';

/** Definitions of links, which may stand in another part of the text. */
export type Links = TokensList['links'];

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

export function lexed(text: string, links: Links = {}): TokensList {
  const lexer = new Lexer(OPTIONS);
  Object.assign(lexer.tokens.links, links);
  return lexer.lex(text);
}

export function tokensHtml(tokens: Token[]): string {
  return Parser.parse(tokens, OPTIONS);
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

class PlainRenderer extends Renderer {
  override html({ raw }: { raw: string }): string {
    return escapeHtml(raw);
  }

  /** Between raw tags such as `<script>` a text is marked as needing no escape, because it would be HTML there. */
  override text(token: Tokens.Text | Tokens.Escape): string {
    return token.type === 'text' && token.escaped ? escapeHtml(token.text) : super.text(token);
  }

  override image({ href, text }: { href: string; text: string }): string {
    const label = escapeHtml(text || href);
    return `<span class="image-placeholder" data-image-src="${escapeHtml(href)}" data-image-alt="${escapeHtml(text)}">${label}</span>`;
  }
}

const OPTIONS = { gfm: true, breaks: false, async: false as const, renderer: new PlainRenderer() };
