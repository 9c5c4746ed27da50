/** What the agent asks before it goes on. The options are exactly those it offered; the safest has the focus. */
import { createEffect, createMemo, createSignal, For, on, onCleanup, Show } from 'solid-js';
import type { PermissionAnswer, PermissionOption } from '../../gen/contracts';
import type { Row, ToolRow } from '../../model/rows';
import type { ItemOf } from '../../model/session-log';
import { durationText } from '../../model/turn';
import { approvals } from '../../state/catalog';
import { announce } from '../../state/screen';
import { api, codeOfFailure, connection } from '../../state/services';
import type { OpenSession } from '../../state/session';
import { toast, toastError } from '../../state/toasts';
import { second } from '../clock';
import { Icon } from '../parts/Icon';
import { LazyToolBody } from '../rows/lazy-tools';
import { VisibleText } from '../rows/VisibleText';
import { QuestionForm } from './QuestionForm';

type Request = ItemOf<'permission'>;

/** Refusing can always be taken back; allowing for good cannot. What another kind means nobody knows, so it comes last. */
const SAFETY: PermissionOption['kind'][] = ['reject_once', 'allow_once', 'reject_always', 'allow_always', 'other'];

export function safest(options: readonly PermissionOption[]): PermissionOption | undefined {
  const rank = ({ kind }: PermissionOption): number => (SAFETY.includes(kind) ? SAFETY.indexOf(kind) : SAFETY.length);
  return [...options].sort((one, other) => rank(one) - rank(other))[0];
}

export function findCall(rows: readonly Row[], callId: string): ToolRow | undefined {
  for (const row of rows) {
    const tools = row.kind === 'fold' ? row.tools : row.kind === 'tool' ? [row] : [];
    for (const tool of tools) {
      const found = tool.item.state.callId === callId ? tool : findCall(tool.children, callId);
      if (found) return found;
    }
  }
  return undefined;
}

/** By HTTP if the socket is down: an agent must not wait for a socket. */
export async function sendAnswer(sessionId: string, itemId: string, answer: PermissionAnswer): Promise<void> {
  const approval = approvals().find((found) => found.item.itemId === itemId && found.sessionId === sessionId);
  if (connection.state().kind === 'open' || !approval) await connection.request({ type: 'session:permission', sessionId, itemId, ...answer });
  else await api.answer(approval.id, answer);
}

export function ApprovalDock(props: { session: OpenSession; isShown: boolean }) {
  const pending = () => props.session.projection().pending;
  const firstId = createMemo(() => pending()[0]?.id);
  createEffect(on(firstId, (id) => { if (id && props.isShown) announce(`The agent asks: ${pending()[0]?.state.title ?? ''}`); }));
  return (
    <Show when={firstId()} keyed>
      {(id) => {
        const request = createMemo<Request>((before) => pending().find((item) => item.id === id) ?? before as Request);
        return <RequestDock session={props.session} isShown={props.isShown} request={request()} count={pending().length} />;
      }}
    </Show>
  );
}

function RequestDock(props: { session: OpenSession; isShown: boolean; request: Request; count: number }) {
  const [isSending, setSending] = createSignal(false);
  const state = () => props.request.state;
  const call = createMemo(() => findCall(props.session.projection().rows, state().callId));
  const questions = () => state().questions ?? [];
  const lapse = (): string | undefined => state().deadline;
  const answer = async (given: PermissionAnswer): Promise<void> => {
    if (isSending()) return;
    setSending(true);
    try {
      await sendAnswer(props.session.id, props.request.id, given);
    } catch (error) {
      setSending(false);
      if (codeOfFailure(error) === 'ALREADY_ANSWERED') toast({ kind: 'plain', title: 'It was already answered' });
      else toastError('Your answer did not arrive', error);
    }
  };
  return (
    <section class="dock approval" aria-label="The agent asks" data-testid="approval" data-item={props.request.id} aria-busy={isSending()}>
      <header class="approval-head">
        <Icon name={questions().length > 0 ? 'info' : 'shield'} />
        <h2 class="grow"><VisibleText text={state().title} /></h2>
        <Show when={lapse()}>{(at) => <span class="faint lapse">Auto-rejects in {leftText(Date.parse(at()) - second())}</span>}</Show>
        <Show when={props.count > 1}><span class="chip accent">1 of {props.count}</span></Show>
      </header>
      <Show
        when={questions().length > 0}
        fallback={
          <>
            <Show when={call()}>{(tool) => <div class="approval-body"><LazyToolBody row={tool()} session={props.session} /></div>}</Show>
            <Options options={state().options} isShown={props.isShown} isDisabled={isSending()} onChoose={(optionId) => void answer({ optionId })} />
          </>
        }
      >
        <QuestionForm questions={questions()} refusals={state().options.filter((option) => option.kind.startsWith('reject'))} isDisabled={isSending()} onAnswer={(given) => void answer(given)} />
      </Show>
    </section>
  );
}

interface OptionsProps {
  options: readonly PermissionOption[];
  isShown: boolean;
  isDisabled: boolean;
  onChoose: (optionId: string) => void;
}

function Options(props: OptionsProps) {
  const buttons = new Map<string, HTMLButtonElement>();
  createEffect(() => {
    if (!props.isShown || isBusyTyping()) return;
    const id = safest(props.options)?.optionId;
    queueMicrotask(() => { if (id) buttons.get(id)?.focus({ preventScroll: true }); });
  });
  /** Several answers of one kind are a choice, and none of them is ours to commend. */
  const isOnly = (kind: PermissionOption['kind']): boolean => props.options.filter((option) => option.kind === kind).length === 1;
  const onKey = (event: KeyboardEvent): void => {
    if (!props.isShown || props.isDisabled || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
    const option = /^[1-9]$/.test(event.key) ? props.options[Number(event.key) - 1] : undefined;
    if (!option) return;
    event.preventDefault();
    props.onChoose(option.optionId);
  };
  addEventListener('keydown', onKey);
  onCleanup(() => removeEventListener('keydown', onKey));
  return (
    <div class="approval-options" role="group" aria-label="Answers">
      <For each={props.options}>
        {(option, index) => (
          <button
            ref={(element) => buttons.set(option.optionId, element)} type="button" class="button" classList={{ primary: option.kind === 'allow_once' && isOnly(option.kind) }}
            data-testid="approval-option" data-option={option.optionId} data-kind={option.kind} disabled={props.isDisabled} onClick={() => props.onChoose(option.optionId)}
          >
            <Show when={index() < 9}><kbd>{index() + 1}</kbd></Show><VisibleText text={option.name} />
          </button>
        )}
      </For>
    </div>
  );
}

/** Minutes, and at last seconds: a clock that ticks beside a question only hurries. */
function leftText(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  return minutes >= 1 ? `${minutes} min` : durationText(Math.max(0, Math.ceil(milliseconds / 1000) * 1000));
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Whoever writes keeps the focus. */
function isBusyTyping(): boolean {
  const field = document.activeElement;
  return (field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) && field.value !== '';
}
