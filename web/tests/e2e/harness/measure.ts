/** How long the page takes, measured inside it by its own clock: whoever looks from outside measures himself, too. */
import type { Page } from '@playwright/test';

/** An element that is clicked, or filled with a text. */
interface Cause {
  selector: string;
  text?: string;
}

/** What is there when the page has done it: some such elements, and no more than asked for. */
interface Effect {
  selector: string;
  most?: number;
}

/** Milliseconds from the cause until its effect is painted. */
export function untilPainted(page: Page, cause: Cause, effect: Effect): Promise<number> {
  return page.evaluate(({ cause, effect }) => new Promise<number>((done, fail) => {
    const element = document.querySelector<HTMLElement>(cause.selector);
    if (!element) return fail(new Error(`there is no ${cause.selector}`));
    const isDone = (): boolean => {
      const count = document.querySelectorAll(effect.selector).length;
      return count > 0 && (effect.most === undefined || count <= effect.most);
    };
    if (isDone()) return fail(new Error(`there is ${effect.selector} already`));
    const look = (): void => {
      if (!isDone()) return;
      observer.disconnect();
      // The task after a frame begins when that frame is painted.
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
    };
    const observer = new MutationObserver(look);
    observer.observe(document, { childList: true, subtree: true, attributes: true });
    const start = performance.now();
    if (cause.text === undefined) element.click();
    else {
      (element as HTMLInputElement).value = cause.text;
      element.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }
  }), { cause, effect });
}

/** Notes when each element of a kind that comes from now on was first seen, by the name that an attribute or its text gives it. */
export async function noteFirstSeen(page: Page, kinds: Readonly<Record<string, { selector: string; attribute?: string }>>): Promise<void> {
  await page.evaluate((kinds) => {
    const seen: Record<string, number> = {};
    const shown = (): string[] => Object.entries(kinds).flatMap(([kind, { selector, attribute }]) =>
      [...document.querySelectorAll(selector)].map((element) => `${kind} ${attribute ? element.getAttribute(attribute) : element.textContent}`));
    const before = new Set(shown());
    const look = (): void => {
      for (const name of shown()) if (!before.has(name)) seen[name] ??= Date.now();
    };
    Object.assign(globalThis, { firstSeen: seen });
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, attributes: true, characterData: true });
  }, kinds);
}

/** Milliseconds since the epoch by kind and name. */
export function firstSeen(page: Page): Promise<Record<string, number>> {
  return page.evaluate(() => (globalThis as unknown as { firstSeen: Record<string, number> }).firstSeen);
}
