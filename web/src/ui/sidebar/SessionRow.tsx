/** One session in the list: agent, title, age, and exactly one sign of what it does. */
import { Show, type JSX } from 'solid-js';
import type { SessionSummary } from '../../gen/contracts';
import { ageText, titleOf } from '../../model/list';
import { glyphText, type Glyph } from '../../model/status';
import { archive } from '../../state/actions';
import { agentBadge, agentName, glyph, remember } from '../../state/catalog';
import { backgroundOf } from '../../state/background';
import { setDrawerOpen } from '../../state/screen';
import { active, open } from '../../state/tabs';
import { minute } from '../clock';
import { Icon } from '../parts/Icon';

/** `detail` is a second line, for what the group does not say. */
export function SessionRow(props: { session: SessionSummary; detail?: JSX.Element }) {
  const status = (): Glyph => glyph(props.session, active() === props.session.sessionId);
  const show = (): void => {
    remember(props.session);
    open(props.session.sessionId);
    setDrawerOpen(false);
  };
  return (
    <li class="session-row" data-testid="session-row" data-session={props.session.sessionId} data-status={status()}>
      <button
        type="button" class="session-open" aria-current={active() === props.session.sessionId ? 'page' : undefined} title={titleOf(props.session)}
        onClick={show} onKeyDown={stepThroughRows}
      >
        <StatusGlyph status={status()} background={backgroundOf(props.session)} />
        <span class="session-words">
          <span class="truncate">{titleOf(props.session)}</span>
          <Show when={props.detail}><span class="session-detail truncate">{props.detail}</span></Show>
        </span>
        <Show when={props.session.source === 'found'}>
          <span class="found" title="From the terminal"><Icon name="terminal" /><span class="hidden-text">terminal</span></span>
        </Show>
        <span class="badge" title={agentName(props.session.cliType)}>{agentBadge(props.session.cliType)}</span>
        <span class="age">{ageText(props.session.updatedAt, minute())}</span>
      </button>
      <button type="button" class="icon-button small row-archive" aria-label={`Archive ${titleOf(props.session)}`} title="Archive" onClick={() => archive(props.session.sessionId)}>
        <Icon name="archive" />
      </button>
    </li>
  );
}

export function StatusGlyph(props: { status: Glyph; background: number }) {
  const text = (): string => glyphText(props.status, props.background);
  return (
    <span class="glyph" data-status={props.status} title={props.status === 'background' ? text() : undefined}>
      <Show when={props.status === 'background'}><span class="glyph-count" aria-hidden="true">{props.background > 9 ? '9+' : props.background}</span></Show>
      <span class="hidden-text">{text()}</span>
    </span>
  );
}

/** ↑ and ↓ go from row to row across projects. */
function stepThroughRows(event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const rows = [...document.querySelectorAll<HTMLElement>('.sidebar-list .project-toggle, .sidebar-list .session-open')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at + (event.key === 'ArrowDown' ? 1 : -1)];
  if (at < 0 || !next) return;
  event.preventDefault();
  next.focus();
}
