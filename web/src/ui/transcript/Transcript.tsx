/** A session's rows. Only those near the view have elements; each keeps its element for as long as it is near. */
import { createEffect, createMemo, For, on, onCleanup, onMount, Show } from 'solid-js';
import { pathTo, type Row } from '../../model/rows';
import { prefs, setSeen } from '../../state/prefs';
import type { OpenSession } from '../../state/session';
import { setTarget, target } from '../../state/tabs';
import { attempt } from '../../state/toasts';
import { Icon } from '../parts/Icon';
import { RowView } from '../rows/RowView';
import { allStepsKey } from '../rows/ToolCard';
import { createRowWindow, type Place, type RowWindow } from './window';

const ESTIMATES: Record<Row['kind'], number> = {
  gap: 48, user: 76, agent: 140, note: 40, thinking: 34, tool: 38, fold: 38, permission: 34, plan: 120, 'turn-end': 40, error: 96,
};
/** Older rows are asked for before the upper end is seen. */
const NEAR_TOP = 400;

export function Transcript(props: { session: OpenSession; isShown: boolean; onWindow?: (rows: RowWindow) => void }) {
  const rows = (): readonly Row[] => props.session.projection().rows;
  const byKey = createMemo(() => new Map(rows().map((row) => [row.key, row])));
  const keys = createMemo(() => rows().map((row) => row.key), [], { equals: sameKeys });
  const view = createRowWindow((key) => ESTIMATES[byKey().get(key)?.kind ?? 'agent']);
  const shown = createMemo(() => keys().slice(view.range().from, view.range().to));
  let scroller!: HTMLDivElement;

  onMount(() => {
    view.attach(scroller);
    props.onWindow?.(view);
    document.addEventListener('selectionchange', onSelection);
    // Before the click does its work, so that the place is the one that the user sees.
    scroller.addEventListener('click', onToggle, { capture: true });
    for (const end of ['pointerup', 'pointercancel']) addEventListener(end, onUnpress);
  });
  onCleanup(() => {
    document.removeEventListener('selectionchange', onSelection);
    for (const end of ['pointerup', 'pointercancel']) removeEventListener(end, onUnpress);
    props.session.place = view.place();
    view.stop();
  });

  const onToggle = (event: MouseEvent): void => {
    const target = event.target instanceof Element ? event.target : undefined;
    const key = target?.closest('[aria-expanded], .text-button') && target.closest<HTMLElement>('.row-frame')?.dataset['key'];
    if (key) view.release(key);
  };
  const onPress = (event: PointerEvent): void => {
    if (event.target === scroller && event.offsetX > scroller.clientWidth) return view.tell({ type: 'drag' });
    const key = event.target instanceof Element ? event.target.closest<HTMLElement>('.row-frame')?.dataset['key'] : undefined;
    if (key) view.press(key);
  };
  // The click comes right after.
  const onUnpress = (): void => void setTimeout(() => view.unpress());
  const onSelection = (): void => {
    const selection = document.getSelection();
    const isActive = selection !== null && !selection.isCollapsed && scroller.contains(selection.anchorNode);
    if (isActive !== view.stick().isSelecting) view.tell({ type: 'selection', isActive });
  };

  followRows(() => props.session, keys, view);
  followTarget(() => props.session, rows, view);
  createEffect(() => {
    const last = keys().at(-1);
    if (props.isShown && document.visibilityState === 'visible' && props.session.isLoaded()) setSeen(props.session.id, props.session.seq(), last);
  });

  const onScroll = (): void => {
    view.onScroll();
    if (scroller.scrollTop < NEAR_TOP && props.session.hasOlder() && !props.session.isLoadingOlder()) {
      attempt('Older messages could not be read', () => props.session.loadOlder());
    }
  };
  return (
    <div class="transcript-frame">
      <div
        ref={scroller} class="transcript" role="log" aria-live="off" aria-label="Conversation" tabIndex={0} data-testid="transcript"
        onScroll={onScroll} onWheel={(event) => view.tell({ type: 'wheel', deltaY: event.deltaY, metrics: view.metrics() })}
        onTouchMove={() => view.tell({ type: 'touch' })}
        onPointerDown={onPress}
        onKeyDown={(event) => view.tell({ type: 'key', key: event.key, metrics: view.metrics() })}
      >
        <div class="spacer" style={{ height: `${view.range().above}px` }} />
        <Show when={props.session.isLoadingOlder()}><p class="older"><span class="spinner" />Reading older messages</p></Show>
        <For each={shown()}>
          {(key) => {
            const row = createMemo<Row>((before) => byKey().get(key) ?? before as Row);
            let frame!: HTMLDivElement;
            onMount(() => view.addRow(key, frame));
            onCleanup(() => view.dropRow(key, frame));
            return (
              <div ref={frame} class="row-frame" data-testid="row" data-key={key} data-kind={row().kind} data-status={statusOf(row())}>
                <RowView row={row()} session={props.session} />
              </div>
            );
          }}
        </For>
        <div class="spacer" style={{ height: `${view.range().below}px` }} />
      </div>
      <Show when={!view.stick().isStuck && rows().length > 0}>
        <button type="button" class="jump-latest" data-testid="jump-latest" onClick={() => view.tell({ type: 'jump' })}>
          <Icon name="down" />
          {view.stick().newRows > 0 ? `${view.stick().newRows} new` : 'Latest'}
        </button>
      </Show>
    </div>
  );
}

