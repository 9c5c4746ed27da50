/** Lists the settings of a project that can run code, and asks whether agents may use them. */
import { createSignal, For, Show } from 'solid-js';
import type { Finding, FindingKind, Project } from '../../gen/contracts';
import { decideTrust } from '../../state/actions';
import { agentName } from '../../state/catalog';
import { hide } from '../../state/screen';
import { reason } from '../../state/services';
import { Dialog } from '../parts/Dialog';
import { VisibleText } from '../rows/VisibleText';

const KINDS: Record<FindingKind, string> = { hook: 'Hook', mcp_server: 'MCP server', environment: 'Environment', permission: 'Permission', setting: 'Setting', unreadable: 'Unreadable' };

const STATES = { unknown: 'Not decided yet.', trusted: 'Trusted.', untrusted: 'Restricted.' };

/** Which agents read a file, after its path. */
function readers(finding: Finding): string {
  const names = finding.agents.filter((agent) => agent !== 'other').map(agentName);
  if (finding.agents.includes('other')) names.push('other agents');
  return names.length > 0 ? ` · read by ${names.join(', ')}` : '';
}

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
          <Show when={props.project.findings.length > 0} fallback="This project contains no settings that can run code.">
            This project contains hooks, MCP servers or settings that can run code. Trust it only if you know who wrote them.
          </Show>
        </p>
        <Show when={props.project.findings.length > 0}>
          <ul class="findings" data-testid="findings">
            <For each={props.project.findings}>
              {(finding) => <li><span class="chip" classList={{ warn: finding.kind !== 'environment' }}>{KINDS[finding.kind]}</span><div class="grow"><code><VisibleText text={finding.detail} /></code><div class="faint"><span class="mono"><VisibleText text={finding.path} /></span>{readers(finding)}</div></div></li>}
            </For>
          </ul>
        </Show>
        <p class="faint">{STATES[props.project.trust]} Restricted sessions ignore everything listed here; only Claude Code can run restricted.</p>
        <p class="item-error" role="alert">{problem()}</p>
        <footer class="dialog-foot">
          <button type="button" class="button" onClick={hide}>Not now</button>
          <button type="button" class="button" autofocus data-testid="restrict" onClick={() => void decide(false)}>Open restricted</button>
          <button type="button" class="button primary" data-testid="trust" onClick={() => void decide(true)}>Trust project</button>
        </footer>
      </div>
    </Dialog>
  );
}
