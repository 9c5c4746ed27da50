/** A text of an agent with the characters shown that would hide or turn what follows them. */
import { For } from 'solid-js';
import { visiblePieces } from '../../render/visible-text';

export function VisibleText(props: { text: string }) {
  return <For each={visiblePieces(props.text)}>{(piece) => (piece.hidden ? <span class="hidden-character" title="A character that cannot be seen">{piece.hidden}</span> : piece.text)}</For>;
}
