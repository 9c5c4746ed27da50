/** How many lines a tool added and removed, for the title of its card. */
import { createMemo, Show } from 'solid-js';
import type { Diff } from '../../gen/contracts';
import { diffModel } from '../../render/diff-model';

/** Beyond this, counting the changed lines for the title would be felt. */
const COUNTED = 200_000;

export function ToolCounts(props: { diffs: readonly Diff[] }) {
  const counts = createMemo(() => {
    const size = props.diffs.reduce((sum, diff) => sum + diff.newText.length + (diff.oldText?.length ?? 0), 0);
    if (size > COUNTED) return undefined;
    const models = props.diffs.map(diffModel);
    return { added: models.reduce((sum, model) => sum + model.added, 0), removed: models.reduce((sum, model) => sum + model.removed, 0) };
  });
  return <Show when={counts()}>{(found) => <span class="counts"><span class="added">+{found().added}</span> <span class="removed">−{found().removed}</span></span>}</Show>;
}
