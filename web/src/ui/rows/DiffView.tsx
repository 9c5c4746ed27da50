/** What a tool changed in a file: lines with numbers, as one column or side by side. */
import { createMemo, createSignal, For, Show } from 'solid-js';
import type { Diff } from '../../gen/contracts';
import { diffModel, splitRows, type DiffLine, type Hunk, type Range } from '../../render/diff-model';
import { prefs, setPref } from '../../state/prefs';
import { CopyButton } from '../parts/CopyCommand';
import { Icon } from '../parts/Icon';
import { shortPath } from './tool-words';
import { VisibleText } from './VisibleText';

export function DiffView(props: { diff: Diff; directory: string | undefined }) {
  const model = createMemo(() => diffModel(props.diff));
  const path = (): string => shortPath(props.diff.path, props.directory);
  return (
    <figure class="diff" data-testid="diff" data-mode={prefs.diff}>
      <figcaption>
        <span class="mono truncate" title={props.diff.path}><VisibleText text={path()} /></span>
        <Show when={model().isNew}><span class="chip ok">new</span></Show>
        <span class="counts"><span class="added">+{model().added}</span> <span class="removed">−{model().removed}</span></span>
        <span class="grow" />
        <button type="button" class="text-button" data-testid="diff-mode" onClick={() => setPref('diff', prefs.diff === 'split' ? 'unified' : 'split')}>{prefs.diff === 'split' ? 'Unified' : 'Split'}</button>
        <CopyButton text={() => props.diff.path} label={`Copy path ${path()}`} />
      </figcaption>
      <div class="diff-scroll" tabIndex={0} role="group" aria-label={`Changes of ${path()}`}>
        <For each={model().hunks}>{(hunk) => <HunkView hunk={hunk} isCollapsed={model().isCollapsed} />}</For>
      </div>
      <Show when={model().omitted > 0}><p class="faint diff-note">{model().omitted} more lines are not shown</p></Show>
    </figure>
  );
}

function HunkView(props: { hunk: Hunk; isCollapsed: boolean }) {
  const [choice, setChoice] = createSignal<boolean>();
  const isOpen = (): boolean => choice() ?? !props.isCollapsed;
  return (
    <>
      <Show when={props.isCollapsed || props.hunk.header}>
        <button type="button" class="hunk-head mono" aria-expanded={isOpen()} onClick={() => setChoice(!isOpen())}>
          <Icon name="chevron" class="twist" />{props.hunk.header}<span class="faint">{props.hunk.changed} changed</span>
        </button>
      </Show>
      <Show when={isOpen()}>
        <Show when={prefs.diff === 'split'} fallback={<Unified lines={props.hunk.lines} />}><Split hunk={props.hunk} /></Show>
      </Show>
    </>
  );
}

const SIGNS: Record<DiffLine['kind'], string> = { add: '+', remove: '−', context: ' ' };

function Unified(props: { lines: readonly DiffLine[] }) {
  return (
    <table class="diff-table" role="presentation">
      <tbody>
        <For each={props.lines}>
          {(line) => (
            <tr data-change={line.kind}>
              <td class="number">{line.oldNumber}</td><td class="number">{line.newNumber}</td>
              <td class="sign">{SIGNS[line.kind]}</td><td class="code"><LineText line={line} /></td>
            </tr>
          )}
        </For>
      </tbody>
    </table>
  );
}

function Split(props: { hunk: Hunk }) {
  return (
    <table class="diff-table split" role="presentation">
      <tbody>
        <For each={splitRows(props.hunk)}>{(row) => <tr><Half line={row.left} side="left" /><Half line={row.right} side="right" /></tr>}</For>
      </tbody>
    </table>
  );
}

function Half(props: { line: DiffLine | undefined; side: 'left' | 'right' }) {
  return (
    <>
      <td class="number" data-change={props.line?.kind ?? 'none'}>{props.side === 'left' ? props.line?.oldNumber : props.line?.newNumber}</td>
      <td class="code" data-change={props.line?.kind ?? 'none'}><Show when={props.line}>{(line) => <LineText line={line()} />}</Show></td>
    </>
  );
}

function LineText(props: { line: DiffLine }) {
  return <For each={pieces(props.line.text, props.line.ranges)}>{(piece) => (piece.isChanged ? <mark>{piece.text}</mark> : piece.text)}</For>;
}

function pieces(text: string, ranges: readonly Range[]): { text: string; isChanged: boolean }[] {
  const found: { text: string; isChanged: boolean }[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    if (start > at) found.push({ text: text.slice(at, start), isChanged: false });
    found.push({ text: text.slice(start, end), isChanged: true });
    at = end;
  }
  if (at < text.length || found.length === 0) found.push({ text: text.slice(at) || '\n', isChanged: false });
  return found;
}
