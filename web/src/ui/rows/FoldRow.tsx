/** Several reading tools in one line. */
import { Index, Show } from 'solid-js';
import type { FoldRow as Fold } from '../../model/rows';
import type { OpenSession } from '../../state/session';
import { Icon } from '../parts/Icon';
import { ToolCard } from './ToolCard';

export function FoldRow(props: { row: Fold; session: OpenSession }) {
  const isOpen = (): boolean => props.session.isExpanded(props.row.key) ?? false;
  return (
    <div class="fold-row" data-testid="fold">
      <button type="button" class="line-button" aria-expanded={isOpen()} onClick={() => props.session.setExpanded(props.row.key, !isOpen())}>
        <Icon name="chevron" class="twist" />
        <Icon name="eye" />
        <span class="line-label">{props.row.summary}</span>
      </button>
      <Show when={isOpen()}><div class="nested"><Index each={props.row.tools}>{(tool) => <ToolCard row={tool()} session={props.session} />}</Index></div></Show>
    </div>
  );
}
