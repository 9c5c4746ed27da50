/** What a request asks to do, and what its agent says about it, kept apart. Reports when all of it can be read. */
import { createEffect, createSignal, onCleanup, onMount, type JSX, Show } from 'solid-js';
import { type Input, partsOf, subjectOf } from '../../model/asked';
import { approvals, refreshApprovals } from '../../state/catalog';
import { api, reason } from '../../state/services';
import type { OpenSession } from '../../state/session';
import { Icon } from '../parts/Icon';
import { countText } from '../request/count-text';
import { LazyRequestInput } from '../rows/lazy-tools';
import { VisibleText } from '../rows/VisibleText';
import { agentOf, toolOf } from './request-words';
import type { Request } from './RequestDock';

interface Props {
  session: OpenSession;
  request: Request;
  onWhole: (isWhole: boolean) => void;
}

export function AskedBody(props: Props) {
  const [loaded, setLoaded] = createSignal<Input>();
  const [isUnfolded, setUnfolded] = createSignal(false);
  const state = () => props.request.state;
  const input = (): Input => loaded() ?? state().input;
  const isMissing = (): boolean => state().inputTruncated === true && loaded() === undefined;
  createEffect(() => props.onWhole(isUnfolded() && !isMissing()));
  return (
    <ScrollRegion>
      <Show when={saysMore(state())}>
        <p class="approval-says" data-testid="approval-title"><span class="faint">{agentOf(props.session.id)} says:</span> <VisibleText text={state().title} /></p>
      </Show>
      <Show when={state().announcedInput ?? state().announcedToolName}>
        <div class="announced" role="note" data-testid="announced">
          <p class="announced-warning"><Icon name="alert" />The agent announced something different:</p>
          <Show when={state().announcedToolName}>{(name) => <p class="mono"><VisibleText text={name()} /></p>}</Show>
          <LazyRequestInput input={state().announcedInput ?? input()} />
        </div>
        <p class="asked-heading">It now asks for:</p>
      </Show>
      <LazyRequestInput input={input()} diffs={state().diffs} onWhole={setUnfolded} />
      <Show when={isMissing()}><LoadInput request={props.request} sessionId={props.session.id} onLoaded={setLoaded} /></Show>
    </ScrollRegion>
  );
}

/** Whether the agent's words are more than the name of the tool and what is shown anyway. */
function saysMore(state: Request['state']): boolean {
  const prefix = `${toolOf(state) ?? ''}: `;
  const title = state.title.startsWith(prefix) ? state.title.slice(prefix.length) : state.title;
  const isShown = title !== state.title || partsOf(state)[0]?.kind === 'command';
  const words = title.replace(/…$/, '').trim();
  return words !== '' && words !== toolOf(state) && !(isShown && subjectOf(state).trim().startsWith(words));
}

/** The rest of an input that is too long to be sent with its request. */
function LoadInput(props: { request: Request; sessionId: string; onLoaded: (input: Input) => void }) {
  const [problem, setProblem] = createSignal<string>();
  const find = () => approvals().find((approval) => approval.item.itemId === props.request.id && approval.sessionId === props.sessionId);
  const load = async (): Promise<void> => {
    setProblem(undefined);
    try {
      if (!find()) await refreshApprovals();
      const approval = find();
      if (!approval) throw new Error('the request is not listed');
      props.onLoaded(await api.approvalInput(approval.id));
    } catch (error) {
      setProblem(reason(error));
    }
  };
  return (
    <div class="asked-missing" data-testid="asked-missing">
      <p>This input is longer than 1 MiB. <button type="button" class="text-button" data-testid="asked-load" onClick={() => void load()}>Show all</button></p>
      <Show when={problem()}>{(text) => <p class="item-error" role="alert">{text()}</p>}</Show>
    </div>
  );
}

/** Scrolls what is asked, and says how many lines are below its edge. */
function ScrollRegion(props: { children: JSX.Element }) {
  let region!: HTMLDivElement;
  let content!: HTMLDivElement;
  const [below, setBelow] = createSignal(0);
  const update = (): void => void setBelow(linesBelow(region));
  onMount(() => {
    const sizes = new ResizeObserver(update);
    sizes.observe(region);
    sizes.observe(content);
    onCleanup(() => sizes.disconnect());
  });
  const more = (): void => {
    region.focus({ preventScroll: true });
    region.scrollBy({ top: region.clientHeight * 0.9 });
  };
  return (
    <>
      <div ref={region} class="approval-body" tabIndex={0} role="group" aria-label="What is asked" onScroll={update}><div ref={content}>{props.children}</div></div>
      <Show when={below() > 0}><button type="button" class="approval-below" data-testid="approval-below" onClick={more}><Icon name="down" />{countText(below(), 'more line')} below</button></Show>
    </>
  );
}

function linesBelow(region: HTMLElement): number {
  const lines = region.querySelectorAll('[data-line]');
  const edge = region.getBoundingClientRect().bottom;
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.getBoundingClientRect().bottom ?? 0) <= edge + 2) low = middle + 1;
    else high = middle;
  }
  const folded = [...region.querySelectorAll<HTMLElement>('[data-hidden-lines]')].filter((part) => part.getBoundingClientRect().bottom > edge + 2);
  return folded.reduce((sum, part) => sum + Number(part.dataset['hiddenLines']), lines.length - low);
}
