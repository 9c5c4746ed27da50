/** What `/` and `@` offer while one writes: the agent's commands and the project's files. A list to a combobox. */
import { createSignal, createUniqueId, For, onCleanup, Show } from 'solid-js';
import { fuzzyFilter } from '../../model/fuzzy';
import { api } from '../../state/services';
import { find } from '../../state/catalog';
import type { OpenSession } from '../../state/session';
import { toastError } from '../../state/toasts';
import { Icon } from '../parts/Icon';
import { Popover } from '../parts/Popover';

export interface Suggestion {
  kind: 'command' | 'file';
  value: string;
  label: string;
  detail: string;
}

/** The word at the caret that asks for suggestions. */
export interface Trigger {
  kind: 'command' | 'file';
  query: string;
  start: number;
  end: number;
}

const SHOWN = 40;
const PAUSE = 90;

/** `/` counts at the beginning of the message, `@` at the beginning of a word. */
export function triggerAt(text: string, caret: number): Trigger | undefined {
  const command = /^\/([\w:.-]*)$/.exec(text.slice(0, caret));
  if (command) return { kind: 'command', query: command[1] ?? '', start: 0, end: caret };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(text.slice(0, caret));
  return file ? { kind: 'file', query: file[1] ?? '', start: caret - (file[1]?.length ?? 0) - 1, end: caret } : undefined;
}

export interface Suggestions {
  listId: string;
  all: () => readonly Suggestion[];
  isOpen: () => boolean;
  active: () => number;
  activeId: () => string | undefined;
  look(text: string, caret: number): void;
  choose(index: number): void;
  close(): void;
  /** Whether the key was for the list. */
  onKey(event: KeyboardEvent): boolean;
}

export function createSuggestions(session: () => OpenSession, put: (text: string, caret: number) => void): Suggestions {
  const [all, setAll] = createSignal<readonly Suggestion[]>([]);
  const [active, setActive] = createSignal(0);
  const listId = createUniqueId();
  let trigger: Trigger | undefined;
  let text = '';
  let dismissed: number | undefined;
  let asked: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));

  const give = (found: readonly Suggestion[]): void => {
    setAll(found);
    setActive(0);
  };
  const close = (): void => {
    asked?.abort();
    clearTimeout(timer);
    trigger = undefined;
    give([]);
  };
  const commands = (query: string): Suggestion[] => {
    const known = session().view()?.agent.abilities.commands ?? [];
    return fuzzyFilter(query, known, (command) => command.name, SHOWN).map(({ item }) => ({
      kind: 'command', value: `/${item.name} `, label: `/${item.name}${item.argumentHint ? ` ${item.argumentHint}` : ''}`, detail: item.description,
    }));
  };
  const files = async (query: string): Promise<void> => {
    const projectId = session().status()?.projectId ?? find(session().id)?.projectId;
    if (!projectId) return;
    asked = new AbortController();
    const { signal } = asked;
    try {
      const { paths } = await api.projectFiles(projectId, query, { signal });
      if (!signal.aborted && trigger?.kind === 'file') give(paths.slice(0, SHOWN).map((path) => ({ kind: 'file', value: `@${path} `, label: path.split('/').at(-1) ?? path, detail: path })));
    } catch (error) {
      if (!signal.aborted) toastError('Files could not be read', error);
    }
  };
  const look = (next: string, caret: number): void => {
    text = next;
    const found = triggerAt(next, caret);
    if (!found) {
      dismissed = undefined;
      return close();
    }
    if (dismissed === found.start || (trigger?.query === found.query && trigger.start === found.start && trigger.kind === found.kind)) return;
    asked?.abort();
    clearTimeout(timer);
    trigger = found;
    if (found.kind === 'command') give(commands(found.query));
    else timer = setTimeout(() => void files(found.query), PAUSE);
  };
  const choose = (index: number): void => {
    const chosen = all()[index];
    if (!chosen || !trigger) return;
    const next = text.slice(0, trigger.start) + chosen.value + text.slice(trigger.end);
    const caret = trigger.start + chosen.value.length;
    close();
    put(next, caret);
  };
  /** Whoever has typed a suggestion to its end does not need it. */
  const isTyped = (): boolean => trigger !== undefined && all()[active()]?.value.trimEnd() === text.slice(trigger.start, trigger.end);
  const onKey = (event: KeyboardEvent): boolean => {
    const count = all().length;
    if (count === 0) return false;
    if (event.key === 'Enter' && isTyped()) {
      close();
      return false;
    }
    if (event.key === 'ArrowDown') setActive((active() + 1) % count);
    else if (event.key === 'ArrowUp') setActive((active() - 1 + count) % count);
    else if (event.key === 'Enter' || event.key === 'Tab') choose(active());
    else if (event.key === 'Escape') {
      dismissed = trigger?.start;
      close();
    } else return false;
    event.preventDefault();
    return true;
  };
  const isOpen = (): boolean => all().length > 0;
  return { listId, all, isOpen, active, activeId: () => (isOpen() ? `${listId}-${active()}` : undefined), look, choose, close, onKey };
}

export function SuggestionList(props: { suggestions: Suggestions; anchor: () => HTMLElement }) {
  return (
    <Popover anchor={props.anchor()} isOpen={props.suggestions.isOpen()} onClose={() => props.suggestions.close()} side="above" role="listbox" label="Suggestions" id={props.suggestions.listId} isManual={true} class="suggestions">
      <For each={props.suggestions.all()}>
        {(item, index) => (
          <div
            id={`${props.suggestions.listId}-${index()}`} class="menu-item" role="option" aria-selected={index() === props.suggestions.active()} data-testid="suggestion"
            ref={(element) => queueMicrotask(() => { if (index() === props.suggestions.active()) element.scrollIntoView({ block: 'nearest' }); })}
            onPointerDown={(event) => { event.preventDefault(); props.suggestions.choose(index()); }}
          >
            <Icon name={item.kind === 'command' ? 'bolt' : 'file'} />
            <span class="mono">{item.label}</span>
            <Show when={item.detail !== item.label}><span class="detail truncate">{item.detail}</span></Show>
          </div>
        )}
      </For>
    </Popover>
  );
}
