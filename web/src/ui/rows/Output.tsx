/** What a tool said: its colours, its beginning and end, and a way to all of it. */
import { createMemo, For, Show } from 'solid-js';
import { ansiLines, stripAnsi } from '../../render/ansi';
import { outputModel, showAllText, type OutputLine } from '../../render/output-model';
import { prefs } from '../../state/prefs';
import { show } from '../../state/screen';
import { api } from '../../state/services';
import type { OpenSession } from '../../state/session';
import { CopyButton } from '../parts/CopyCommand';

interface Props {
  text: string;
  session: OpenSession;
  itemId: string;
  title: string;
  isCommand: boolean;
  isError: boolean;
  /** Where the agent tells it beside the output. */
  exitCode: number | undefined;
}

export function Output(props: Props) {
  const model = createMemo(() => outputModel(props.text));
  const exitCode = () => props.exitCode ?? model().exitCode;
  /** The item may carry less than all; the server has the rest. */
  const whole = async (): Promise<string> => {
    const found = await api.output(props.session.id, props.itemId).catch(() => undefined);
    return stripAnsi(found?.text ?? props.text);
  };
  return (
    <div class="output" data-testid="output" classList={{ failed: props.isError, wrap: prefs.wrap }}>
      <div class="output-tools">
        <Show when={exitCode() !== undefined}><span class="chip" classList={{ bad: exitCode() !== 0, ok: exitCode() === 0 }} data-testid="exit-code">exit {exitCode()}</span></Show>
        <CopyButton text={whole} label="Copy all output" />
      </div>
      <pre tabIndex={0} role="group" aria-label="Output">
        <Lines lines={model().head} />
        <Show when={model().hiddenLines > 0}>
          <button type="button" class="output-more" data-testid="show-all" onClick={() => show({ kind: 'output', sessionId: props.session.id, itemId: props.itemId, title: props.title })}>{showAllText(model())}</button>
          <Lines lines={model().tail} />
        </Show>
      </pre>
      <Show when={!model().isWhole && model().hiddenLines === 0}>
        <button type="button" class="output-more" data-testid="show-all" onClick={() => show({ kind: 'output', sessionId: props.session.id, itemId: props.itemId, title: props.title })}>{showAllText(model())}</button>
      </Show>
    </div>
  );
}

function Lines(props: { lines: readonly OutputLine[] }) {
  const coloured = createMemo(() => ansiLines(props.lines.map((line) => line.text)));
  return (
    <For each={coloured()}>
      {(line, index) => (
        <div class="output-line">
          <For each={line}>{(span) => <AnsiText text={span.text} classes={span.classes} color={span.color} background={span.background} />}</For>
          <Show when={props.lines[index()]?.cut}>{(cut) => <span class="faint"> … {cut().toLocaleString()} more characters</span>}</Show>
          {'\n'}
        </div>
      )}
    </For>
  );
}

export function AnsiText(props: { text: string; classes: string; color?: string | undefined; background?: string | undefined }) {
  return (
    <Show when={props.classes || props.color || props.background} fallback={props.text}>
      <span class={props.classes} style={{ color: props.color, 'background-color': props.background }}>{props.text}</span>
    </Show>
  );
}
