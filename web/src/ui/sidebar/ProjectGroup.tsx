/** One project: its head, its sessions, and what can be done with it. */
import { createMemo, createSignal, For, Show } from 'solid-js';
import type { Project, SessionSummary } from '../../gen/contracts';
import { filterSessions, sortSessions, uniqueSessions } from '../../model/list';
import { newSession } from '../../state/actions';
import { attention } from '../../state/attention';
import { glyph, isUrgent, lists, moreSessions } from '../../state/catalog';
import { prefs, setPref } from '../../state/prefs';
import { show } from '../../state/screen';
import { active } from '../../state/tabs';
import { attempt } from '../../state/toasts';
import { Icon } from '../parts/Icon';
import { Menu } from '../parts/Menu';
import { NewSessionMenu } from './NewSessionMenu';
import { SessionRow } from './SessionRow';

/** Rows beyond these are asked for by a button: a project may have hundreds of old sessions. */
const SHOWN_FIRST = 12;
/** More than these nobody reads; typing must stay quick. */
const SHOWN_MOST = 100;

interface Props {
  project: Project;
  filter: string;
  /** Sessions of all projects that the server found by the filter. */
  found: readonly SessionSummary[];
  isHeld: boolean;
}

/** While a pointer is held down in the list nothing in it moves: a click is where it began. */
export function ProjectGroup(props: Props) {
  const [pages, setPages] = createSignal(0);
  const limit = (): number => (props.filter || pages() > 0 ? SHOWN_MOST * Math.max(1, pages()) : SHOWN_FIRST);
  const isOpen = (): boolean => !prefs.collapsed.includes(props.project.id) || props.filter !== '';
  const setOpen = (value: boolean): void => {
    const rest = prefs.collapsed.filter((id) => id !== props.project.id);
    setPref('collapsed', value ? rest : [...rest, props.project.id]);
  };
  const isKept = (session: SessionSummary): boolean => isUrgent(session) || session.sessionId === active();
  const known = createMemo(() => {
    const isOurs = (session: SessionSummary): boolean => session.projectId === props.project.id;
    const list = lists[props.project.id]?.sessions ?? [];
    const more = [...(props.filter ? props.found.filter(isOurs) : []), ...attention.filter((session) => isOurs(session) && isKept(session))];
    return more.length === 0 ? list : sortSessions(uniqueSessions(more, list));
  });
  /** Also those that wait for a person, which are shown above all projects. */
  const matching = createMemo(() => {
    const isShown = new Set(filterSessions(known(), { text: props.filter, showFound: prefs.showFound }).map(({ sessionId }) => sessionId));
    return known().filter((session) => isShown.has(session.sessionId) || (!props.filter && isKept(session)));
  });
  const own = createMemo(() => matching().filter((session) => glyph(session) !== 'needs-you'));
  const shown = createMemo<SessionSummary[]>((before) => {
    if (props.isHeld) return before;
    return own().filter((session, index) => (isOpen() && index < limit()) || (!props.filter && isKept(session)));
  }, []);
  const hasMore = (): boolean => own().length > shown().length || (lists[props.project.id]?.next !== undefined && !props.filter);
  /** How many more there are, where that is known. */
  const moreText = (): string => (lists[props.project.id]?.next === undefined ? `Show ${own().length - shown().length} more` : 'Show more');
  const more = (): void => {
    if (own().length <= limit()) attempt('Older sessions could not be read', () => moreSessions(props.project.id));
    setPages(pages() + 1);
  };
  return (
    <Show when={!props.filter || own().length > 0}>
      <section class="project" data-testid="project" data-project={props.project.id} aria-label={props.project.name}>
        <div class="project-head">
          <button
            type="button" class="project-toggle" aria-expanded={isOpen()} title={props.project.path} data-testid="project-toggle"
            onClick={() => setOpen(!isOpen())}
            onKeyDown={(event) => {
              if (event.key === 'ArrowLeft') setOpen(false);
              if (event.key === 'ArrowRight') setOpen(true);
            }}
          >
            <Icon name="chevron" class="twist" />
            <span class="truncate">{props.project.name}</span>
            <Marks project={props.project} />
          </button>
          <ProjectMenu project={props.project} />
          <NewSessionMenu project={props.project} />
        </div>
        <ul class="session-list">
          <For each={shown()}>{(session) => <SessionRow session={session} />}</For>
        </ul>
        <Show when={isOpen()}>
          <Show when={lists[props.project.id] && matching().length === 0}>
            <button type="button" class="project-empty" disabled={props.project.isMissing} onClick={() => void newSession(props.project)}>
              {props.project.isMissing ? 'The directory is not there' : 'No sessions yet. Start one'}
            </button>
          </Show>
          <Show when={hasMore()}><button type="button" class="project-more" data-testid="project-more" onClick={more}>{moreText()}</button></Show>
          <Show when={!props.filter}>
            <For each={lists[props.project.id]?.notes ?? []}>{(note) => <p class="project-note" data-testid="project-note">{note}</p>}</For>
          </Show>
        </Show>
      </section>
    </Show>
  );
}

function Marks(props: { project: Project }) {
  return (
    <>
      <Show when={props.project.isMissing}><span class="chip bad">missing</span></Show>
      <Show when={props.project.trust === 'untrusted'}><span class="chip" title="What the project brings does not run">restricted</span></Show>
    </>
  );
}

function ProjectMenu(props: { project: Project }) {
  return (
    <Menu
      class="icon-button small on-hover" label={`Actions of ${props.project.name}`} align="end" note={props.project.path}
      items={[
        { label: 'Trust and findings…', icon: 'shield', run: () => show({ kind: 'trust', project: props.project }) },
        { label: 'Remove project…', icon: 'trash', isDanger: true, rule: true, run: () => show({ kind: 'remove-project', project: props.project }) },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}
