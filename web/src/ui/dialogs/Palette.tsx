/** One field for sessions, projects, actions and what was said. */
import { createEffect, createMemo, createSignal, createUniqueId, For, on, onCleanup, Show } from 'solid-js';
import type { SearchHit, SearchResults } from '../../gen/contracts';
import { fuzzyFilter } from '../../model/fuzzy';
import { ageText, titleOf } from '../../model/list';
import { newSession, newSessionHere } from '../../state/actions';
import { agentBadge, lists, projects } from '../../state/catalog';
import { setPref } from '../../state/prefs';
import { hide, setFinding, show } from '../../state/screen';
import { api } from '../../state/services';
import { active as shownSession, close, open } from '../../state/tabs';
import { minute } from '../clock';
import { Dialog } from '../parts/Dialog';
import { Icon, type IconName } from '../parts/Icon';
import { shortcutText } from '../shortcuts';

interface Entry {
  group: 'Sessions' | 'Actions' | 'Projects' | 'Messages';
  icon: IconName;
  label: string;
  detail?: string | undefined;
  hint?: string | undefined;
  run: () => void;
}

const PER_GROUP = 8;
const PAUSE = 160;
const NOTHING: SearchResults = { hits: [] };

export function Palette() {
  const [query, setQuery] = createSignal('');
  const [active, setActive] = createSignal(0);
  const [found, setFound] = createSignal<SearchResults>(NOTHING);
  const listId = createUniqueId();

  createEffect(on(query, (words) => {
    setActive(0);
    if (words.trim().length < 2) return void setFound(NOTHING);
    const asked = new AbortController();
    // Without the index the palette still finds sessions and actions.
    const look = (): void => void api.search({ q: words.trim(), limit: PER_GROUP }, { signal: asked.signal }).then(setFound, () => setFound(NOTHING));
    const timer = setTimeout(look, PAUSE);
    onCleanup(() => {
      clearTimeout(timer);
      asked.abort();
    });
  }));

  const entries = createMemo((): Entry[] => {
    // Without words the order is the one they were given in: the newest first.
    const pick = (all: Entry[], limit: number): Entry[] => !query().trim() ? all.slice(0, limit) : fuzzyFilter(query(), all, (entry) => `${entry.label} ${entry.detail ?? ''}`, limit).map((hit) => hit.item);
    return [...pick(sessions(), PER_GROUP), ...pick(actions(), query() ? PER_GROUP : 20), ...(query() ? pick(projectEntries(), PER_GROUP) : []), ...found().hits.map(message)];
  });
  const run = (entry: Entry | undefined): void => {
    if (!entry) return;
    hide();
    entry.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const count = entries().length;
    if (event.isComposing) return;
    if (event.key === 'ArrowDown' && count) setActive((active() + 1) % count);
    else if (event.key === 'ArrowUp' && count) setActive((active() - 1 + count) % count);
    else if (event.key === 'Enter') run(entries()[active()]);
    else return;
    event.preventDefault();
    document.getElementById(`${listId}-${active()}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <Dialog title="Search and commands" onClose={hide} class="palette" testId="palette" isBare={true}>
      <div class="palette-field">
        <Icon name="search" />
        <input
          class="quiet-field grow" type="text" placeholder="Sessions, actions, messages" aria-label="Search and commands" role="combobox" aria-expanded="true" aria-controls={listId} aria-autocomplete="list"
          aria-activedescendant={entries().length ? `${listId}-${active()}` : undefined} autocomplete="off" spellcheck={false} data-testid="palette-input" autofocus
          value={query()} onInput={(event) => setQuery(event.currentTarget.value)} onKeyDown={onKey}
        />
        <kbd>Esc</kbd>
      </div>
      <div class="palette-list" id={listId} role="listbox" aria-label="Found">
        <For each={entries()} fallback={<p class="palette-none faint">Nothing found</p>}>
          {(entry, index) => (
            <>
              <Show when={index() === 0 || entries()[index() - 1]?.group !== entry.group}><p class="menu-label" role="presentation">{entry.group}</p></Show>
              <div id={`${listId}-${index()}`} class="menu-item" role="option" aria-selected={index() === active()} data-testid="palette-entry" onClick={() => run(entry)} onPointerMove={() => setActive(index())}>
                <Icon name={entry.icon} /><span class="truncate">{entry.label}</span>
                <Show when={entry.detail}><span class="detail truncate">{entry.detail}</span></Show>
                <Show when={entry.hint}><span class="hint">{entry.hint}</span></Show>
              </div>
            </>
          )}
        </For>
      </div>
      <Show when={found().elsewhere}>{(count) => <p class="palette-note faint" role="status" data-testid="search-elsewhere">{elsewhereText(count())}</p>}</Show>
    </Dialog>
  );
}

function elsewhereText(count: number): string {
  return count === 1 ? 'One session on another server was not searched' : `${count} sessions on other servers were not searched`;
}

function sessions(): Entry[] {
  const all = projects.flatMap((project) => (lists[project.id]?.sessions ?? []).map((session) => ({ project, session })));
  return all.sort((one, other) => other.session.updatedAt.localeCompare(one.session.updatedAt)).map(({ project, session }) => ({
    group: 'Sessions', icon: session.source === 'found' ? 'terminal' : 'spark', label: titleOf(session), detail: `${project.name} · ${agentBadge(session.cliType)}`,
    hint: ageText(session.updatedAt, minute()), run: () => open(session.sessionId),
  }));
}

function actions(): Entry[] {
  const act = (label: string, icon: IconName, run: () => void, hint?: string): Entry => ({ group: 'Actions', icon, label, hint, run });
  const shown = shownSession();
  const ofSession = shown ? [act('Find in session', 'search', () => setFinding(shown), shortcutText('find')), act('Close tab', 'close', () => close(shown), shortcutText('close-tab'))] : [];
  return [
    act('New session', 'plus', newSessionHere, shortcutText('new-session')),
    act('Add project', 'folder', () => show({ kind: 'add-project' }), shortcutText('add-project')),
    ...ofSession,
    act('Archived sessions', 'archive', () => show({ kind: 'archive' })),
    act('Settings', 'sliders', () => show({ kind: 'settings' })),
    act('Keyboard shortcuts', 'list', () => show({ kind: 'help' }), shortcutText('help')),
    act('Theme: light', 'eye', () => setPref('theme', 'light')),
    act('Theme: dark', 'eye', () => setPref('theme', 'dark')),
    act('Theme: system', 'eye', () => setPref('theme', 'system')),
    act('Theme: high contrast', 'eye', () => setPref('theme', 'contrast')),
  ];
}

function projectEntries(): Entry[] {
  return projects.map((project) => ({ group: 'Projects', icon: 'folder', label: `New session in ${project.name}`, detail: project.path, run: () => void newSession(project) }));
}

/** Markdown is not rendered here, and its marks only take room. */
function plain(text: string): string {
  return text.replace(/^[\s#>*-]+|[*_`~]{2,}|`/g, '').trim();
}

function message(hit: SearchHit): Entry {
  return { group: 'Messages', icon: 'file', label: plain(hit.snippet.map((piece) => piece.text).join('')), detail: titleOf(hit), run: () => open(hit.sessionId, hit.itemId) };
}
