/** Registers a directory. Says what is wrong where it is wrong; the focus stays in the field. */
import { createEffect, createSignal, createUniqueId, For, on, onCleanup, Show } from 'solid-js';
import { addProject } from '../../state/actions';
import { concerning } from '../../model/trust';
import { agents, projects } from '../../state/catalog';
import { prefs } from '../../state/prefs';
import { hide, show } from '../../state/screen';
import { api, codeOfFailure, reason } from '../../state/services';
import { Dialog } from '../parts/Dialog';
import { Icon } from '../parts/Icon';

const PAUSE = 120;

export function AddProjectDialog() {
  const [path, setPath] = createSignal('');
  const [paths, setPaths] = createSignal<readonly string[]>([]);
  const [active, setActive] = createSignal(-1);
  const [problem, setProblem] = createSignal<string>();
  const [isAdding, setAdding] = createSignal(false);
  const listId = createUniqueId();
  let field!: HTMLInputElement;

  createEffect(on(path, (typed) => {
    const asked = new AbortController();
    const timer = setTimeout(() => void complete(typed, asked.signal), PAUSE);
    onCleanup(() => {
      clearTimeout(timer);
      asked.abort();
    });
  }));
  const complete = async (typed: string, signal: AbortSignal): Promise<void> => {
    // What cannot be completed can still be typed.
    const found = await api.completeDirectory(typed || '~/', { signal }).catch(() => undefined);
    if (signal.aborted) return;
    setPaths(found?.paths.slice(0, 50) ?? []);
    setActive(-1);
  };
  const recent = (): string[] => prefs.recentPaths.filter((known) => !projects.some((project) => project.path === known));
  const take = (chosen: string): void => {
    setPath(chosen.endsWith('/') ? chosen : `${chosen}/`);
    setProblem(undefined);
    field.focus();
  };
  const add = async (chosen: string): Promise<void> => {
    const wanted = chosen.length > 1 ? chosen.replace(/\/+$/, '') : chosen;
    if (!wanted || isAdding()) return;
    setAdding(true);
    setProblem(undefined);
    try {
      await addProject(wanted);
      hide();
      next();
    } catch (error) {
      setProblem(codeOfFailure(error) === 'PROJECT_EXISTS' ? 'Project already added' : reason(error));
      field.focus();
    } finally {
      setAdding(false);
    }
  };
  /** Asks at once about settings that an installed agent reads. */
  const next = (): void => {
    const project = projects.at(-1);
    const installed = (agents() ?? []).filter((agent) => !agent.problem && agent.name !== 'demo');
    const isRead = project !== undefined && installed.some((agent) => concerning(project.findings, agent.name).length > 0);
    if (project?.trust === 'unknown' && isRead) show({ kind: 'trust', project });
  };
  const onKey = (event: KeyboardEvent): void => {
    const count = paths().length;
    if (event.key === 'ArrowDown' && count > 0) setActive((active() + 1) % count);
    else if (event.key === 'ArrowUp' && count > 0) setActive((active() - 1 + count) % count);
    else if (event.key === 'Tab' && !event.shiftKey && count > 0 && active() < 0 && path() !== '') take(paths()[0] ?? '');
    else if ((event.key === 'Enter' || event.key === 'Tab') && active() >= 0) take(paths()[active()] ?? '');
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Add project" onClose={hide} testId="add-project-dialog">
      <form class="stack" onSubmit={(event) => { event.preventDefault(); void add(path()); }}>
        <label for="project-path">Folder</label>
        <input
          ref={(element) => { field = element; queueMicrotask(() => element.focus()); }} id="project-path" class="field mono" placeholder="~/code/my-app" autocomplete="off" spellcheck={false} data-testid="project-path"
          role="combobox" aria-expanded={paths().length > 0} aria-controls={listId} aria-autocomplete="list" aria-invalid={problem() !== undefined} aria-describedby={`${listId}-problem`}
          aria-activedescendant={active() >= 0 ? `${listId}-${active()}` : undefined}
          value={path()} onInput={(event) => { setPath(event.currentTarget.value); setProblem(undefined); }} onKeyDown={onKey}
        />
        <p id={`${listId}-problem`} class="item-error" role="alert" data-testid="dialog-error">{problem()}</p>
        <ul class="paths" id={listId} role="listbox" aria-label="Directories">
          <For each={paths()}>
            {(found, index) => (
              <li
                id={`${listId}-${index()}`} role="option" class="menu-item mono" aria-selected={index() === active()} data-testid="path-option"
                onPointerDown={(event) => { event.preventDefault(); take(found); }}
              ><Icon name="folder" /><span class="truncate">{found}</span></li>
            )}
          </For>
        </ul>
        <Show when={recent().length > 0 && path() === ''}>
          <p class="menu-label">Recent</p>
          <For each={recent()}>{(known) => <button type="button" class="menu-item mono" onClick={() => void add(known)}><Icon name="clock" /><span class="truncate">{known}</span></button>}</For>
        </Show>
        <footer class="dialog-foot">
          <button type="button" class="button" onClick={hide}>Cancel</button>
          <button class="button primary" data-testid="confirm" disabled={!path() || isAdding()}>Add project</button>
        </footer>
      </form>
    </Dialog>
  );
}
