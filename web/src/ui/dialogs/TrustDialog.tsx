/** What a project brings that would run or change what agents do, and the user's word on it. */
import { createSignal, For, Show } from 'solid-js';
import type { FindingKind, Project } from '../../gen/contracts';
import { decideTrust } from '../../state/actions';
import { hide } from '../../state/screen';
import { reason } from '../../state/services';
import { Dialog } from '../parts/Dialog';
import { VisibleText } from '../rows/VisibleText';

const KINDS: Record<FindingKind, string> = { hook: 'Hook', mcp_server: 'MCP server', environment: 'Environment', permission: 'Permission', unreadable: 'Unreadable' };

export function TrustDialog(props: { project: Project; then: (() => void) | undefined }) {
  const [problem, setProblem] = createSignal<string>();
  const decide = async (trusted: boolean): Promise<void> => {
    try {
      await decideTrust(props.project, trusted);
      const then = props.then;
      hide();
      then?.();
    } catch (error) {
      setProblem(reason(error));
    }
  };
  return (
    <Dialog title={`Trust “${props.project.name}”?`} onClose={hide} testId="trust-dialog">
      <div class="stack">
        <p class="muted">
          <Show when={props.project.findings.length > 0} fallback="Nothing was found in this project that runs by itself or changes what agents may do.">
            This project brings things that run on your machine or change what an agent may do. Trust it only if you know who wrote them.
          </Show>
        </p>
        <Show when={props.project.findings.length > 0}>
          <ul class="findings" data-testid="findings">
            <For each={props.project.findings}>
              {(finding) => <li><span class="chip" classList={{ warn: finding.kind !== 'environment' }}>{KINDS[finding.kind]}</span><div class="grow"><code><VisibleText text={finding.detail} /></code><div class="faint mono">{finding.path}</div></div></li>}
            </For>
          </ul>
        </Show>
        <p class="faint">Now: {{ unknown: 'not decided', trusted: 'trusted', untrusted: 'restricted' }[props.project.trust]}. Restricted sessions work, but nothing of the above runs.</p>
        <p class="item-error" role="alert">{problem()}</p>
        <footer class="dialog-foot">
          <button type="button" class="button" onClick={hide}>Decide later</button>
          <button type="button" class="button" autofocus data-testid="restrict" onClick={() => void decide(false)}>Work restricted</button>
          <button type="button" class="button primary" data-testid="trust" onClick={() => void decide(true)}>Trust project</button>
        </footer>
      </div>
    </Dialog>
  );
}
