export type Metrics = { readonly scrollTop: number; readonly clientHeight: number; readonly scrollHeight: number };

export type StickState = {
  readonly isStuck: boolean;
  /** Rows that came since the view was released. */
  readonly newRows: number;
  /** Where this policy last put the view, to tell its own scrolling from the user's. */
  readonly ownTop: number | undefined;
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
  | { readonly type: 'open'; readonly unreadKey?: string }
  /** Older rows are put in front; `before` and `after` are the tops of one row that stays. */
  | { readonly type: 'prepend'; readonly scrollTop: number; readonly before: number; readonly after: number };

export type StickAction =
  | { readonly kind: 'none' }
  | { readonly kind: 'bottom' }
  | { readonly kind: 'top'; readonly top: number }
  | { readonly kind: 'row'; readonly key: string };

export declare const stuck: StickState;
export declare const STICK_DISTANCE: number;
export declare function stickStep(state: StickState, event: StickEvent): { readonly state: StickState; readonly action: StickAction };
/** Call after carrying out an action, with the `scrollTop` that the browser gave. */
export declare function didScroll(state: StickState, scrollTop: number): StickState;
export declare function isNearBottom(metrics: Metrics): boolean;
