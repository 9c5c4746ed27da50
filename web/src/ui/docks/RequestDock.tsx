/** One request of an agent: what it asks, and the only place where it is answered. It never takes the focus by itself. */
import { createEffect, createMemo, createSignal, on, onCleanup, Show } from 'solid-js';
import type { PermissionOption } from '../../gen/contracts';
import { isRejection, safest } from '../../model/option-safety';
import type { ItemOf } from '../../model/session-log';
import { durationText } from '../../model/turn';
import type { OpenSession } from '../../state/session';
import { second } from '../clock';
import { Icon } from '../parts/Icon';
import { VisibleText } from '../rows/VisibleText';
import { createAnswering } from './answering';
import { AskedBody } from './AskedBody';
import { createGuard } from './guard';
import { isField, Options } from './Options';
import { Problem } from './Problem';
import { QuestionForm } from './QuestionForm';
import { requestLabel, toolOf } from './request-words';

export type Request = ItemOf<'permission'>;

interface Props {
  session: OpenSession;
  isShown: boolean;
  request: Request;
  count: number;
  /** How to move the focus into the dock; nothing once the request is gone. */
  onEnterable: (enter: (() => void) | undefined) => void;
  /** The dock goes away and takes what had the focus with it. */
  onFocusLost: (from: 'field' | 'button') => void;
}

export function RequestDock(props: Props) {
  let section!: HTMLElement;
  let buttons: HTMLElement | undefined;
  const [isWhole, setWhole] = createSignal(false);
  const [reason, setReason] = createSignal('');
  const state = () => props.request.state;
  const questions = () => state().questions ?? [];
  const meaning = createMemo(() => meaningOf(props.request, isWhole()));
  // eslint-disable-next-line solid/reactivity -- a dock belongs to one request for life.
  const answering = createAnswering(props.session.id, props.request.id);
  const guard = createGuard({ meaning, isShown: () => props.isShown, dock: () => section, buttons: () => buttons });
  createEffect(on(answering.problem, () => guard.disturb(), { defer: true }));
  const isOpen = (option: PermissionOption): boolean => !answering.isSending() && (isWhole() || isRejection(option));
  const choose = (option: PermissionOption): void => {
    const given = isRejection(option) ? reason().trim() : '';
    if (isOpen(option)) answering.send({ optionId: option.optionId, ...(given ? { reason: given } : {}) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    guard.handlers.onKeyDown(event);
    const option = questions().length === 0 && !isField(event.target) && /^[1-9]$/.test(event.key) ? state().options[Number(event.key) - 1] : undefined;
    if (!option || !guard.takesKey(event)) return;
    event.preventDefault();
    choose(option);
  };
  const enter = (): void => firstTarget(section, safest(state().options)?.optionId)?.focus({ preventScroll: true });
  // eslint-disable-next-line solid/reactivity -- both are called by events.
  props.onEnterable(enter);
  onCleanup(() => {
    props.onEnterable(undefined);
    if (section.contains(document.activeElement)) props.onFocusLost(isField(document.activeElement) ? 'field' : 'button');
  });
  return (
    <section
      ref={section} class="dock approval" aria-label={requestLabel(props.session.id, state())} data-testid="approval" data-item={props.request.id} data-armed={guard.isArmed()} aria-busy={answering.isSending()}
      onPointerDown={guard.handlers.onPointerDown} onKeyDown={onKeyDown} onFocusIn={guard.handlers.onFocusIn}
    >
      <Head session={props.session} request={props.request} count={props.count} />
      <Show
        when={questions().length > 0}
        fallback={
          <>
            <AskedBody session={props.session} request={props.request} onWhole={setWhole} />
            <div class="approval-note"><Problem text={answering.problem()} /></div>
            <Show when={!isWhole()}><p class="approval-hint faint" data-testid="approval-hint">Show all of it to enable the other answers.</p></Show>
            <Options
              options={state().options} guard={guard} isOpen={isOpen} acceptsReason={state().acceptsReason} reason={reason()} onReason={setReason} onChoose={choose}
              ref={(element) => { buttons = element; }}
            />
          </>
        }
      >
        <QuestionForm
          title={state().title === requestLabel(props.session.id, state()) ? '' : state().title} sessionId={props.session.id} questions={questions()} options={state().options} guard={guard} isSending={answering.isSending()}
          problem={answering.problem()} onAnswer={(given) => answering.send(given)} ref={(element) => { buttons = element; }}
        />
      </Show>
    </section>
  );
}

/** Everything that makes a button mean something else when it changes. */
function meaningOf(request: Request, isWhole: boolean): string {
  const { options, questions, title, toolName, server, input, inputTruncated, announcedInput, announcedToolName, diffs } = request.state;
  return JSON.stringify([request.id, isWhole, options, questions, title, toolName, server, input, inputTruncated, announcedInput, announcedToolName, diffs]);
}

/** The first field of a question, else the button of the safest option. */
function firstTarget(section: HTMLElement, optionId: string | undefined): HTMLElement | undefined {
  const options = [...section.querySelectorAll<HTMLElement>('[data-answer]')];
  return section.querySelector<HTMLElement>('.question input') ?? options.find((button) => button.dataset['answer'] === optionId) ?? options[0];
}

function Head(props: { session: OpenSession; request: Request; count: number }) {
  const state = () => props.request.state;
  const isQuestion = (): boolean => (state().questions?.length ?? 0) > 0;
  return (
    <header class="approval-head">
      <Icon name={isQuestion() ? 'info' : 'shield'} />
      <h2 class="grow">{requestLabel(props.session.id, state())}</h2>
      <Show when={!isQuestion()}>
        <Show when={state().server}>{(server) => <span class="chip" data-testid="approval-server">MCP server: <VisibleText text={server()} /></span>}</Show>
        <Show when={toolOf(state())}>{(name) => <span class="chip mono" data-testid="approval-tool"><VisibleText text={name()} /></span>}</Show>
      </Show>
      <Show when={state().deadline}>{(at) => <span class="faint deadline" data-testid="deadline">Auto-rejects in {leftText(Date.parse(at()) - second())}</span>}</Show>
      <Show when={props.count > 1}><span class="chip accent">1 of {props.count}</span></Show>
    </header>
  );
}

/** Minutes, and at last seconds: a clock that ticks beside a question only hurries. */
function leftText(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  return minutes >= 1 ? `${minutes} min` : durationText(Math.max(0, Math.ceil(milliseconds / 1000) * 1000));
}
