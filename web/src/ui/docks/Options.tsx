/** The answers that the agent offered, in its order, and the reason that may go with a rejection. */
import { For, Show } from 'solid-js';
import type { PermissionOption } from '../../gen/contracts';
import { isRisky, mildestRejection } from '../../model/option-safety';
import { VisibleText } from '../rows/VisibleText';
import type { Guard } from './guard';

interface Props {
  options: readonly PermissionOption[];
  guard: Guard;
  isOpen: (option: PermissionOption) => boolean;
  acceptsReason: boolean;
  reason: string;
  onReason: (text: string) => void;
  onChoose: (option: PermissionOption) => void;
  ref: (element: HTMLElement) => void;
}

export function Options(props: Props) {
  return (
    <div class="approval-options" role="group" aria-label="Answers" ref={props.ref}>
      <For each={props.options}>
        {(option, index) => (
          <OptionButton option={option} guard={props.guard} isOpen={props.isOpen(option)} onChoose={() => props.onChoose(option)} digit={index() < 9 ? index() + 1 : undefined} />
        )}
      </For>
      <Show when={props.acceptsReason && mildestRejection(props.options)}>
        {(rejection) => <ReasonField text={props.reason} onText={props.onReason} onEnter={(event) => { if (props.reason.trim() && props.guard.takesKey(event)) props.onChoose(rejection()); }} />}
      </Show>
    </div>
  );
}

interface ButtonProps {
  option: PermissionOption;
  guard: Guard;
  isOpen: boolean;
  digit?: number | undefined;
  onChoose: () => void;
}

/** Disabled for assistive technology only: a button that is really disabled would lose the focus. */
export function OptionButton(props: ButtonProps) {
  return (
    <button
      type="button" class="button answer" classList={{ risky: isRisky(props.option) }} aria-disabled={!props.guard.isArmed() || !props.isOpen}
      data-testid="approval-option" data-option={props.option.optionId} data-kind={props.option.kind} data-answer={props.option.optionId}
      onClick={(event) => { if (props.guard.takesClick(props.option.optionId, event) && props.isOpen) props.onChoose(); }}
    >
      <Show when={props.digit}><kbd>{props.digit}</kbd></Show><VisibleText text={props.option.name} />
    </button>
  );
}

function ReasonField(props: { text: string; onText: (text: string) => void; onEnter: (event: KeyboardEvent) => void }) {
  const onKey = (event: KeyboardEvent): void => {
    // A key that ends a composition belongs to it; some browsers only tell by the old code.
    if (event.key !== 'Enter' || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    props.onEnter(event);
  };
  return (
    <input
      class="field reason" data-testid="reject-reason" aria-label="Reason for rejecting" placeholder="Reject with a reason…" autocomplete="off"
      value={props.text} onInput={(event) => props.onText(event.currentTarget.value)} onKeyDown={onKey}
    />
  );
}

export function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}
