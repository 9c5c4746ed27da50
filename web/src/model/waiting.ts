// What a running turn waits for, in one word and in one line.

import type { ItemId } from '../gen/contracts';
import type { SessionView } from '../protocol/frames';
import { createBackgroundTest, hasTurn } from './background';
import { isItemOf, isTerminal, type Item, type ItemOf } from './session-log';

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

/** Nothing if no turn runs and background work asks nothing. `items` are those of the running turn, in order. */
export function waitingFor(
  view: SessionView | undefined, items: readonly Item[], pending: readonly ItemOf<'permission'>[],
): Waiting | undefined {
  switch (view?.state) {
    case 'starting':
      return { kind: 'agent' };
    case 'cancelling':
      return { kind: 'stopping' };
    case 'running':
    case 'waiting':
      return asked(pending[0]) ?? (hasTurn(view) ? working(items) : undefined);
    default:
      return undefined;
  }
}

/** "Running Bash: npm test", "Waiting for your approval: …". */
export function waitingText(waiting: Waiting): string {
  switch (waiting.kind) {
    case 'agent':
      return 'Starting the agent';
    case 'model':
      return 'Waiting for the model';
    case 'thinking':
      return 'Thinking';
    case 'writing':
      return 'Writing';
    case 'tool':
      return `Running ${toolText(waiting.name, waiting.title)}`;
    case 'approval':
      return `Waiting for your approval: ${waiting.title}`;
    case 'question':
      return `Waiting for your answer: ${waiting.title}`;
    case 'retry':
      return waiting.text;
    case 'stopping':
      return 'Stopping';
  }
}

/** A title that begins with the tool's name says it all. */
function toolText(name: string, title: string | undefined): string {
  if (!title) return name;
  return title.toLowerCase().startsWith(name.toLowerCase()) ? title : `${name}: ${title}`;
}

function asked(item: ItemOf<'permission'> | undefined): Waiting | undefined {
  if (!item) return undefined;
  const [question] = item.state.questions ?? [];
  if (question) return { kind: 'question', title: question.question, itemId: item.id };
  return { kind: 'approval', title: item.state.title, itemId: item.id };
}

function working(all: readonly Item[]): Waiting {
  // A turn does not wait for work that it leaves running.
  const isInBackground = createBackgroundTest(all);
  const items = all.filter((item) => !isInBackground(item));
  const tool = items.findLast((item) => isItemOf(item, 'tool_call') && !isTerminal(item.state.status));
  const last = items.at(-1);
  if (last && last !== tool && !isTerminal(last.state.status)) return speaking(last);
  if (isItemOf(tool, 'tool_call')) {
    return { kind: 'tool', name: tool.state.toolName, title: tool.state.title, itemId: tool.id };
  }
  return retrying(last) ?? { kind: 'model' };
}

function speaking(item: Item): Waiting {
  if (item.state.type === 'thinking') return { kind: 'thinking' };
  return item.state.type === 'message' ? { kind: 'writing' } : { kind: 'model' };
}

// The wire has no word for it: the agent's own notice is the last thing that was said.
function retrying(item: Item | undefined): Waiting | undefined {
  if (!isItemOf(item, 'message') || item.state.origin !== 'system') return undefined;
  return /\bretry \d+ of \d+/i.test(item.state.content) ? { kind: 'retry', text: item.state.content } : undefined;
}
