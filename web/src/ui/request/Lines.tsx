/** Lines of what will run or be written: every character visible, long texts folded with a count. */
import { For, Show } from 'solid-js';
import { clipped, folded, type Line } from '../../model/lines';
import { countText } from './count-text';
import { VisibleLine } from './VisibleLine';

interface Props {
  lines: readonly Line[];
  isWhole: boolean;
  /** Shows where each line ends: a second line of a command must not look like part of the first. */
  hasEnds?: boolean;
  onShowAll: () => void;
}

export function Lines(props: Props) {
  const shown = () => (props.isWhole ? { head: props.lines, hidden: 0, tail: [] } : folded(props.lines));
  const row = (line: Line) => <LineRow line={line} isWhole={props.isWhole} hasEnd={props.hasEnds === true && line !== props.lines.at(-1)} onShowAll={props.onShowAll} />;
  return (
    <div class="asked-lines" data-testid="asked-lines">
      <For each={shown().head}>{row}</For>
      <Show when={shown().hidden > 0}>
        <ShowAll class="asked-more" text={countText(shown().hidden, 'more line')} lines={shown().hidden} onShowAll={props.onShowAll} />
      </Show>
      <For each={shown().tail}>{row}</For>
    </div>
  );
}

function LineRow(props: { line: Line; isWhole: boolean; hasEnd: boolean; onShowAll: () => void }) {
  const parts = () => (props.isWhole ? { head: props.line.text, hidden: 0, tail: '' } : clipped(props.line.text));
  return (
    <div class="asked-line" data-line data-sign={props.line.sign}>
      <Show when={props.line.number !== undefined || props.line.sign}>
        <span class="asked-gutter" aria-hidden="true">{props.line.number}{props.line.sign}</span>
      </Show>
      <span class="asked-text">
        <VisibleLine text={parts().head} />
        <Show when={parts().hidden > 0}>
          <ShowAll class="asked-more inline" text={countText(parts().hidden, 'more character')} onShowAll={props.onShowAll} />
          <VisibleLine text={parts().tail} />
        </Show>
        <Show when={props.hasEnd}><span class="white-mark" title="Line break">⏎</span></Show>
      </span>
    </div>
  );
}

/** The button goes away when it is pressed; the region around it then keeps the focus. */
function ShowAll(props: { class: string; text: string; lines?: number; onShowAll: () => void }) {
  const show = (button: HTMLElement): void => {
    button.closest<HTMLElement>('[tabindex]:not(button)')?.focus({ preventScroll: true });
    props.onShowAll();
  };
  return <button type="button" class={props.class} data-testid="asked-show-all" data-hidden-lines={props.lines} onClick={(event) => show(event.currentTarget)}>{props.text} · Show all</button>;
}
