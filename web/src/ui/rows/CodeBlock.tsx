/** A piece of code with its language, a copy button and colours once it is whole. */
import { createResource, For, Show } from 'solid-js';
import { createHighlighter, type Span } from '../../render/highlight';
import { makeHighlightWorker } from '../../render/make-highlight-worker';
import { prefs, setPref } from '../../state/prefs';
import { CopyButton } from '../parts/CopyCommand';
import { Icon } from '../parts/Icon';

const highlighter = createHighlighter(makeHighlightWorker);

export function CodeBlock(props: { code: string; language: string | undefined; isOpen?: boolean }) {
  return (
    <figure class="code-block" data-testid="code-block" classList={{ wrap: prefs.wrap }}>
      <figcaption>
        <span class="code-language">{props.language || 'text'}</span>
        <button type="button" class="icon-button small" aria-pressed={prefs.wrap} aria-label="Wrap long lines" title="Wrap long lines" onClick={() => setPref('wrap', !prefs.wrap)}><Icon name="wrap" /></button>
        <CopyButton text={() => props.code} label="Copy code" />
      </figcaption>
      <pre tabIndex={0} aria-label={`Code, ${props.language || 'text'}`}><HighlightedCode code={props.code} language={props.language} isWhole={!props.isOpen} /></pre>
    </figure>
  );
}

/** The text, and its colours when they have come. */
export function HighlightedCode(props: { code: string; language: string | undefined; isWhole: boolean }) {
  const wanted = (): { code: string; language: string | undefined } | undefined => (props.isWhole ? { code: props.code, language: props.language } : undefined);
  const [spans] = createResource(wanted, async ({ code, language }) => ({ code, spans: await highlighter.highlight(code, language) }));
  const fresh = (): readonly Span[] | undefined => (spans.state === 'ready' && spans()?.code === props.code ? spans()?.spans : undefined);
  return <code><Show when={fresh()} fallback={props.code}>{(all) => <For each={all()}>{(span) => (span.classes ? <span class={span.classes}>{span.text}</span> : span.text)}</For>}</Show></code>;
}
