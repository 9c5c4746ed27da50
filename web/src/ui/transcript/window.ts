/** Which rows of a long list have elements, and that what the user looks at does not move when others change.
 *  Owns the scroll position; the policy of sticking to the end is the model's. */
import { createSignal, type Accessor } from 'solid-js';
import { didScroll, stickStep, stuck, type Metrics, type StickEvent, type StickState } from '../../scroll/stick';
import { Heights } from './heights';

export interface RowRange {
  from: number;
  to: number;
  above: number;
  below: number;
}

/** Rows this far beyond the view are ready before they are seen. */
const OVERSCAN = 700;
/** New heights can uncover new rows; it settles in one or two rounds. */
const ROUNDS = 4;

/** A row, and how far its upper edge is below that of the view. */
export interface Place {
  key: string;
  offset: number;
}

export interface RowWindow {
  range: Accessor<RowRange>;
  stick: Accessor<StickState>;
  attach(scroller: HTMLElement): void;
  addRow(key: string, element: HTMLElement): void;
  dropRow(key: string, element: HTMLElement): void;
  setKeys(keys: readonly string[]): void;
  tell(event: StickEvent): void;
  onScroll(): void;
  /** Keeps a row where it is while the user opens or closes something in it. */
  release(key: string): void;
  /** Keeps a row under the pointer that is held down on it, whatever comes meanwhile: a click is where it began. */
  press(key: string): void;
  unpress(): void;
  /** Brings a row into view, somewhat below the upper edge. */
  reveal(key: string): void;
  /** What is at the upper edge, to come back to. */
  place(): Place | undefined;
  restore(place: Place): void;
  metrics(): Metrics;
  stop(): void;
}

