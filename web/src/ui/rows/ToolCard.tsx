/** A tool call: one line that says what and how far, and a body that is built when it is first opened. */
import { createEffect, createMemo, createSignal, For, Index, Show } from 'solid-js';
import type { PermissionRow as Answered, ToolRow, ToolStatus } from '../../model/rows';
import { permissionOutcome } from '../../model/section';
import { isTerminal } from '../../model/session-log';
import { durationText } from '../../model/turn';
import { isDisconnected } from '../../state/services';
import type { OpenSession } from '../../state/session';
import { second } from '../clock';
import { Icon } from '../parts/Icon';
import { LazyToolBody, LazyToolCounts } from './lazy-tools';
import { PermissionRow } from './PermissionRow';
import { RowView } from './RowView';
import { givenTo, KIND_ICONS, STATUS_WORDS, wordsOf } from './tool-words';
import { VisibleText } from './VisibleText';

const CHILDREN_FIRST = 100;

/** Under which it is kept that all steps of a sub-agent are shown. */
export const allStepsKey = (key: string): string => `${key}:steps`;

export function ToolCard(props: { row: ToolRow; session: OpenSession }) {
  const [wasOpened, setOpened] = createSignal(false);
  const isOpen = (): boolean => props.session.isExpanded(props.row.key) ?? false;
  createEffect(() => { if (isOpen()) setOpened(true); });
  const words = createMemo(() => wordsOf(props.row, props.session.status()?.directory));
  const icon = () => (props.row.children.length > 0 ? 'group' : KIND_ICONS[props.row.item.state.kind ?? 'other']);
  return (
    <div class="tool-card" data-testid="tool-card" data-item={props.row.key} data-status={props.row.status} data-rejected={isRejected(props.row)} data-kind={props.row.item.state.kind ?? 'other'} classList={{ open: isOpen() }}>
      <button type="button" class="line-button" aria-expanded={isOpen()} onClick={() => props.session.setExpanded(props.row.key, !isOpen())}>
        <Icon name="chevron" class="twist" />
        <Icon name={icon()} />
        <span class="line-label"><VisibleText text={words().verb} /></span>
        <span class="truncate tool-subject" classList={{ mono: words().isCode }}><VisibleText text={words().subject} /></span>
        <LazyToolCounts diffs={givenTo(props.row).diffs} />
        <Show when={props.row.item.state.detached}><span class="chip tag" data-testid="background-tag">background</span></Show>
        <Show when={props.row.children.length > 0}><span class="chip steps">{steps(props.row.children.length)}</span></Show>
        <StatusMark row={props.row} />
      </button>
      <Show when={endedWhy(props.row)}>{(why) => <p class="tool-ended" data-testid="tool-ended"><VisibleText text={why()} /></p>}</Show>
      <Show when={answered(props.row)}>{(row) => <PermissionRow row={row()} />}</Show>
      <Show when={wasOpened()}>
        <div class="tool-body" hidden={!isOpen()}>
          <LazyToolBody row={props.row} session={props.session} />
          <Show when={props.row.children.length > 0 && isOpen()}><Children row={props.row} session={props.session} /></Show>
        </div>
      </Show>
    </div>
  );
}

function steps(count: number): string {
  return count === 1 ? '1 step' : `${count} steps`;
}

function answered({ permission: item }: ToolRow): Answered | undefined {
  return item && isTerminal(item.state.status) ? { kind: 'permission', key: item.id, turnId: item.turnId, item, ...permissionOutcome(item) } : undefined;
}

/** Somebody said no to it: that is no fault of the tool. */
function isRejected(row: ToolRow): boolean {
  return row.status === 'error' && row.permission !== undefined && permissionOutcome(row.permission).outcome === 'rejected';
}

function endedWhy({ status, item }: ToolRow): string | undefined {
  return status === 'ended' ? item.state.errorMessage : undefined;
}

function StatusMark(props: { row: ToolRow }) {
  const status = (): ToolStatus => props.row.status;
  const took = (): number => props.row.durationMs ?? 0;
  return (
    <span class="tool-status" data-status={status()}>
      <Show when={status() !== 'ok' && status() !== 'running'}>{isRejected(props.row) ? 'rejected' : STATUS_WORDS[status()]}</Show>
      <Show when={status() === 'ok' && took() >= 1000}>{durationText(took())}</Show>
      <Show when={status() === 'running'}><Elapsed row={props.row} /><span class="spinner" /></Show>
      <Show when={status() === 'ok'}><Icon name="check" /></Show>
      <Show when={status() === 'error'}><Icon name="close" /></Show>
      <Show when={status() === 'ok' || status() === 'running'}><span class="hidden-text">{STATUS_WORDS[status()]}</span></Show>
    </span>
  );
}

/** The status line counts for what a turn waits for; nothing else counts for background work. */
function Elapsed(props: { row: ToolRow }) {
  const since = (): number => Date.parse(props.row.item.startedAt ?? '');
  const isCounting = (): boolean => Boolean(props.row.item.state.detached) && !Number.isNaN(since()) && !isDisconnected();
  return <Show when={isCounting()}><span data-testid="tool-elapsed">{durationText(Math.max(0, second() - since()))}</span></Show>;
}

/** What a sub-agent does. */
function Children(props: { row: ToolRow; session: OpenSession }) {
  const isAll = (): boolean => props.session.isExpanded(allStepsKey(props.row.key)) ?? false;
  const hidden = (): number => (isAll() ? 0 : Math.max(0, props.row.children.length - CHILDREN_FIRST));
  return (
    <div class="nested" data-testid="sub-agent">
      <For each={hidden() > 0 ? [hidden()] : []}>{(count) => <button type="button" class="text-button" onClick={() => props.session.setExpanded(allStepsKey(props.row.key), true)}>Show {count} earlier steps</button>}</For>
      <Index each={props.row.children.slice(hidden())}>{(child) => <RowView row={child()} session={props.session} />}</Index>
    </div>
  );
}
