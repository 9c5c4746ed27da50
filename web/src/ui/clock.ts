/** The time as components read it. Owns two ticks: one for what counts seconds, one for ages in lists. */
import { createSignal } from 'solid-js';

const [second, setSecond] = createSignal(Date.now());
const [minute, setMinute] = createSignal(Date.now());
export { second, minute };

setInterval(() => {
  if (document.visibilityState === 'visible') setSecond(Date.now());
}, 1000);
setInterval(() => setMinute(Date.now()), 30_000);
