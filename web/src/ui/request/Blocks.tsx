/** The parts of a request's input: a command, a file, a change, a named value. */
import { type JSX, Match, Show, Switch } from 'solid-js';
import type { AskedPart } from '../../model/asked';
import type { Line } from '../../model/lines';
import { countText } from './count-text';
import { Lines } from './Lines';
import { VisibleLine } from './VisibleLine';

export type Block = { readonly part: AskedPart; readonly lines: Line[] };

/** Values up to this length stand beside their names. */
const SHORT = 120;

export function BlockView(props: { block: Block; isWhole: boolean; onShowAll: () => void }) {
  const as = <K extends AskedPart['kind']>(kind: K): Extract<AskedPart, { kind: K }> | undefined =>
    (props.block.part.kind === kind ? props.block.part as Extract<AskedPart, { kind: K }> : undefined);
  const lines = (hasEnds: boolean) => <Lines lines={props.block.lines} isWhole={props.isWhole} hasEnds={hasEnds} onShowAll={props.onShowAll} />;
  return (
    <Switch>
      <Match when={as('command')}><div class="asked-block" data-testid="asked-command">{lines(true)}</div></Match>
      <Match when={as('file')}>{(part) => <FileBlock path={part().path} note={countText(props.block.lines.length, 'line')}>{lines(false)}</FileBlock>}</Match>
      <Match when={as('change')}>{(part) => <FileBlock path={part().diff.path} note={changeText(props.block.lines)}>{lines(false)}</FileBlock>}</Match>
      <Match when={as('value')}>{(part) => <Value name={part().name} isShort={props.block.lines.length === 1 && part().text.length <= SHORT}>{lines(true)}</Value>}</Match>
    </Switch>
  );
}

function FileBlock(props: { path: string; note: string; children: JSX.Element }) {
  return (
    <figure class="asked-block" data-testid="asked-file">
      <figcaption><span class="mono asked-path"><VisibleLine text={props.path} /></span><span class="counts">{props.note}</span></figcaption>
      {props.children}
    </figure>
  );
}

function Value(props: { name: string; isShort: boolean; children: JSX.Element }) {
  return (
    <div class="asked-value" classList={{ long: !props.isShort }} data-testid="asked-value">
      <span class="asked-name"><VisibleLine text={props.name} /></span>
      <Show when={props.isShort} fallback={<div class="asked-block">{props.children}</div>}>{props.children}</Show>
    </div>
  );
}

function changeText(lines: readonly Line[]): string {
  const count = (sign: Line['sign']): number => lines.filter((line) => line.sign === sign).length;
  return `+${count('+')} −${count('−')}`;
}
