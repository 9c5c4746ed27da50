/** Why an answer was not taken. */
import { Show } from 'solid-js';
import { Icon } from '../parts/Icon';
import { VisibleText } from '../rows/VisibleText';

export function Problem(props: { text: string | undefined }) {
  return <Show when={props.text}>{(text) => <p class="item-error" role="alert" data-testid="approval-problem"><Icon name="alert" /><VisibleText text={text()} /></p>}</Show>;
}
