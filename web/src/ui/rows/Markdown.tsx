/** A text as markdown. Finished blocks keep their elements; only the last one is morphed while it grows. */
import morphdom from 'morphdom';
import { createEffect, createMemo, For, Match, on, Switch, untrack } from 'solid-js';
import { createMarkdown, type Block, type CodeBlock as Code, type HtmlBlock as Html } from '../../render/markdown-blocks';
import { createSanitizer } from '../../render/sanitize';
import { copyText } from '../../state/actions';
import { CodeBlock } from './CodeBlock';

const sanitize = createSanitizer(window);

/** Elements from sanitised HTML: the only place where text becomes elements. */
function elementsOf(html: string): HTMLDivElement {
  const holder = document.createElement('div');
  // eslint-disable-next-line no-restricted-properties -- `sanitize` gives what the page's policy accepts.
  holder.innerHTML = sanitize(html);
  for (const box of holder.querySelectorAll('input')) box.setAttribute('aria-label', box.checked ? 'done' : 'to do');
  for (const link of holder.querySelectorAll<HTMLElement>('a[data-path]')) describePath(link);
  return holder;
}

export function Markdown(props: { text: string; isComplete: boolean }) {
  const read = createMarkdown();
  const blocks = createMemo(() => read(props.text, props.isComplete).blocks);
  const byKey = createMemo(() => new Map(blocks().map((block) => [block.key, block])));
  const keys = createMemo(() => blocks().map((block) => block.key), [], { equals: (one, other) => one.join('\n') === other.join('\n') });
  return (
    <div class="markdown" onClick={onClick} onKeyDown={(event) => event.key === 'Enter' && copyPath(event)}>
      <For each={keys()}>
        {(key) => {
          const block = createMemo<Block>((before) => byKey().get(key) ?? before as Block);
          return (
            <Switch>
              <Match when={block().kind === 'code' && block() as Code}>{(code) => <CodeBlock code={code().code} language={code().language} isOpen={code().isOpen} />}</Match>
              <Match when={block().kind === 'html' && block() as Html}>{(html) => <HtmlPart html={html().html} />}</Match>
            </Switch>
          );
        }}
      </For>
    </div>
  );
}

function HtmlPart(props: { html: string }) {
  const shown = elementsOf(untrack(() => props.html));
  shown.className = 'markdown-part';
  createEffect(on(() => props.html, (html) => morphdom(shown, elementsOf(html), { childrenOnly: true }), { defer: true }));
  return shown;
}

/** A file of the project cannot be opened by a browser, but its path is of use elsewhere. */
function describePath(link: HTMLElement): void {
  link.setAttribute('role', 'button');
  link.setAttribute('tabindex', '0');
  link.title = `Copy ${link.dataset['path']}`;
}

function copyPath(event: Event): boolean {
  const path = event.target instanceof Element ? event.target.closest<HTMLElement>('a[data-path]')?.dataset['path'] : undefined;
  if (path) void copyText(path, path);
  return path !== undefined;
}

/** A remote image tells its server who looks at it, so a person has to ask for it. */
function onClick(event: MouseEvent): void {
  if (copyPath(event)) return;
  const spot = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-image-src]') : null;
  const address = spot?.dataset['imageSrc'];
  if (!spot || !address) return;
  const link = document.createElement('a');
  link.href = address;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.textContent = address;
  spot.replaceWith(link);
}
