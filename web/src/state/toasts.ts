/** Short notes that need no answer. Owns how long they stay. */
import { createSignal } from 'solid-js';
import { reason } from './services';

export interface Toast {
  id: number;
  kind: 'error' | 'good' | 'plain';
  title: string;
  detail?: string;
  action?: { label: string; run: () => void };
}

const [toasts, set] = createSignal<readonly Toast[]>([]);
export { toasts };

/** What can be undone stays for this long. */
const STAY = { error: 12_000, good: 4_000, plain: 8_000 };
const SHOWN = 4;
let last = 0;

export function toast(note: Omit<Toast, 'id'>): number {
  const id = ++last;
  const same = (other: Toast): boolean => other.title === note.title && other.detail === note.detail;
  set((all) => [...all.filter((other) => !same(other)), { ...note, id }].slice(-SHOWN));
  setTimeout(() => dismiss(id), STAY[note.kind]);
  return id;
}

export function dismiss(id: number): void {
  set((all) => all.filter((note) => note.id !== id));
}

/** Says that something failed, and why. */
export function toastError(title: string, error: unknown): void {
  toast({ kind: 'error', title, detail: reason(error) });
}

/** Runs something whose failure is only to be told. */
export function attempt(title: string, work: () => Promise<unknown>): void {
  work().catch((error: unknown) => toastError(title, error));
}
