/** Whether the server's disk is full. The server says so when it changes, and to whoever connects meanwhile. */
import { createSignal } from 'solid-js';
import { connection } from './services';

const [isDiskFull, setDiskFull] = createSignal(false);
export { isDiskFull };

export function followStorage(): void {
  connection.onFrame((frame) => {
    if (frame.type === 'server:storage') setDiskFull(frame.isFull);
  });
  // A server with room says nothing.
  connection.onState((state) => {
    if (state.kind === 'open') setDiskFull(false);
  });
}
