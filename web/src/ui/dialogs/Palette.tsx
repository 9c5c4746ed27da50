/** One field for sessions, projects, actions and what was said. */
import { createEffect, createMemo, createSignal, createUniqueId, For, on, onCleanup, Show } from 'solid-js';
import type { SearchHit, SearchResults, SessionSummary } from '../../gen/contracts';
import { ageText, sortSessions, titleOf, uniqueSessions } from '../../model/list';
import { rank } from '../../model/ranking';
import { notIndexedText } from '../../model/search';
import { newSession, newSessionHere } from '../../state/actions';
import { agentBadge, listed, projects, remember } from '../../state/catalog';
import { prefs, setPref, type Theme } from '../../state/prefs';
import { hide, setFinding, show } from '../../state/screen';
import { api } from '../../state/services';
import { createSessionSearch } from '../../state/session-search';
import { active as shownSession, close, open } from '../../state/tabs';
import { minute } from '../clock';
import { Dialog } from '../parts/Dialog';
import { Icon, type IconName } from '../parts/Icon';
import { shortcutText } from '../shortcuts';

type Kind = 'action' | 'session' | 'project' | 'message';

interface Entry {
  kind: Kind;
  icon: IconName;
  label: string;
  detail?: string | undefined;
  hint?: string | undefined;
  run: () => void;
}

/** What is offered before anything is typed. */
const ACTIONS_FIRST = 6;
const SESSIONS_FIRST = 8;
const RANKED = 20;
const MESSAGES = 8;
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
    const look = (): void => void api.search({ q: words.trim(), limit: MESSAGES }, { signal: asked.signal }).then(setFound, () => setFound(NOTHING));
    const timer = setTimeout(look, PAUSE);
    onCleanup(() => {
      clearTimeout(timer);
      asked.abort();
    });
  }));

  const sessions = createSessionSearch(query);
  const entries = createMemo((): Entry[] => {
    if (!query().trim()) return [...actions().slice(0, ACTIONS_FIRST), ...sessionEntries([]).slice(0, SESSIONS_FIRST)];
    // Of equally good ones, what does something comes before what opens something.
    const ranked = rank(query(), [...actions(), ...sessionEntries(sessions.found()), ...projectEntries()], RANKED);
    return [...ranked, ...found().hits.map((hit) => message(hit, query().trim()))];
  });
  const isPending = (): boolean => sessions.isPending() && query().trim() !== '';
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
        <For each={entries()} fallback={<p class="palette-none faint">{isPending() ? 'Searching…' : 'Nothing found'}</p>}>
          {(entry, index) => (
            <>
              <Show when={headOf(entries(), index(), query())}>{(head) => <p class="menu-label" role="presentation">{head()}</p>}</Show>
              <div id={`${listId}-${index()}`} class="menu-item" role="option" aria-selected={index() === active()} data-testid="palette-entry" data-kind={entry.kind} onClick={() => run(entry)} onPointerMove={() => setActive(index())}>
                <Icon name={entry.icon} /><span class="truncate">{entry.label}</span>
                <Show when={entry.detail}><span class="detail truncate">{entry.detail}</span></Show>
                <Show when={entry.hint}><span class="hint">{entry.hint}</span></Show>
              </div>
            </>
          )}
        </For>
      </div>
      <Show when={found().notIndexed}>{(count) => <p class="palette-note faint" role="status" data-testid="search-not-indexed">{notIndexedText(count())}</p>}</Show>
      <Show when={found().elsewhere}>{(count) => <p class="palette-note faint" role="status" data-testid="search-elsewhere">{elsewhereText(count())}</p>}</Show>
    </Dialog>
  );
}

function elsewhereText(count: number): string {
  return count === 1 ? 'One session on another server was not searched' : `${count} sessions on other servers were not searched`;
}

/** Ranked entries are one list; the parts of others have heads. */
function headOf(entries: readonly Entry[], index: number, query: string): string | undefined {
  const kind = entries[index]?.kind;
  if (kind === entries[index - 1]?.kind) return undefined;
  if (kind === 'message') return 'Messages';
  if (query.trim()) return undefined;
  return kind === 'session' ? 'Recent sessions' : 'Actions';
}

/** All that are listed and those that the server found, the newest first. */
function sessionEntries(found: readonly SessionSummary[]): Entry[] {
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  const all = uniqueSessions(found, listed()).filter((session) => names.has(session.projectId));
  return sortSessions(all).map((session) => ({
    kind: 'session', icon: session.source === 'found' ? 'terminal' : 'spark', label: titleOf(session), detail: `${names.get(session.projectId)} · ${agentBadge(session.cliType)}`,
    hint: ageText(session.updatedAt, minute()),
    run: () => {
      remember(session);
      open(session.sessionId);
    },
  }));
}

const THEMES: readonly [Theme, string][] = [['light', 'light'], ['dark', 'dark'], ['system', 'system'], ['contrast', 'high contrast']];

function actions(): Entry[] {
  const act = (label: string, icon: IconName, run: () => void, hint?: string): Entry => ({ kind: 'action', icon, label, hint, run });
  const shown = shownSession();
  const ofSession = shown ? [act('Find in session', 'search', () => setFinding(shown), shortcutText('find')), act('Close tab', 'close', () => close(shown), shortcutText('close-tab'))] : [];
  // The one in force comes last: choosing it changes nothing.
  const themes = THEMES.toSorted(([a], [b]) => Number(a === prefs.theme) - Number(b === prefs.theme));
  return [
    act('New session', 'plus', newSessionHere, shortcutText('new-session')),
    act('Add project', 'folder', () => show({ kind: 'add-project' }), shortcutText('add-project')),
    ...ofSession,
    act('Settings', 'sliders', () => show({ kind: 'settings' })),
    act('Archived sessions', 'archive', () => show({ kind: 'archive' })),
    act('Keyboard shortcuts', 'list', () => show({ kind: 'help' }), shortcutText('help')),
    ...themes.map(([theme, name]) => act(`Theme: ${name}`, 'eye', () => setPref('theme', theme), theme === prefs.theme ? 'current' : undefined)),
  ];
}

function projectEntries(): Entry[] {
  return projects.map((project) => ({ kind: 'project', icon: 'folder', label: `New session in ${project.name}`, detail: project.path, run: () => void newSession(project) }));
}

/** Markdown is not rendered here, and its marks only take room. */
function plain(text: string): string {
  return text.replace(/^[\s#>*-]+|[*_`~]{2,}|`/g, '').trim();
}

/** Opens the session at the item, with its words marked. */
function message(hit: SearchHit, words: string): Entry {
  return {
    kind: 'message', icon: 'file', label: plain(hit.snippet.map((piece) => piece.text).join('')), detail: titleOf(hit),
    run: () => {
      open(hit.sessionId, hit.itemId);
      setFinding(hit.sessionId, { words, itemId: hit.itemId });
    },
  };
}
