/** One line with every invisible character and every white space that matters marked. */
import { For } from 'solid-js';
import { visibleLine } from '../../render/visible-text';

export function VisibleLine(props: { text: string }) {
  return (
    <For each={visibleLine(props.text)}>
      {(piece) => {
        if (piece.hidden) return <span class="hidden-character" title="Invisible character">{piece.hidden}</span>;
        return piece.mark ? <span class="white-mark" title="White space">{piece.mark}</span> : piece.text;
      }}
    </For>
  );
}
