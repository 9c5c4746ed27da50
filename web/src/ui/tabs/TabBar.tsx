/** The open sessions. Owns the keyboard and the drag of tabs; their order is kept elsewhere. */
import { createEffect, createSignal, For, on, onCleanup, Show } from 'solid-js';
import { agentBadge, find, glyph } from '../../state/catalog';
import { titleOf } from '../../model/list';
import { backgroundOf } from '../../state/background';
import { setDrawerOpen, isDrawerOpen } from '../../state/screen';
import { active, close, moveBefore, open, shift, tabs } from '../../state/tabs';
import { Icon } from '../parts/Icon';
import { StatusGlyph } from '../sidebar/SessionRow';

export const tabId = (sessionId: string): string => `tab-${encodeURIComponent(sessionId)}`;
export const panelId = (sessionId: string): string => `pane-${encodeURIComponent(sessionId)}`;

export function TabBar() {
  const [dragged, setDragged] = createSignal<string>();
  const [over, setOver] = createSignal<string>();
  let list!: HTMLDivElement;
  const focusTab = (id: string | undefined): void => {
    if (id) document.getElementById(tabId(id))?.focus();
  };
  const reveal = (): void => {
    const id = active();
    if (id) document.getElementById(tabId(id))?.parentElement?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  createEffect(on(active, () => queueMicrotask(reveal)));
  // A phone is turned, a window made narrow.
  addEventListener('resize', reveal);
  onCleanup(() => removeEventListener('resize', reveal));
  const onKey = (event: KeyboardEvent, id: string): void => {
    const order = tabs().order;
    const at = order.indexOf(id);
    if (event.altKey && event.shiftKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
      shift(id, event.key === 'ArrowLeft' ? -1 : 1);
      queueMicrotask(() => focusTab(id));
    } else if (event.key === 'ArrowRight') focusTab(order[(at + 1) % order.length]);
    else if (event.key === 'ArrowLeft') focusTab(order[(at - 1 + order.length) % order.length]);
    else if (event.key === 'Home') focusTab(order[0]);
    else if (event.key === 'End') focusTab(order.at(-1));
    else if (event.key === 'Enter' || event.key === ' ') open(id);
    else if (event.key === 'Delete') {
      close(id);
      queueMicrotask(() => focusTab(active()));
    } else return;
    event.preventDefault();
  };
  const drop = (event: DragEvent, before: string | undefined): void => {
    event.preventDefault();
    const id = dragged();
    if (id && id !== before) moveBefore(id, before);
    setDragged(undefined);
    setOver(undefined);
  };
  return (
    <div class="tab-bar">
      <button type="button" class="icon-button drawer-button" aria-label="Projects and sessions" aria-expanded={isDrawerOpen()} data-testid="drawer" onClick={() => setDrawerOpen(true)}>
        <Icon name="menu" />
      </button>
      <div
        ref={list} class="tab-list" role="tablist" aria-label="Open sessions" data-testid="tabs"
        onWheel={(event) => { if (event.deltaX === 0) list.scrollLeft += event.deltaY; }}
        onDragOver={(event) => dragged() && event.preventDefault()} onDrop={(event) => drop(event, undefined)}
      >
        <For each={tabs().order}>
          {(id) => (
            <Tab
              id={id} isOver={over() === id} onKey={(event) => onKey(event, id)}
              onDragStart={() => setDragged(id)} onDragOver={() => setOver(id)} onDragEnd={() => { setDragged(undefined); setOver(undefined); }}
              onDrop={(event) => { event.stopPropagation(); drop(event, id); }}
            />
          )}
        </For>
      </div>
    </div>
  );
}

interface TabProps {
  id: string;
  isOver: boolean;
  onKey: (event: KeyboardEvent) => void;
  onDragStart: () => void;
  onDragOver: () => void;
  onDragEnd: () => void;
  onDrop: (event: DragEvent) => void;
}

function Tab(props: TabProps) {
  const session = () => find(props.id);
  const title = (): string => { const found = session(); return found ? titleOf(found) : 'Session'; };
  const isActive = (): boolean => active() === props.id;
  const isReachable = (): boolean => isActive() || (!active() && tabs().order[0] === props.id);
  return (
    <div class="tab" classList={{ active: isActive(), over: props.isOver }} role="presentation" data-testid="tab-frame">
      <div
        class="tab-face" role="tab" id={tabId(props.id)} aria-selected={isActive()} aria-controls={panelId(props.id)} tabIndex={isReachable() ? 0 : -1}
        data-testid="tab" data-session={props.id} title={title()} draggable={true}
        onClick={() => open(props.id)}
        onAuxClick={(event) => { if (event.button === 1) { event.preventDefault(); close(props.id); } }}
        onMouseDown={(event) => { if (event.button === 1) event.preventDefault(); }}
        onKeyDown={(event) => props.onKey(event)}
        onDragStart={() => props.onDragStart()} onDragEnd={() => props.onDragEnd()}
        onDragOver={(event) => { event.preventDefault(); props.onDragOver(); }} onDrop={(event) => props.onDrop(event)}
      >
        <Show when={session()} fallback={<span class="badge">··</span>}>
          {(found) => <><StatusGlyph status={glyph(found(), isActive())} background={backgroundOf(found())} /><span class="badge">{agentBadge(found().cliType)}</span></>}
        </Show>
        <span class="truncate">{title()}</span>
      </div>
      {/* For the pointer only: a list of tabs holds tabs alone, and the keyboard has Delete. */}
      <button type="button" class="tab-close" tabIndex={-1} aria-hidden="true" title="Close" data-testid="tab-close" onClick={() => close(props.id)}><Icon name="close" /></button>
    </div>
  );
}
