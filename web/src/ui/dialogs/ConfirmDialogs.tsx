/** Questions before something that cannot be undone. */
import { createSignal, type JSX } from 'solid-js';
import type { Guard, Project } from '../../gen/contracts';
import { titleOf } from '../../model/list';
import { deleteSession, discardQueue, openTabsOf, removeProject } from '../../state/actions';
import { find } from '../../state/catalog';
import { hide } from '../../state/screen';
import { reason } from '../../state/services';
import { Dialog } from '../parts/Dialog';

interface Props {
  title: string;
  action: string;
  testId: string;
  run: () => Promise<void> | void;
  children: JSX.Element;
}

function ConfirmDialog(props: Props) {
  const [problem, setProblem] = createSignal<string>();
  const [isBusy, setBusy] = createSignal(false);
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await props.run();
      hide();
    } catch (error) {
      setProblem(reason(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={props.title} onClose={hide} testId={props.testId}>
      <div class="stack">
        <div class="muted">{props.children}</div>
        <p class="item-error" role="alert">{problem()}</p>
        <footer class="dialog-foot">
          <button type="button" class="button" autofocus onClick={hide}>Cancel</button>
          <button type="button" class="button primary danger" data-testid="confirm" disabled={isBusy()} onClick={() => void confirm()}>{props.action}</button>
        </footer>
      </div>
    </Dialog>
  );
}

export function RemoveProjectDialog(props: { project: Project }) {
  const count = (): number => openTabsOf(props.project.id).length;
  return (
    <ConfirmDialog title={`Remove “${props.project.name}”?`} action="Remove project" testId="remove-project-dialog" run={() => removeProject(props.project)}>
      <p>{count() === 0 ? 'None of its sessions is open.' : count() === 1 ? 'Its open tab is closed.' : `Its ${count()} open tabs are closed.`} Nothing on disk is touched.</p>
    </ConfirmDialog>
  );
}

export function DeleteSessionDialog(props: { sessionId: string }) {
  const title = (): string => { const found = find(props.sessionId); return found ? titleOf(found) : 'this session'; };
  return (
    <ConfirmDialog title={`Delete “${title()}”?`} action="Delete session" testId="delete-session-dialog" run={() => deleteSession(props.sessionId)}>
      <p>Its agent is ended and what is kept of it here is forgotten. The agent's own files stay.</p>
    </ConfirmDialog>
  );
}

/** Only the messages that the person saw: what another window queued meanwhile stays. */
export function DiscardQueueDialog(props: { sessionId: string; ids: readonly string[] }) {
  return (
    <ConfirmDialog title={`Discard ${props.ids.length} queued messages?`} action="Discard" testId="discard-queue-dialog" run={() => discardQueue(props.sessionId, props.ids)}>
      <p>They are not sent to the agent and can't be restored.</p>
    </ConfirmDialog>
  );
}

export function UnguardedDialog(props: { name: string; guard: Guard | undefined; onConfirm: () => void }) {
  return (
    <ConfirmDialog title={`Let the agent act without asking?`} action={`Use “${props.name}”`} testId="unguarded-dialog" run={() => props.onConfirm()}>
      <p>{props.guard === 'may_act' ? `“${props.name}” is not known to ask: the agent may run commands and change files without asking you first.` : 'The agent runs commands and changes files without asking you first.'}</p>
    </ConfirmDialog>
  );
}
