/** The first prompt of a new session. No agent is started before it is sent. */
import { createEffect, createSignal, on, Show } from 'solid-js';
import type { Project } from '../gen/contracts';
import { defaultAgent, startSession } from '../state/actions';
import { agentName, agents, projects } from '../state/catalog';
import { prefs, setPref } from '../state/prefs';
import { overlay, setStartProject, startProject } from '../state/screen';
import { Icon } from './parts/Icon';
import { Menu } from './parts/Menu';
import { isMac } from './shortcuts';

/** Kept while other sessions are looked at. */
const [text, setText] = createSignal('');

export function StartBox(props: { project: Project }) {
  const [isStarting, setStarting] = createSignal(false);
  let field!: HTMLTextAreaElement;
  const agent = (): string | undefined => defaultAgent();
  const start = async (): Promise<void> => {
    const prompt = text().trim();
    if (!prompt || isStarting()) return;
    setStarting(true);
    await startSession(props.project, agent(), prompt, () => setText(''));
    setStarting(false);
  };
  // A dialog that was open has given the focus back by then.
  createEffect(on([startProject, overlay], ([added, shown]) => { if (added === props.project.id && !shown) queueMicrotask(() => field.focus()); }));
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing || event.keyCode === 229 || event.key !== 'Enter' || event.shiftKey || event.altKey) return;
    if (prefs.sendWith !== 'enter' && !(isMac ? event.metaKey : event.ctrlKey)) return;
    event.preventDefault();
    void start();
  };
  return (
    <form class="composer start-box" data-testid="start-box" onSubmit={(event) => { event.preventDefault(); void start(); }}>
      <textarea
        ref={field} class="composer-text" rows={3} data-testid="start-input" aria-label={`First message in ${props.project.name}`}
        placeholder={agent() ? `Ask ${agentName(agent() ?? '')} anything` : 'Ask anything'}
        value={text()} onInput={(event) => setText(event.currentTarget.value)} onKeyDown={onKey}
      />
      <div class="composer-bar">
        <Show when={projects.length > 1}>
          <Menu class="button plain small" label="Project" items={projects.filter((one) => !one.isMissing).map((one) => ({ label: one.name, detail: one.path, isChecked: one.id === props.project.id, run: () => setStartProject(one.id) }))}><Icon name="folder" />{props.project.name}</Menu>
        </Show>
        <Menu
          class="button plain small" label="Agent" testId="start-agent"
          items={(agents() ?? []).filter((one) => !one.problem).map((one) => ({ label: agentName(one.name), isChecked: one.name === agent(), run: () => setPref('lastAgent', one.name) }))}
        >{agent() ? agentName(agent() ?? '') : 'Agent'}<Icon name="down" /></Menu>
        <span class="grow" />
        <button class="round send" data-testid="start-send" disabled={!text().trim() || isStarting()} aria-label="Start session" title="Start session"><Show when={isStarting()} fallback={<Icon name="send" />}><span class="spinner" /></Show></button>
      </div>
    </form>
  );
}