export function createRowWindow(estimate: (key: string) => number): RowWindow {
  const heights = new Heights(estimate);
  const elements = new Map<string, HTMLElement>();
  const [range, setRange] = createSignal<RowRange>({ from: 0, to: 0, above: 0, below: 0 }, { equals: sameRange });
  const [stick, setStick] = createSignal<StickState>(stuck);
  let scroller: HTMLElement | undefined;
  let anchor: Place | undefined;
  let pressed: Place | undefined;
  let width = 0;
  let isSettling = false;
  /** Where the view was when it was last looked at or moved from here. */
  let knownTop = 0;

  const metrics = (): Metrics => ({ scrollTop: scroller?.scrollTop ?? 0, clientHeight: scroller?.clientHeight ?? 0, scrollHeight: scroller?.scrollHeight ?? 0 });

  const findAnchor = (): typeof anchor => {
    if (!scroller || heights.count === 0) return undefined;
    const index = heights.indexAt(scroller.scrollTop);
    const key = heights.keyAt(index);
    return key === undefined ? undefined : { key, offset: heights.topOf(index) - scroller.scrollTop };
  };

  const cover = (): void => {
    if (!scroller) return;
    const top = scroller.scrollTop;
    const from = heights.indexAt(top - OVERSCAN);
    const to = heights.count === 0 ? 0 : heights.indexAt(top + scroller.clientHeight + OVERSCAN) + 1;
    setRange({ from, to, above: heights.topOf(from), below: heights.total - heights.topOf(to) });
  };

  const measure = (): boolean => {
    let isNews = false;
    for (const [key, element] of elements) isNews = heights.set(key, element.getBoundingClientRect().height) || isNews;
    return isNews;
  };

  const moveTo = (top: number): void => {
    if (!scroller) return;
    if (Math.abs(scroller.scrollTop - top) >= 0.5) scroller.scrollTop = top;
    knownTop = scroller.scrollTop;
    setStick((state) => didScroll(state, knownTop));
  };

  const hold = (): void => {
    if (!scroller) return;
    if (stick().isStuck && !pressed) return moveTo(scroller.scrollHeight - scroller.clientHeight);
    const held = pressed ?? anchor;
    const index = held ? heights.indexOf(held.key) : undefined;
    if (held === undefined || index === undefined) return;
    const wanted = heights.topOf(index) - held.offset;
    if (Math.abs(scroller.scrollTop - wanted) >= 0.5) moveTo(wanted);
  };

  /** Sizes can be told before the scrolling that the user already sees. */
  const notice = (): void => {
    if (!scroller || Math.abs(scroller.scrollTop - knownTop) < 1) return;
    knownTop = scroller.scrollTop;
    pressed = undefined;
    if (!stick().isStuck) anchor = findAnchor();
  };

  const settle = (): void => {
    if (isSettling || !scroller) return;
    isSettling = true;
    notice();
    for (let round = 0; round < ROUNDS; round += 1) {
      cover();
      const isNews = measure();
      if (isNews) {
        // First, so that rows which only moved are not taken for others.
        hold();
        cover();
      }
      hold();
      if (!isNews) break;
    }
    isSettling = false;
    if (stick().isStuck) anchor = findAnchor();
  };

  const tell = (event: StickEvent): void => {
    const step = stickStep(stick(), event);
    setStick(step.state);
    if (step.action.kind === 'row') reveal(step.action.key);
    else if (step.action.kind === 'top' && scroller) {
      moveTo(step.action.top);
      anchor = findAnchor();
      settle();
    } else if (step.action.kind === 'bottom') settle();
  };

  const reveal = (key: string): void => restore({ key, offset: 56 });

  const release = (key: string): void => {
    const index = heights.indexOf(key);
    if (index === undefined || !scroller) return;
    setStick((state) => ({ ...state, isStuck: false }));
    knownTop = scroller.scrollTop;
    anchor = { key, offset: heights.topOf(index) - knownTop };
    requestAnimationFrame(() => followIfWhole(key));
  };

  /** What was opened may still leave the end in view; what is still being fetched says nothing yet. */
  const followIfWhole = (key: string): void => {
    if (elements.get(key)?.querySelector('[aria-busy="true"].part')) return void requestAnimationFrame(() => followIfWhole(key));
    const { scrollTop, clientHeight, scrollHeight } = metrics();
    if (scrollHeight - clientHeight - scrollTop <= 2) tell({ type: 'jump' });
  };

  const press = (key: string): void => {
    const index = heights.indexOf(key);
    if (index === undefined || !scroller) return;
    knownTop = scroller.scrollTop;
    pressed = { key, offset: heights.topOf(index) - knownTop };
  };

  const unpress = (): void => {
    if (!pressed) return;
    pressed = undefined;
    settle();
  };

  const restore = (place: Place): void => {
    if (heights.indexOf(place.key) === undefined) return;
    setStick((state) => ({ ...state, isStuck: false }));
    knownTop = scroller?.scrollTop ?? 0;
    anchor = place;
    // The rows around the place have to be there before they can be measured.
    hold();
    settle();
  };

  const sizes = new ResizeObserver(() => {
    if (scroller && scroller.clientWidth !== width) {
      // Heights of before are better guesses than none, and what the browser moved is not the reader's doing.
      width = scroller.clientWidth;
      knownTop = scroller.scrollTop;
    }
    tell({ type: 'resize', metrics: metrics() });
    settle();
  });

  return {
    range, stick, metrics, tell, release, press, unpress, reveal, restore,
    attach: (element) => {
      scroller = element;
      width = element.clientWidth;
      sizes.observe(element);
    },
    addRow: (key, element) => {
      elements.set(key, element);
      sizes.observe(element);
    },
    dropRow: (key, element) => {
      if (elements.get(key) === element) elements.delete(key);
      sizes.unobserve(element);
    },
    setKeys: (keys) => {
      heights.setKeys(keys);
      settle();
    },
    onScroll: () => {
      if (Math.abs((scroller?.scrollTop ?? 0) - knownTop) >= 1) pressed = undefined;
      tell({ type: 'scroll', metrics: metrics() });
      knownTop = scroller?.scrollTop ?? 0;
      if (!stick().isStuck) anchor = findAnchor();
      settle();
    },
    place: () => (stick().isStuck ? undefined : findAnchor()),
    stop: () => sizes.disconnect(),
  };
}

function sameRange(one: RowRange, other: RowRange): boolean {
  return one.from === other.from && one.to === other.to && one.above === other.above && one.below === other.below;
}
