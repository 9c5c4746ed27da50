/** Projects and their sessions. */
import { createSignal, For, onCleanup, Show } from 'solid-js';
import { agentName, approvals, find, isReady, needingYou, projects, waitingSessions } from '../../state/catalog';
import { prefs, setPref } from '../../state/prefs';
import { show } from '../../state/screen';
import { createSessionSearch } from '../../state/session-search';
import { open } from '../../state/tabs';
import { titleOf } from '../../model/list';
import { ConnectionPill } from '../ConnectionPill';
import { Icon } from '../parts/Icon';
import { Mark } from '../parts/Mark';
import { Menu } from '../parts/Menu';
import { shortcutText } from '../shortcuts';
import { NeedsYou } from './NeedsYou';
import { ProjectGroup } from './ProjectGroup';

export function Sidebar() {
  const [filter, setFilter] = createSignal('');
  const [isHeld, setHeld] = createSignal(false);
  const search = createSessionSearch(filter);
  // The click comes right after.
  const letGo = (): void => void setTimeout(() => setHeld(false));
  for (const end of ['pointerup', 'pointercancel']) addEventListener(end, letGo);
  onCleanup(() => { for (const end of ['pointerup', 'pointercancel']) removeEventListener(end, letGo); });
  return (
    <nav class="sidebar" aria-label="Projects and sessions" data-testid="sidebar">
      <header class="sidebar-head">
        <Mark class="small" />
        <span class="sidebar-name">Liminal</span>
        <span class="grow" />
        <Inbox />
        <button type="button" class="icon-button" aria-label="Search and commands" title={`Search and commands (${shortcutText('palette')})`} onClick={() => show({ kind: 'palette' })}><Icon name="search" /></button>
      </header>
      <div class="sidebar-filter">
        <Icon name="list" />
        <input
          class="quiet-field" type="search" placeholder="Filter sessions" aria-label="Filter sessions" data-testid="session-filter"
          value={filter()} onInput={(event) => setFilter(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && setFilter('')}
        />
        <button
          type="button" class="icon-button small" aria-pressed={prefs.showFound} data-testid="toggle-found"
          aria-label="Show sessions started in a terminal" title={prefs.showFound ? 'Sessions started in a terminal are shown' : 'Sessions started in a terminal are hidden'}
          onClick={() => setPref('showFound', !prefs.showFound)}
        >
          <Icon name="terminal" />
        </button>
      </div>
      <div class="sidebar-list" onPointerDown={() => setHeld(true)}>
        <NeedsYou filter={filter()} isHeld={isHeld()} />
        <For each={projects} fallback={<Show when={isReady()}><p class="sidebar-empty">Add a project to see its sessions here.</p></Show>}>
          {(project) => <ProjectGroup project={project} filter={filter()} found={search.found()} isHeld={isHeld()} />}
        </For>
        <Show when={filter() && projects.length > 0}><p class="sidebar-empty no-match" data-testid="no-match">{search.isPending() ? 'Searching…' : `No session matches “${filter()}”.`}</p></Show>
      </div>
      <footer class="sidebar-foot">
        <button type="button" class="button plain" data-testid="add-project" onClick={() => show({ kind: 'add-project' })}><Icon name="plus" />Add project</button>
        <span class="grow" />
        <ConnectionPill />
        <Menu
          label="More" side="above" align="end"
          items={[
            { label: 'Archived sessions', icon: 'archive', run: () => show({ kind: 'archive' }) },
            { label: 'Settings', icon: 'sliders', run: () => show({ kind: 'settings' }) },
            { label: 'Keyboard shortcuts', icon: 'list', hint: shortcutText('help'), run: () => show({ kind: 'help' }) },
          ]}
        >
          <Icon name="more" />
        </Menu>
      </footer>
    </nav>
  );
}

/** What waits for the user, in all sessions. */
function Inbox() {
  const questions = () => approvals().map((approval) => ({
    label: approval.item.type === 'permission' ? approval.item.title : 'A question',
    detail: `${titleOf(approval)} · ${agentName(find(approval.sessionId)?.cliType ?? '')}`,
    run: () => open(approval.sessionId),
  }));
  /** Until the questions are read, the sessions that ask them. */
  const items = () => (questions().length ? questions() : needingYou().map((session) => ({ label: titleOf(session), run: () => open(session.sessionId) })));
  return (
    <Show when={waitingSessions() > 0}>
      <Menu
        class="needs-you" testId="needs-you" label={`${waitingSessions()} waiting for you`} align="end" items={items()}
      >
        {waitingSessions()}
      </Menu>
    </Show>
  );
}
