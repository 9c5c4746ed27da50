/** What the simulated browsers lack. */
import { afterEach } from 'vitest';
import { cleanup } from '@solidjs/testing-library';

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
