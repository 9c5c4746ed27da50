import type { ItemId } from '../gen/contracts';

export type Waiting =
  /** Its agent is being started. */
  | { readonly kind: 'agent' }
  | { readonly kind: 'model' }
  | { readonly kind: 'thinking' }
  | { readonly kind: 'writing' }
  | { readonly kind: 'tool'; readonly name: string; readonly title: string | undefined; readonly itemId: ItemId }
  | { readonly kind: 'approval'; readonly title: string; readonly itemId: ItemId }
  | { readonly kind: 'question'; readonly title: string; readonly itemId: ItemId }
  | { readonly kind: 'retry'; readonly text: string }
  | { readonly kind: 'stopping' };

/** "Running Bash", "Waiting for your approval: …". */
export declare function waitingText(waiting: Waiting): string;