/** Lands where it was left, at the first unread row, or at the end; then follows. Rows of an earlier time are a picture
 *  until newer ones come: it is those that tell what is unread. */
function followRows(session: () => OpenSession, keys: () => string[], view: RowWindow): void {
  let before = 0;
  let hasLanded = false;
  createEffect(on([keys, () => session().isFresh()], ([all, isFresh]) => {
    if (all.length > before && hasLanded) view.tell({ type: 'rows', added: all.length - before });
    before = all.length;
    view.setKeys(all);
    if (hasLanded || all.length === 0) return;
    hasLanded = isFresh;
    const { place } = session();
    if (place) comeBack(session(), place, all, view);
    else land(firstUnread(session().id, all), view);
  }));
}

function land(unread: string | undefined, view: RowWindow): void {
  view.tell(unread === undefined ? { type: 'open' } : { type: 'open', unreadKey: unread });
}

function firstUnread(sessionId: string, all: readonly string[]): string | undefined {
  const seen = all.indexOf(prefs.seenRows[sessionId] ?? '');
  return seen >= 0 ? all[seen + 1] : undefined;
}

/** Where it was left may be further back than what comes first. */
function comeBack(session: OpenSession, place: Place, all: readonly string[], view: RowWindow): void {
  if (all.includes(place.key)) return view.restore(place);
  land(undefined, view);
  if (session.isFresh()) void session.loadAround(place.key).then(() => view.restore(place), () => undefined);
}

function followTarget(session: () => OpenSession, rows: () => readonly Row[], view: RowWindow): void {
  let asked: ReturnType<typeof target>;
  createEffect(() => {
    const wanted = target();
    if (wanted?.sessionId !== session().id || rows().length === 0) return;
    const path = pathTo(rows(), wanted.itemId);
    const key = path[0]?.key;
    if (key === undefined) {
      // Rows of an earlier time know nothing of it, and one page comes at a time: this runs again.
      if (!session().isFresh() || session().isLoadingOlder()) return;
      if (asked === wanted) return void setTarget(undefined);
      asked = wanted;
      attempt('That place could not be read', () => session().loadAround(wanted.itemId).catch((error: unknown) => {
        setTarget(undefined);
        throw error;
      }));
      return;
    }
    setTarget(undefined);
    unfold(session(), path);
    queueMicrotask(() => {
      view.reveal(key);
      document.querySelector('.is-target')?.classList.remove('is-target');
      document.querySelector(`[data-key="${CSS.escape(key)}"]`)?.classList.add('is-target');
    });
  });
}

/** Opens what an item is folded into, and the item itself. */
function unfold(session: OpenSession, path: readonly Row[]): void {
  for (const [index, row] of path.entries()) {
    if (row.kind === 'fold' || row.kind === 'tool' || row.kind === 'thinking') session.setExpanded(row.key, true);
    if (row.kind === 'tool' && index < path.length - 1) session.setExpanded(allStepsKey(row.key), true);
  }
}

function statusOf(row: Row): string | undefined {
  if (row.kind === 'tool') return row.status;
  if (row.kind === 'agent' || row.kind === 'thinking') return row.item.state.status;
  return row.kind === 'user' ? row.outgoing?.delivery.kind : undefined;
}

function sameKeys(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}
