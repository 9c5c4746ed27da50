import { describe, expect, it } from 'vitest';
import { didScroll, isNearBottom, type Metrics, type StickAction, type StickEvent, type StickState, stickStep, stuck } from '../../src/scroll/stick';
import { chance } from './support/chance';

/** A viewport of 500 px that does what it is told, and tells of it late, as browsers do. */
class View {
  state: StickState = stuck;
  top = 0;
  height: number;
  readonly actions: StickAction['kind'][] = [];

  constructor(height = 2000) {
    this.height = height;
    this.step({ type: 'open' });
  }

  metrics(): Metrics {
    return { scrollTop: this.top, clientHeight: 500, scrollHeight: this.height };
  }

  step(event: StickEvent): void {
    const { state, action } = stickStep(this.state, event);
    this.state = state;
    this.actions.push(action.kind);
    if (action.kind === 'bottom') this.top = Math.max(0, this.height - 500);
    if (action.kind === 'top') this.top = action.top;
    if (action.kind === 'bottom' || action.kind === 'top') this.state = didScroll(this.state, this.top);
  }

  /** The reader's own scrolling. */
  scrollTo(top: number): void {
    this.top = Math.min(Math.max(0, top), Math.max(0, this.height - 500));
    this.step({ type: 'scroll', metrics: this.metrics() });
  }

  wheel(deltaY: number): void {
    this.step({ type: 'wheel', deltaY, metrics: this.metrics() });
    // Browsers scroll smoothly: many small steps.
    for (let part = 0; part < 5; part += 1) this.scrollTo(this.top + deltaY / 5);
  }

  grow(by = 40): void {
    this.height += by;
    this.step({ type: 'rows', added: 1 });
    this.step({ type: 'resize', metrics: this.metrics() });
  }

  bottom(): number {
    return this.height - 500;
  }
}

describe('following', () => {
  it('opens at the end and follows what grows', () => {
    const view = new View();
    for (let count = 0; count < 30; count += 1) view.grow();
    expect(view.top).toBe(view.bottom());
  });

  it('is not released by the echo of its own scrolling, which comes when content has grown again', () => {
    const view = new View();
    view.grow(300);
    const echo = view.metrics();
    view.height += 300;
    view.step({ type: 'scroll', metrics: { ...echo, scrollHeight: view.height } });
    expect(view.state.isStuck).toBe(true);
    view.step({ type: 'resize', metrics: view.metrics() });
    expect(view.top).toBe(view.bottom());
  });

  it('goes on when content shrinks and the browser moves the view', () => {
    const view = new View();
    view.height -= 300;
    view.scrollTo(view.top);
    expect(view.state.isStuck).toBe(true);
  });

  it.each([[64, true], [65, false]])('counts %i px from the end as being there: %s', (distance, isNear) => {
    expect(isNearBottom({ scrollTop: 1500 - distance, clientHeight: 500, scrollHeight: 2000 })).toBe(isNear);
  });
});

describe('releasing', () => {
  it.each<[string, (view: View) => void]>([
    ['the wheel', (view) => view.wheel(-100)],
    ['one small step of the wheel', (view) => view.wheel(-20)],
    ['a finger', (view) => { view.step({ type: 'touch' }); view.scrollTo(view.top - 30); }],
    ['the scroll bar', (view) => { view.step({ type: 'drag' }); view.scrollTo(view.top - 200); }],
    ['PageUp', (view) => { view.step({ type: 'key', key: 'PageUp', metrics: view.metrics() }); view.scrollTo(view.top - 450); }],
    ['a selection', (view) => view.step({ type: 'selection', isActive: true })],
    ['any scrolling away', (view) => view.scrollTo(view.top - 400)],
  ])('by %s: growth never moves the view', (_, release) => {
    const view = new View();
    view.grow();
    release(view);
    const { top } = view;
    for (let count = 0; count < 30; count += 1) view.grow();
    expect(view.top).toBe(top);
    expect(view.state).toMatchObject({ isStuck: false, newRows: 30 });
  });

  it.each<[string, (view: View) => void]>([
    ['the wheel downwards', (view) => view.wheel(50)],
    ['other keys', (view) => view.step({ type: 'key', key: 'a', metrics: view.metrics() })],
  ])('is not done by %s', (_, act) => {
    const view = new View();
    act(view);
    expect(view.state.isStuck).toBe(true);
  });

  it('is not done where there is nothing to scroll', () => {
    const view = new View(300);
    view.wheel(-100);
    view.step({ type: 'key', key: 'PageUp', metrics: view.metrics() });
    view.grow(400);
    expect(view.top).toBe(view.bottom());
  });
});

describe('coming back', () => {
  it.each<[string, (view: View) => void]>([
    ['End', (view) => view.step({ type: 'key', key: 'End', metrics: view.metrics() })],
    ['the button', (view) => view.step({ type: 'jump' })],
    ['sending', (view) => view.step({ type: 'sent' })],
    ['scrolling down to the end', (view) => view.wheel(5000)],
    ['scrolling near the end', (view) => view.scrollTo(view.bottom() - 60)],
  ])('by %s', (_, act) => {
    const view = new View();
    view.wheel(-800);
    view.grow();
    act(view);
    expect(view.state).toMatchObject({ isStuck: true, newRows: 0 });
    view.grow();
    expect(view.top).toBe(view.bottom());
  });

  it('waits for the end of a selection', () => {
    const view = new View();
    view.step({ type: 'selection', isActive: true });
    view.scrollTo(view.top - 300);
    view.scrollTo(view.bottom());
    expect(view.state.isStuck).toBe(false);
    view.step({ type: 'selection', isActive: false });
    view.scrollTo(view.bottom() - 10);
    view.scrollTo(view.bottom());
    expect(view.state.isStuck).toBe(true);
  });
});

describe('places', () => {
  it('opens at the first unread row, and does not follow from there', () => {
    const step = stickStep(stuck, { type: 'open', unreadKey: 'row-7' });
    expect(step).toMatchObject({ action: { kind: 'row', key: 'row-7' }, state: { isStuck: false, newRows: 0 } });
  });

  it('keeps the row in view when older ones are put in front', () => {
    const view = new View();
    view.scrollTo(100);
    view.height += 1234;
    view.step({ type: 'prepend', scrollTop: view.top, before: 80, after: 80 + 1234 });
    expect(view.top).toBe(1334);
    view.scrollTo(1334);
    expect(view.state.isStuck).toBe(false);
  });

  it('stays at the end if it was there', () => {
    const view = new View();
    view.height += 1000;
    view.step({ type: 'prepend', scrollTop: view.top, before: 0, after: 1000 });
    expect(view.top).toBe(view.bottom());
  });
});

describe('law', () => {
  it('whatever is done, growth moves the view only while it is stuck, and then to the end', () => {
    const random = chance(7);
    const view = new View();
    for (let count = 0; count < 3000; count += 1) {
      const acts = [
        () => view.wheel(-random.below(300)), () => view.wheel(random.below(600)), () => view.scrollTo(random.below(view.height)),
        () => view.step({ type: 'touch' }), () => view.step({ type: 'selection', isActive: random.below(2) === 0 }),
        () => view.step({ type: 'key', key: ['PageUp', 'End', 'x'][random.below(3)] ?? '', metrics: view.metrics() }),
      ];
      acts[random.below(acts.length)]?.();
      const { top, state } = view;
      view.grow(random.below(200));
      expect(view.top).toBe(state.isStuck ? view.bottom() : top);
    }
  });
});
