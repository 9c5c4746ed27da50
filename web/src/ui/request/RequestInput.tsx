/** What a request asks to do: all of its input, readable or as raw JSON. Knows nothing about answering. */
import { createEffect, createMemo, createSignal, For, Show } from 'solid-js';
import type { Diff } from '../../gen/contracts';
import { type AskedPart, type Input, partsOf } from '../../model/asked';
import { isLong, type Line, linesOf } from '../../model/lines';
import { changedLines } from '../../render/diff-model';
import { type Block, BlockView } from './Blocks';
import { Lines } from './Lines';

interface Props {
  input: Input;
  diffs?: readonly Diff[] | undefined;
  /** Whether every line is in the document, or some are left out until they are asked for. */
  onWhole?: ((isWhole: boolean) => void) | undefined;
}

export function RequestInput(props: Props) {
  const [isRaw, setRaw] = createSignal(false);
  const [isAll, setAll] = createSignal(false);
  const blocks = createMemo((): Block[] => partsOf(props).map((part) => ({ part, lines: partLines(part) })));
  const isWhole = createMemo(() => isAll() || !blocks().some((block) => isLong(block.lines)));
  createEffect(() => props.onWhole?.(isWhole()));
  const showAll = (): void => void setAll(true);
  return (
    <div class="asked" data-testid="asked">
      <Show when={!isRaw()} fallback={<div class="asked-block"><Lines lines={linesOf(JSON.stringify(props.input, null, 2))} isWhole={true} onShowAll={showAll} /></div>}>
        <For each={blocks()} fallback={<p class="faint">No input</p>}>{(block) => <BlockView block={block} isWhole={isWhole()} onShowAll={showAll} />}</For>
      </Show>
      <div class="asked-foot">
        <button type="button" class="text-button" aria-pressed={isRaw()} data-testid="asked-raw" onClick={() => setRaw(!isRaw())}>{isRaw() ? 'Readable' : 'Raw JSON'}</button>
      </div>
    </div>
  );
}

function partLines(part: AskedPart): Line[] {
  if (part.kind === 'file') return linesOf(part.text, '+');
  return part.kind === 'change' ? diffLines(part.diff) : linesOf(part.text);
}

const SIGNS = { add: '+', remove: '−', context: ' ' } as const;

function diffLines(diff: Diff): Line[] {
  return changedLines(diff).flatMap((hunk, index) => {
    const lines = hunk.map(({ kind, text }): Line => ({ number: undefined, sign: SIGNS[kind], text }));
    return index === 0 ? lines : [{ number: undefined, sign: '⋯' as const, text: '' }, ...lines];
  });
}
