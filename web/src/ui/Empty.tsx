/** No session is shown: what to do next. */
import { newSessionHere } from '../state/actions';
import { find, projects, lists } from '../state/catalog';
import { show } from '../state/screen';
import { open } from '../state/tabs';
import { titleOf } from '../model/list';
import { For, Show } from 'solid-js';
import { Icon } from './parts/Icon';
import { Mark } from './parts/Mark';
import { shortcutText } from './shortcuts';
import { minute } from './clock';
import { ageText } from '../model/list';

export function Empty() {
  const newest = () => projects.flatMap((project) => lists[project.id]?.sessions ?? []).sort((one, other) => other.updatedAt.localeCompare(one.updatedAt)).slice(0, 5);
  return (
    <div class="empty" data-testid="empty">
      <Mark />
      <h1>{newest().length > 0 ? 'Pick up where you left off' : 'Nothing is open yet'}</h1>
      <div class="empty-actions">
        <button type="button" class="button primary" data-testid="empty-new" onClick={newSessionHere}><Icon name="plus" />New session<kbd>{shortcutText('new-session')}</kbd></button>
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
