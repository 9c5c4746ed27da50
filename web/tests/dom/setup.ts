/** What the simulated browsers lack. */
import { afterEach } from 'vitest';
import { cleanup, configure } from '@solidjs/testing-library';

// For what hangs: parts of the page are loaded when they are first shown, and the machine may be busy.
configure({ asyncUtilTimeout: 20_000 });

class NoSizes {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

globalThis.ResizeObserver ??= NoSizes as unknown as typeof ResizeObserver;
globalThis.CSS ??= { escape: (text: string) => text } as typeof CSS;
Element.prototype.scrollIntoView ??= () => undefined;

afterEach(() => {
  cleanup();
  localStorage.clear();
});
