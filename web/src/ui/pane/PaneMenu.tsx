/** What can be done with a session as a whole. */
import type { Row } from '../../model/rows';
import { archive, copyText, download, forkSession, restartAgent, unarchive } from '../../state/actions';
import { find } from '../../state/catalog';
import { setFinding, show } from '../../state/screen';
import { api } from '../../state/services';
import type { OpenSession } from '../../state/session';
import { attempt } from '../../state/toasts';
import { Icon } from '../parts/Icon';
import { Menu } from '../parts/Menu';
import { shortcutText } from '../shortcuts';
import { canFork } from './abilities';

export function PaneMenu(props: { session: OpenSession; title: string; onRename: () => void }) {
  const fileName = (ending: string): string => `${props.title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '').toLowerCase() || 'session'}.${ending}`;
  const save = (format: 'md' | 'json' | 'jsonl') => () =>
    attempt('The session could not be exported', async () => download(fileName(format), await api.exportSession(props.session.id, format)));
  const copyAll = (): void => attempt('The session could not be copied', async () => copyText(await (await api.exportSession(props.session.id, 'md')).text(), 'the session as Markdown'));
  const isArchived = (): boolean => props.session.view()?.isArchived ?? false;
  return (
    <Menu
      label="Actions of the session" align="end" testId="pane-menu"
      items={[
        { label: 'Find in session', icon: 'search', hint: shortcutText('find'), run: () => setFinding(props.session.id) },
        { label: 'Rename', icon: 'edit', run: () => props.onRename() },
        { label: 'Copy last turn', icon: 'copy', rule: true, run: () => void copyText(lastTurn(props.session.projection().rows), 'the last turn') },
        { label: 'Copy session as Markdown', icon: 'copy', run: copyAll },
        { label: 'Export Markdown', icon: 'download', run: save('md') },
        { label: 'Export JSON', icon: 'download', run: save('json') },
        ...(canFork(props.session) ? [{ label: 'Fork session', icon: 'fork' as const, rule: true, run: () => attempt('The session could not be forked', () => forkSession(props.session.id)) }] : []),
        { label: 'Restart agent', icon: 'restore', rule: !canFork(props.session), run: () => attempt('The agent could not be restarted', () => restartAgent(props.session.id)) },
        isArchived()
          ? { label: 'Restore from archive', icon: 'restore', run: () => unarchive(props.session.id, find(props.session.id)?.projectId, true) }
          : { label: 'Archive', icon: 'archive', run: () => archive(props.session.id) },
        { label: 'Delete…', icon: 'trash', isDanger: true, run: () => show({ kind: 'delete-session', sessionId: props.session.id }) },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}

/** The last prompt and what was answered, as Markdown. */
export function lastTurn(rows: readonly Row[]): string {
  const from = rows.findLastIndex((row) => row.kind === 'user');
  return rows.slice(Math.max(0, from)).map(markdownOf).filter(Boolean).join('\n\n');
}

function markdownOf(row: Row): string {
  switch (row.kind) {
    case 'user': return row.text.split('\n').map((line) => `> ${line}`).join('\n');
    case 'agent': return row.item.state.content;
    case 'tool': return `- \`${row.item.state.title ?? row.item.state.toolName}\``;
    case 'fold': return `- ${row.summary}`;
    case 'error': return `**Error** ${row.message}`;
    case 'gap': case 'note': case 'thinking': case 'permission': case 'plan': case 'turn-end': return '';
  }
}
