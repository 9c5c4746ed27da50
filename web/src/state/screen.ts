/** What lies over the page: dialogs, the palette, the drawer. Owns that there is one of each at most. */
import { createSignal } from 'solid-js';
import type { Guard, Project } from '../gen/contracts';

export type Overlay =
  | { kind: 'palette'; query?: string }
  | { kind: 'help' }
  | { kind: 'settings' }
  | { kind: 'archive' }
  | { kind: 'add-project' }
  | { kind: 'trust'; project: Project; then?: () => void }
  | { kind: 'remove-project'; project: Project }
  | { kind: 'unguarded'; name: string; guard: Guard | undefined; confirm: () => void }
  | { kind: 'delete-session'; sessionId: string }
  | { kind: 'discard-queue'; sessionId: string; ids: readonly string[] }
  | { kind: 'output'; sessionId: string; itemId: string; title: string };

const [overlay, setOverlay] = createSignal<Overlay>();
const [isDrawerOpen, setDrawerOpen] = createSignal(false);
/** The session that is searched, and what to begin with. */
const [finding, setFindingTo] = createSignal<{ sessionId: string; start: FindStart | undefined }>();
/** Counted up to ask the shown composer for the focus. */
const [composerFocus, setComposerFocus] = createSignal(0);
/** The project that was just added: the box for its first prompt takes the focus. */
const [startProject, setStartProject] = createSignal<string>();
export { overlay, isDrawerOpen, setDrawerOpen, composerFocus, startProject, setStartProject };

/** Words to look for, and the item among those found to begin with. */
export interface FindStart {
  words: string;
  itemId: string;
}

export const isFinding = (): string | undefined => finding()?.sessionId;
export const findStart = (): FindStart | undefined => finding()?.start;

export function setFinding(sessionId: string | undefined, start?: FindStart): void {
  setFindingTo(sessionId === undefined ? undefined : { sessionId, start });
}

export function show(next: Overlay): void {
  setOverlay(next);
}

export function hide(): void {
  setOverlay(undefined);
}

export function focusComposer(): void {
  setComposerFocus((count) => count + 1);
}

const [announcement, setAnnouncement] = createSignal('');
export { announcement };

/** Says something to those who do not see the page. */
export function announce(text: string): void {
  setAnnouncement('');
  queueMicrotask(() => setAnnouncement(text));
}
