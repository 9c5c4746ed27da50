// Code as coloured pieces. Only the worker uses this: the grammars are large.

import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import type { Span } from './highlight';
import { languageNamed } from './highlight-languages';

const GRAMMARS = {
  bash, c, cpp, csharp, css, diff, dockerfile, go, ini, java, javascript, json, markdown, python, ruby, rust, sql, typescript, xml, yaml,
};
for (const [name, grammar] of Object.entries(GRAMMARS)) hljs.registerLanguage(name, grammar);

/** The pieces of a code, which joined are the code; nothing for a language that is not known. */
export function highlightSpans(code: string, name: string): Span[] | undefined {
  const language = languageNamed(name);
  if (language === undefined || !hljs.getLanguage(language)) return undefined;
  return spansOf(hljs.highlight(code, { language, ignoreIllegals: true }).value);
}

/** The HTML of the highlighter, taken apart: it is made of nested spans and five entities. */
function spansOf(html: string): Span[] {
  const spans: Span[] = [];
  const open: string[] = [];
  for (const [part, name] of html.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    if (name !== undefined) open.push(name);
    else if (part === '</span>') open.pop();
    else spans.push({ text: unescaped(part), classes: open.at(-1) ?? '' });
  }
  return spans;
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'" };

function unescaped(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
}
