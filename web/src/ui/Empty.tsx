/** No session is shown: a box for the first prompt of a new one, and those that were used last. */
import { For, Show } from 'solid-js';
import { ageText, titleOf } from '../model/list';
import { currentProject, newSessionHere } from '../state/actions';
import { find, lists, projects } from '../state/catalog';
import { show, startProject } from '../state/screen';
import { open } from '../state/tabs';
import { minute } from './clock';
import { Icon } from './parts/Icon';
import { Mark } from './parts/Mark';
import { shortcutText } from './shortcuts';
import { StartBox } from './StartBox';

export function Empty() {
  const newest = () => projects.flatMap((project) => lists[project.id]?.sessions ?? []).sort((one, other) => other.updatedAt.localeCompare(one.updatedAt)).slice(0, 5);
  const project = () => projects.find((one) => one.id === startProject() && !one.isMissing) ?? currentProject();
  return (
    <div class="empty" data-testid="empty">
      <Mark />
      <Show when={project()} fallback={<h1>Folder not found</h1>}>
        {(found) => (
          <>
            <h1>Start a session in {found().name}</h1>
            <StartBox project={found()} />
          </>
        )}
      </Show>
      <div class="empty-actions">
        <button type="button" class="button" data-testid="empty-new" onClick={newSessionHere}><Icon name="plus" />New session<kbd>{shortcutText('new-session')}</kbd></button>
        <button type="button" class="button" data-testid="empty-open" onClick={() => show({ kind: 'palette' })}><Icon name="search" />Open session<kbd>{shortcutText('palette')}</kbd></button>
        <button type="button" class="button" data-testid="empty-add" onClick={() => show({ kind: 'add-project' })}><Icon name="folder" />Add project</button>
      </div>
      <Show when={newest().length > 0}>
        <ul class="empty-recent" aria-label="Recent sessions">
          <For each={newest()}>
            {(session) => (
              <li><button type="button" class="menu-item" onClick={() => open(session.sessionId)}><span class="truncate grow">{titleOf(find(session.sessionId) ?? session)}</span><span class="hint">{ageText(session.updatedAt, minute())}</span></button></li>
            )}
          </For>
        </ul>
      </Show>
    </div>
  );
}
