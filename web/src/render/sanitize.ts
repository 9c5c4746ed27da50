// The last gate before HTML reaches the page. Lets through what markdown makes and nothing else.

import createDOMPurify, { type Config, type WindowLike } from 'dompurify';

/** What may be given to `innerHTML`: a `TrustedHTML` where the browser has them. */
export type SafeHtml = string & { readonly safe: unique symbol };

const CONFIG: Config = {
  ALLOWED_TAGS: [
    'p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'strong', 'em', 'del', 'a', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li',
    'table', 'thead', 'tbody', 'tr', 'th', 'td', 'input', 'span',
  ],
  ALLOWED_ATTR: ['href', 'title', 'class', 'start', 'align', 'type', 'checked', 'disabled', 'data-image-src', 'data-image-alt'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_TRUSTED_TYPE: true,
};

/** Images are `<span class="image-placeholder" data-image-src data-image-alt>`; links of the project have `data-path`. */
export function createSanitizer(window: Window & typeof globalThis): (html: string) => SafeHtml {
  const purify = createDOMPurify(window as unknown as WindowLike);
  purify.addHook('afterSanitizeAttributes', guard);
  return (html) => purify.sanitize(html, CONFIG) as unknown as SafeHtml;
}

/** Links leave the page, to where a person can see that they lead. */
export function isSafeLink(address: string): boolean {
  try {
    return ['http:', 'https:', 'mailto:'].includes(new URL(address).protocol);
  } catch {
    return false;
  }
}

function guard(node: Element): void {
  if (node.tagName === 'A') guardLink(node);
  if (node.tagName === 'INPUT') {
    node.setAttribute('type', 'checkbox');
    node.setAttribute('disabled', '');
  }
  const name = node.getAttribute('class');
  if (name !== null && !/^(?:language-[\w+#.-]+|image-placeholder)$/.test(name)) node.removeAttribute('class');
}

// A path without a scheme is a file of the project, not a page of this server.
function guardLink(link: Element): void {
  const address = link.getAttribute('href') ?? '';
  if (isSafeLink(address)) {
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer');
    return;
  }
  link.removeAttribute('href');
  if (address !== '' && !/^[\w+.-]+:|^\/\/|^#/.test(address)) link.setAttribute('data-path', address);
}
