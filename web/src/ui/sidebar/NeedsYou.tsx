/** Sessions that wait for a person, above all projects. Each row moves here; its project does not show it meanwhile. */
import { createMemo, For, Show } from 'solid-js';
import type { SessionSummary } from '../../gen/contracts';
import { filterSessions, sortSessions } from '../../model/list';
import { approvals, needingYou, projects } from '../../state/catalog';
import { SessionRow } from './SessionRow';

export function NeedsYou(props: { filter: string; isHeld: boolean }) {
  const known = (session: SessionSummary): boolean => projects.some(({ id }) => id === session.projectId);
  const matching = createMemo(() => filterSessions(sortSessions(needingYou().filter(known)), { text: props.filter }));
  const shown = createMemo<SessionSummary[]>((before) => (props.isHeld ? before : matching()), []);
  return (
    <Show when={shown().length > 0}>
      <section class="project needs" data-testid="needs-you-group" aria-label="Needs you">
        <h2 class="needs-head">Needs you</h2>
        <ul class="session-list">
          <For each={shown()}>{(session) => <SessionRow session={session} detail={detailOf(session)} />}</For>
        </ul>
      </section>
    </Show>
  );
}

/** "shop · Run npm test". */
function detailOf(session: SessionSummary): string {
  const project = projects.find(({ id }) => id === session.projectId)?.name;
  const item = approvals().find(({ sessionId }) => sessionId === session.sessionId)?.item;
  return [project, item?.type === 'permission' ? item.title : undefined].filter(Boolean).join(' · ');
}
