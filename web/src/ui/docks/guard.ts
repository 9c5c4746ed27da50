/** Keeps a dock from answering by accident: connects the arming machine to time, paint, focus, layout and input events. */
import { type Accessor, createEffect, createSignal, on, onCleanup } from 'solid-js';
import { Arming, SETTLE_MS } from '../../model/arming';

/** How often the position of the buttons is compared. */
const WATCH_MS = 100;
/** Pixels by which buttons may move and still be under the same pointer. */
const TOLERANCE = 4;

export interface Guard {
  readonly isArmed: Accessor<boolean>;
  /** The dock changed in a way that its meaning does not show, such as an error message. */
  disturb(): void;
  /** Whether a click on this button answers. */
  takesClick(button: string, event: MouseEvent): boolean;
  /** Whether a key that was pressed answers by itself, without a click. */
  takesKey(event: KeyboardEvent): boolean;
  readonly handlers: {
    onPointerDown(event: PointerEvent): void;
    onKeyDown(event: KeyboardEvent): void;
    onFocusIn(event: FocusEvent): void;
  };
}

export interface GuardOptions {
  /** Changes with everything that a button can mean. */
  meaning: Accessor<string>;
  isShown: Accessor<boolean>;
  dock: () => HTMLElement | undefined;
  /** The buttons whose position on the screen matters. */
  buttons: () => HTMLElement | undefined;
}

export function createGuard(options: GuardOptions): Guard {
  const arming = new Arming();
  const [isArmed, setArmed] = createSignal(false);
  const scheduler = createScheduler(arming, setArmed);
  const disturb = (): void => {
    arming.disturbed();
    scheduler.restart();
  };
  createEffect(on(options.meaning, (meaning) => {
    arming.means(meaning);
    scheduler.restart();
  }));
  createEffect(on(options.isShown, disturb));
  const moved = watchPosition(options, disturb);
  listen(window, 'focus', disturb);
  listen(document, 'visibilitychange', disturb);
  return {
    isArmed,
    disturb,
    takesClick: (button, event) => arming.takes(button, timeOf(event), event.detail === 0 ? 'other' : 'pointer'),
    takesKey: (event) => isPlain(event) && arming.isArmed(timeOf(event)),
    handlers: {
      onPointerDown: (event) => {
        moved();
        press(arming, event);
      },
      onKeyDown: (event) => {
        if (!isActivation(event)) return;
        if (isPlain(event)) press(arming, event);
        // Without this a held or modified Enter would click the button.
        else event.preventDefault();
      },
      onFocusIn: (event) => {
        if (!(event.relatedTarget instanceof Node && options.dock()?.contains(event.relatedTarget))) disturb();
      },
    },
  };
}

/** Neither held down nor typed with a modifier: Option and AltGr type characters. Shift types digits on some layouts. */
function isPlain(event: KeyboardEvent): boolean {
  const isModified = event.ctrlKey || event.metaKey || event.altKey || event.getModifierState('AltGraph');
  return !event.repeat && !event.isComposing && !isModified;
}

function isActivation(event: KeyboardEvent): boolean {
  return (event.key === 'Enter' || event.key === ' ') && buttonOf(event) !== undefined;
}

function press(arming: Arming, event: Event): void {
  const button = buttonOf(event);
  if (button !== undefined) arming.press(button, timeOf(event));
}

function buttonOf(event: Event): string | undefined {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-answer]') : null;
  return button?.dataset['answer'];
}

/** When the input happened: a busy page may handle it much later. */
function timeOf(event: Event): number {
  return Math.min(event.timeStamp, performance.now());
}

/** Starts the time when a change has been painted. A hidden page paints nothing and so is never armed. */
function createScheduler(arming: Arming, setArmed: (isArmed: boolean) => void): { restart(): void } {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const check = (): void => {
    if (arming.isArmed(performance.now())) setArmed(true);
    else timer = setTimeout(check, 10);
  };
  const painted = (): void => {
    arming.painted(performance.now());
    timer = setTimeout(check, SETTLE_MS);
  };
  onCleanup(stop);
  return {
    restart: () => {
      stop();
      setArmed(arming.isArmed(performance.now()));
      frame = requestAnimationFrame(() => { frame = requestAnimationFrame(painted); });
    },
  };
}

/** Calls back when the buttons have moved on the screen; the returned function compares at once. */
function watchPosition(options: GuardOptions, onMove: () => void): () => void {
  let before: readonly number[] | undefined;
  const compare = (): void => {
    const now = positionOf(options.buttons());
    const hasMoved = before && now?.some((value, index) => Math.abs(value - (before?.[index] ?? value)) > TOLERANCE);
    if (hasMoved) onMove();
    // Small steps add up: the place is kept until they are a move.
    if (!before || hasMoved) before = now;
  };
  const timer = setInterval(compare, WATCH_MS);
  onCleanup(() => clearInterval(timer));
  return compare;
}

function positionOf(element: HTMLElement | undefined): number[] | undefined {
  if (!element) return undefined;
  const { left, top, width, height } = element.getBoundingClientRect();
  const { offsetLeft = 0, offsetTop = 0, scale = 1 } = globalThis.visualViewport ?? {};
  return [left - offsetLeft, top - offsetTop, width, height].map((value) => value * scale);
}

function listen(target: EventTarget, name: string, handler: () => void): void {
  target.addEventListener(name, handler);
  onCleanup(() => target.removeEventListener(name, handler));
}
