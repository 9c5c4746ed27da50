/** What the model thought: one line, or all of it. The user's choice holds for the session. */
import { Show } from 'solid-js';
import type { ThinkingRow as Thinking } from '../../model/rows';
import { durationText } from '../../model/turn';
import { prefs, setThinking } from '../../state/prefs';
import type { OpenSession } from '../../state/session';
import { Icon } from '../parts/Icon';
import { Markdown } from './Markdown';

const PREVIEW = 140;
/** Tenths of a second are of no use to anybody. */
const MOMENT = 1000;

export function ThinkingRow(props: { row: Thinking; session: OpenSession }) {
  const isOpen = (): boolean => props.session.isExpanded(props.row.key) ?? prefs.thinking[props.session.id] ?? false;
  const toggle = (): void => {
    const next = !isOpen();
    props.session.setExpanded(props.row.key, next);
    setThinking(props.session.id, next);
  };
  const text = (): string => props.row.item.state.content;
  const label = (): string => {
    if (props.row.isStreaming) return 'Thinking';
    const { durationMs } = props.row;
    if (durationMs === undefined) return 'Thought';
    return durationMs < MOMENT ? 'Thought for a moment' : `Thought for ${durationText(durationMs)}`;
  };
  return (
    <div class="thinking-row" classList={{ streaming: props.row.isStreaming }} data-testid="thinking" data-item={props.row.key}>
      <button type="button" class="line-button" aria-expanded={isOpen()} onClick={toggle}>
        <Icon name="chevron" class="twist" />
        <Icon name="brain" />
        <span class="line-label">{label()}</span>
        <Show when={!isOpen()}><span class="truncate faint preview">{preview(text(), props.row.isStreaming)}</span></Show>
      </button>
      <Show when={isOpen()}><div class="thinking-body"><Markdown text={text()} isComplete={!props.row.isStreaming} /></div></Show>
    </div>
  );
}

/** While it grows, its end is news; afterwards its beginning says what it is about. */
function preview(text: string, isStreaming: boolean): string {
  const part = isStreaming ? text.slice(-PREVIEW) : text.slice(0, PREVIEW);
  return part.replace(/[*_`#>\s]+/g, ' ').trim();
}
