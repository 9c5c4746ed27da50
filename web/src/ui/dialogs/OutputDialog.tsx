/** All that a tool said, from the server. Only lines in view have elements. */
import { createMemo, createResource, createSignal, For, onCleanup, onMount, Show } from 'solid-js';
import { ansiLines, stripAnsi } from '../../render/ansi';
import { lineIndex, type LineIndex } from '../../render/output-model';
import { hide } from '../../state/screen';
import { api, reason } from '../../state/services';
import { CopyButton } from '../parts/CopyCommand';
import { Dialog } from '../parts/Dialog';
import { AnsiText } from '../rows/Output';

const LINE = 18;
const SPARE = 30;
/** A single line can be megabytes; a browser lays out no such line in time. */
const WIDEST = 20_000;

export function OutputDialog(props: { sessionId: string; itemId: string; title: string }) {
  const [text] = createResource(() => api.output(props.sessionId, props.itemId).then((found) => found.text));
  return (
    <Dialog title={props.title} onClose={hide} class="wide" testId="output-dialog">
      <Show when={!text.error} fallback={<p class="item-error" role="alert">{reason(text.error)}</p>}>
        <Show when={text()} fallback={<p class="muted"><span class="spinner" /> Reading</p>}>
          {(whole) => (
            <>
              <p class="row faint"><span>{lineIndex(whole()).count.toLocaleString()} lines</span><CopyButton text={() => stripAnsi(whole())} label="Copy all" /></p>
              <Viewer text={whole()} />
            </>
          )}
        </Show>
      </Show>
    </Dialog>
  );
}

function Viewer(props: { text: string }) {
  const lines = createMemo(() => lineIndex(props.text));
  const [top, setTop] = createSignal(0);
  const [height, setHeight] = createSignal(600);
  let scroller!: HTMLDivElement;
  const sizes = new ResizeObserver(() => setHeight(scroller.clientHeight));
  onMount(() => sizes.observe(scroller));
  onCleanup(() => sizes.disconnect());
  const from = createMemo(() => Math.max(0, Math.floor(top() / LINE) - SPARE));
  const to = createMemo(() => Math.min(lines().count, Math.ceil((top() + height()) / LINE) + SPARE));
  const shown = createMemo(() => ansiLines(cut(lines(), from(), to())));
  return (
    <div ref={scroller} class="viewer" tabIndex={0} role="region" aria-label="Output" data-testid="viewer" onScroll={() => setTop(scroller.scrollTop)}>
      <div class="viewer-space" style={{ height: `${lines().count * LINE}px` }}>
        <pre class="viewer-lines" style={{ transform: `translateY(${from() * LINE}px)` }}>
          <For each={shown()}>{(line) => <div class="viewer-line"><For each={line}>{(span) => <AnsiText text={span.text} classes={span.classes} color={span.color} background={span.background} />}</For>{'\n'}</div>}</For>
        </pre>
      </div>
    </div>
  );
}

function cut(lines: LineIndex, from: number, to: number): string[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => lines.line(from + index).slice(0, WIDEST));
}
