/** Sessions that were put away. */
import { createSignal, For, onMount, Show } from 'solid-js';
import { ageText, titleOf } from '../../model/list';
import { unarchive } from '../../state/actions';
import { agentBadge, archived, projects, refreshArchived } from '../../state/catalog';
import { hide } from '../../state/screen';
import { toastError } from '../../state/toasts';
import { minute } from '../clock';
import { Dialog } from '../parts/Dialog';

export function ArchiveDialog() {
  const [isRead, setRead] = createSignal(false);
  onMount(() => void refreshArchived().catch((error: unknown) => toastError('The archive could not be read', error)).finally(() => setRead(true)));
  const groups = () => projects.map((project) => ({ project, sessions: archived[project.id]?.sessions ?? [] })).filter((group) => group.sessions.length > 0);
  return (
    <Dialog title="Archived sessions" onClose={hide} testId="archive-dialog">
      <Show when={groups().length > 0} fallback={<p class="muted">{isRead() ? 'Nothing is archived.' : 'Reading…'}</p>}>
        <For each={groups()}>
          {(group) => (
            <section>
              <p class="menu-label">{group.project.name}</p>
              <ul>
                <For each={group.sessions}>
                  {(session) => (
                    <li class="archive-row" data-testid="archived-row" data-session={session.sessionId}>
                      <span class="badge">{agentBadge(session.cliType)}</span>
                      <span class="truncate grow">{titleOf(session)}</span>
                      <span class="faint">{ageText(session.updatedAt, minute())}</span>
                      <button type="button" class="button small" data-testid="restore" onClick={() => unarchive(session.sessionId, session.projectId, false)}>Restore</button>
                    </li>
                  )}
                </For>
              </ul>
            </section>
          )}
        </For>
      </Show>
    </Dialog>
  );
}
