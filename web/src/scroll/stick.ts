// When a transcript follows its end, and when it leaves the reader alone. Pure: events in, a new state and an action out.
// The view follows only while the reader is at the end; whatever the reader does to move away releases it.

export type Metrics = { readonly scrollTop: number; readonly clientHeight: number; readonly scrollHeight: number };

export type StickState = {
  readonly isStuck: boolean;
  /** Rows that came since the view was released. */
  readonly newRows: number;
  /** Where this policy last put the view, to tell its own scrolling from the reader's. */
  readonly ownTop: number | undefined;
  /** Where the view last was, to tell up from down. */
  readonly lastTop: number | undefined;
  readonly isSelecting: boolean;
};

export type StickEvent =
  | { readonly type: 'scroll'; readonly metrics: Metrics }
  | { readonly type: 'wheel'; readonly deltaY: number; readonly metrics: Metrics }
  /** A finger moves, or the scroll bar is dragged; later `scroll` events tell where to. */
  | { readonly type: 'touch' | 'drag' }
  | { readonly type: 'key'; readonly key: string; readonly metrics: Metrics }
  | { readonly type: 'selection'; readonly isActive: boolean }
  /** Content or viewport changed its size. */
  | { readonly type: 'resize'; readonly metrics: Metrics }
  | { readonly type: 'rows'; readonly added: number }
  | { readonly type: 'jump' }
  | { readonly type: 'sent' }
  /** A session is shown: at the first unread row, if there is one. */
  | { readonly type: 'open'; readonly unreadKey?: string | undefined }
  /** Older rows are put in front; `before` and `after` are the tops of one row that stays, from the start of the content. */
  | { readonly type: 'prepend'; readonly scrollTop: number; readonly before: number; readonly after: number };

export type StickAction =
  | { readonly kind: 'none' }
  | { readonly kind: 'bottom' }
  | { readonly kind: 'top'; readonly top: number }
  | { readonly kind: 'row'; readonly key: string };

export type StickStep = { readonly state: StickState; readonly action: StickAction };

/** Within this many pixels of the end the reader counts as being there. */
export const STICK_DISTANCE = 64;

/** Browsers round positions, and zoomed pages more so. */
const ROUNDING = 2;

export const stuck: StickState = { isStuck: true, newRows: 0, ownTop: undefined, lastTop: undefined, isSelecting: false };

export function isNearBottom({ scrollTop, clientHeight, scrollHeight }: Metrics): boolean {
  return scrollHeight - clientHeight - scrollTop <= STICK_DISTANCE;
}

function isAtBottom({ scrollTop, clientHeight, scrollHeight }: Metrics): boolean {
  return scrollHeight - clientHeight - scrollTop <= ROUNDING;
}

export function stickStep(state: StickState, event: StickEvent): StickStep {
  switch (event.type) {
    case 'scroll':
      return stay(scrolled(state, event.metrics));
    case 'wheel':
      return stay(event.deltaY < 0 && canScrollUp(event.metrics) ? released(state) : state);
    case 'touch':
    case 'drag':
      return stay(released(state));
    case 'key':
      return keyed(state, event.key, event.metrics);
    case 'selection':
      return stay(event.isActive ? { ...released(state), isSelecting: true } : { ...state, isSelecting: false });
    case 'resize':
      return state.isStuck ? { state, action: { kind: 'bottom' } } : stay(state);
    case 'rows':
      return stay(state.isStuck || event.added <= 0 ? state : { ...state, newRows: state.newRows + event.added });
    case 'jump':
    case 'sent':
      return { state: attached(state), action: { kind: 'bottom' } };
    case 'open':
      return opened(event.unreadKey);
    case 'prepend':
      return prepended(state, event);
  }
}

/** Call after carrying out an action, with the `scrollTop` that the browser gave. */
export function didScroll(state: StickState, scrollTop: number): StickState {
  return { ...state, ownTop: scrollTop, lastTop: scrollTop };
}

const RELEASING = new Set(['PageUp', 'ArrowUp', 'Home']);

function keyed(state: StickState, key: string, metrics: Metrics): StickStep {
  if (key === 'End') return { state: attached(state), action: { kind: 'bottom' } };
  return stay(RELEASING.has(key) && canScrollUp(metrics) ? released(state) : state);
}

// A `scroll` at the place where the policy put the view is its own echo, which may come when content has grown again.
function scrolled(state: StickState, metrics: Metrics): StickState {
  const isOwn = state.ownTop !== undefined && Math.abs(metrics.scrollTop - state.ownTop) <= ROUNDING;
  if (isOwn) return state;
  const moved = { ...state, ownTop: undefined, lastTop: metrics.scrollTop };
  if (!isNearBottom(metrics)) return state.isStuck && isBelow(state, metrics) ? state : released(moved);
  // The first steps upwards are still near the end: only who comes down, or is at the very end, is back.
  const isBack = metrics.scrollTop > (state.lastTop ?? 0) || isAtBottom(metrics);
  return isBack && !state.isSelecting ? attached(moved) : moved;
}

// Smooth scrolling passes places on the way down to where the policy sent it.
function isBelow(state: StickState, metrics: Metrics): boolean {
  return state.ownTop !== undefined && metrics.scrollTop > state.ownTop;
}

function opened(unreadKey: string | undefined): StickStep {
  if (unreadKey === undefined) return { state: stuck, action: { kind: 'bottom' } };
  return { state: { ...stuck, isStuck: false }, action: { kind: 'row', key: unreadKey } };
}

function prepended(state: StickState, { scrollTop, before, after }: Extract<StickEvent, { type: 'prepend' }>): StickStep {
  if (state.isStuck) return { state, action: { kind: 'bottom' } };
  if (before === after) return stay(state);
  return { state, action: { kind: 'top', top: scrollTop + after - before } };
}

function canScrollUp({ scrollTop }: Metrics): boolean {
  return scrollTop > 0;
}

function released(state: StickState): StickState {
  return state.isStuck ? { ...state, isStuck: false, newRows: 0 } : state;
}

function attached(state: StickState): StickState {
  return { ...state, isStuck: true, newRows: 0 };
}

function stay(state: StickState): StickStep {
  return { state, action: { kind: 'none' } };
}
