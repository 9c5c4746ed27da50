/** Chooses the component of a row by its kind. */
import { Match, Switch } from 'solid-js';
import type { Row } from '../../model/rows';
import type { OpenSession } from '../../state/session';
import { AgentRow, NoteRow, UserRow } from './MessageRows';
import { PermissionRow } from './PermissionRow';
import { ErrorRow, TurnEndRow } from './SmallRows';
import { FoldRow } from './FoldRow';
import { GapRow } from './GapRow';
import { PlanRow } from './PlanRow';
import { ThinkingRow } from './ThinkingRow';
import { ToolCard } from './ToolCard';

type RowOf<K extends Row['kind']> = Extract<Row, { kind: K }>;

export function RowView(props: { row: Row; session: OpenSession }) {
  const as = <K extends Row['kind']>(kind: K): RowOf<K> | undefined => (props.row.kind === kind ? (props.row as RowOf<K>) : undefined);
  return (
    <Switch>
      <Match when={as('agent')}>{(row) => <AgentRow row={row()} session={props.session} />}</Match>
      <Match when={as('tool')}>{(row) => <ToolCard row={row()} session={props.session} />}</Match>
      <Match when={as('user')}>{(row) => <UserRow row={row()} session={props.session} />}</Match>
      <Match when={as('thinking')}>{(row) => <ThinkingRow row={row()} session={props.session} />}</Match>
      <Match when={as('fold')}>{(row) => <FoldRow row={row()} session={props.session} />}</Match>
      <Match when={as('permission')}>{(row) => <PermissionRow row={row()} />}</Match>
      <Match when={as('plan')}>{(row) => <PlanRow row={row()} />}</Match>
      <Match when={as('turn-end')}>{(row) => <TurnEndRow row={row()} />}</Match>
      <Match when={as('error')}>{(row) => <ErrorRow row={row()} session={props.session} />}</Match>
      <Match when={as('gap')}><GapRow session={props.session} /></Match>
      <Match when={as('note')}>{(row) => <NoteRow row={row()} />}</Match>
    </Switch>
  );
}
