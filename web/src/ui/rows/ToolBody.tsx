/** What a tool was asked and what it said. */
import { createSignal, For, Index, Show } from 'solid-js';
import type { ToolRow } from '../../model/rows';
import type { OpenSession } from '../../state/session';
import { CopyButton } from '../parts/CopyCommand';
import { HighlightedCode } from './CodeBlock';
import { DiffView } from './DiffView';
import { Output } from './Output';
import { argumentsOf, commandOf, givenTo, shortPath } from './tool-words';
import { VisibleText } from './VisibleText';

export function ToolBody(props: { row: ToolRow; session: OpenSession }) {
  const [isRaw, setRaw] = createSignal(false);
  const state = () => props.row.item.state;
  const given = () => givenTo(props.row);
  const hasArguments = (): boolean => Object.keys(given().toolArguments).length > 0;
  const command = (): string | undefined => (state().kind === 'execute' ? commandOf(given().toolArguments) : undefined);
  /** A command that failed without a word has failed all the same. */
  const hasOutput = (): boolean => Boolean(state().toolOutput) || Boolean(state().exitCode);
  return (
    <>
      <Show when={command() && !isRaw()}><div class="command-line"><span class="prompt-sign" aria-hidden="true">$</span><pre><VisibleText text={command() ?? ''} /></pre><CopyButton text={() => command() ?? ''} label="Copy command" /></div></Show>
      <Show when={!isRaw()}><Arguments row={props.row} directory={props.session.status()?.directory} /></Show>
      <Show when={isRaw()}>
        <div class="raw" data-testid="raw-input"><pre><HighlightedCode code={JSON.stringify(given().toolArguments, null, 2)} language="json" isWhole={true} /></pre></div>
      </Show>
      <Locations row={props.row} session={props.session} />
      <Index each={given().diffs ?? []}>{(diff) => <DiffView diff={diff()} directory={props.session.status()?.directory} />}</Index>
      <Show when={props.row.status === 'error' && state().errorMessage}>{(message) => <p class="item-error" role="alert">{message()}</p>}</Show>
      <Show when={hasOutput()}>
        <Output text={state().toolOutput ?? ''} session={props.session} itemId={props.row.item.id} isCommand={state().kind === 'execute'} isError={state().toolOutputIsError ?? false} exitCode={state().exitCode} title={state().title ?? state().toolName} />
      </Show>
      <div class="tool-foot">
        <span class="faint mono"><VisibleText text={state().toolName} /></span>
        <span class="grow" />
        <Show when={hasArguments()}>
          <button type="button" class="text-button" aria-pressed={isRaw()} data-testid="raw-toggle" onClick={() => setRaw(!isRaw())}>{isRaw() ? 'Readable' : 'Raw JSON'}</button>
        </Show>
      </div>
    </>
  );
}

function Arguments(props: { row: ToolRow; directory: string | undefined }) {
  const isOnlyPlace = (): boolean => {
    const { kind, locations } = props.row.item.state;
    return (kind === 'read' || kind === 'edit') && (locations?.length ?? 0) > 0;
  };
  /** Where the session works anyway. */
  const isUsualPlace = (argument: { name: string; value: string }): boolean => /^(cwd|workdir)$/.test(argument.name) && argument.value === props.directory;
  const shown = () => argumentsOf(props.row).filter((argument) => !isUsualPlace(argument) && !(isOnlyPlace() && /^(file )?path$/.test(argument.name)) && argument.value !== 'false');
  return (
    <Show when={shown().length > 0}>
      <dl class="arguments" data-testid="arguments">
        <For each={shown()}>
          {(argument) => <div classList={{ long: argument.isLong }}><dt>{argument.name}</dt><dd><VisibleText text={argument.value} /></dd></div>}
        </For>
      </dl>
    </Show>
  );
}

function Locations(props: { row: ToolRow; session: OpenSession }) {
  const places = () => ((props.row.item.state.diffs?.length ?? 0) > 0 ? [] : (props.row.item.state.locations ?? []));
  return (
    <Show when={places().length > 0}>
      <ul class="locations">
        <For each={places()}>
          {(place) => {
            const path = (): string => shortPath(place.path, props.session.status()?.directory) + (place.line ? `:${place.line}` : '');
            return <li><span class="mono truncate" title={place.path}><VisibleText text={path()} /></span><CopyButton text={() => place.path} label={`Copy path ${path()}`} /></li>;
          }}
        </For>
      </ul>
    </Show>
  );
}
