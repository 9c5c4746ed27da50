/** Texts that other parts of the page put into a composer. */
import { createSignal } from 'solid-js';

const [composerText, setComposerText] = createSignal<{ sessionId: string; text: string }>();
export { composerText, setComposerText };
