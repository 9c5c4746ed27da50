/** Where the user writes. Owns the text until it is handed to the outbox; nothing that comes from outside overwrites it. */
import { createEffect, createSignal, on, onCleanup, Show } from 'solid-js';
import { takesFiles, type OwnFile } from '../../model/files';
import { notRecalling, promptsOf, recallStep, type Recall } from '../../model/prompt-history';
import { stopTurn } from '../../state/actions';
import { filesOf, takeFiles } from '../../state/files';
import { prefs } from '../../state/prefs';
import { composerFocus } from '../../state/screen';
import { connectionState, drafts, outbox } from '../../state/services';
import type { OpenSession } from '../../state/session';
import { attempt } from '../../state/toasts';
import { Icon } from '../parts/Icon';
import { filesTaken } from '../pane/abilities';
import { isStoppable } from '../pane/TurnStatus';
import { isMac } from '../shortcuts';
import { AgentMenus } from './AgentMenus';
import { ContextMeter } from './ContextMeter';
import { AttachButton, Files, take } from './Files';
import { createSuggestions, SuggestionList } from './Suggestions';
import { composerText, setComposerText } from './text';

const LINES = 12;
/** Two presses within this time are one wish. */
const DOUBLE = 700;

interface Props {
  session: OpenSession;
  isShown: boolean;
  onSent: () => void;
  /** Moves the focus to the request that waits, if there is one. */
  enterDock?: () => (() => void) | undefined;
}

export function Composer(props: Props) {
  const id = (): string => props.session.id;
  const [text, setText] = createSignal(drafts.get(id()));
  const [recall, setRecall] = createSignal<Recall>(notRecalling);
  const [isEscaping, setEscaping] = createSignal(false);
  let field!: HTMLTextAreaElement;

  const change = (next: string): void => {
    setText(next);
    drafts.set(id(), next);
  };
  const suggestions = createSuggestions(() => props.session, (next, caret) => {
    change(next);
    queueMicrotask(() => field.setSelectionRange(caret, caret));
  });
  const files = (): readonly OwnFile[] => filesOf(id())();
  const hasWords = (): boolean => text().trim() !== '';
  const isSendable = (): boolean => hasWords() || files().length > 0;
  const send = (): void => {
    if (!isSendable()) return;
    outbox.send(id(), text(), takeFiles(id()));
    drafts.clear(id());
    setText('');
    setRecall(notRecalling);
    suggestions.close();
    props.onSent();
  };
  const stop = (): void => attempt('The turn could not be stopped', () => stopTurn(id()));

  createEffect(on(text, () => grow(field)));
  createEffect(on(composerFocus, () => { if (props.isShown) field.focus(); }, { defer: true }));
  createEffect(on(() => props.isShown, (isShown) => { if (isShown && matchMedia('(pointer: fine)').matches && document.activeElement === document.body) field.focus(); }));
  createEffect(on(composerText, (given) => {
    if (given?.sessionId !== id()) return;
    change(given.text);
    setComposerText(undefined);
  }));
  let escapeTimer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(escapeTimer));

  const escape = (): void => {
    if (!isStoppable(props.session)) return;
    if (isEscaping()) stop();
    clearTimeout(escapeTimer);
    escapeTimer = setTimeout(() => setEscaping(false), DOUBLE);
    setEscaping(!isEscaping());
  };
  const recalled = (event: KeyboardEvent, direction: 'older' | 'newer'): void => {
    const log = props.session.log();
    const step = log ? recallStep(recall(), direction, text(), promptsOf(log)) : undefined;
    if (!step) return;
    event.preventDefault();
    setRecall(step.recall);
    change(step.text);
    queueMicrotask(() => field.setSelectionRange(step.text.length, step.text.length));
  };
  const onKey = (event: KeyboardEvent): void => {
    // A key that ends a composition belongs to it; some browsers only tell by the old code.
    if (event.isComposing || event.keyCode === 229) return;
    if (suggestions.onKey(event)) return;
    const withModifier = isMac ? event.metaKey : event.ctrlKey;
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey && (prefs.sendWith === 'enter' || withModifier)) {
      event.preventDefault();
      // A key that is still held from elsewhere sends nothing.
      if (!event.repeat) send();
    } else if (event.key === 'Tab' && event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey) enterDock(event);
    else if (event.key === 'Escape') escape();
    else if (event.key === 'ArrowUp') recalled(event, 'older');
    else if (event.key === 'ArrowDown') recalled(event, 'newer');
  };
  const enterDock = (event: KeyboardEvent): void => {
    const enter = props.enterDock?.();
    if (!enter) return;
    event.preventDefault();
    enter();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = [...event.clipboardData?.files ?? []];
    // A table or a page comes as a picture, too; who copied words wants words.
    if (pasted.length === 0 || event.clipboardData?.types.includes('text/plain') || !takesFiles(filesTaken(props.session))) return;
    event.preventDefault();
    take(props.session, pasted);
  };
  const onInput = (): void => {
    setRecall(notRecalling);
    change(field.value);
    suggestions.look(field.value, field.selectionStart);
  };
  return (
    <form class="composer" data-testid="composer" onSubmit={(event) => { event.preventDefault(); send(); }}>
      <Files session={props.session} onEmptied={() => field.focus()} />
      <textarea
        ref={field} class="composer-text" rows={1} data-testid="composer-input" aria-label="Message to the agent" placeholder={placeholder(props.session)}
        role="combobox" aria-autocomplete="list" aria-haspopup="listbox" aria-expanded={suggestions.isOpen()} aria-controls={suggestions.listId} aria-activedescendant={suggestions.activeId()}
        enterkeyhint={prefs.sendWith === 'enter' ? 'send' : 'enter'} value={text()} onInput={onInput} onKeyDown={onKey} onPaste={onPaste}
        onBlur={() => suggestions.close()} onSelect={() => suggestions.look(field.value, field.selectionStart)}
      />
      <SuggestionList suggestions={suggestions} anchor={() => field} />
      <div class="composer-bar">
        <AttachButton session={props.session} />
        <div class="composer-settings"><AgentMenus session={props.session} /></div>
        <Show when={isEscaping()}><span class="faint composer-hint" role="status">Esc again to stop</span></Show>
        <Show when={connectionState().kind !== 'open' && isSendable()}><span class="faint composer-hint">Sent when connected</span></Show>
        <ContextMeter session={props.session} />
        <Buttons session={props.session} isSendable={isSendable()} onStop={stop} />
      </div>
    </form>
  );
}

function Buttons(props: { session: OpenSession; isSendable: boolean; onStop: () => void }) {
  const isStopping = (): boolean => props.session.view()?.state === 'cancelling';
  return (
    <>
      <Show when={isStoppable(props.session)}>
        <button type="button" class="round stop" data-testid="stop" aria-label={isStopping() ? 'Stopping' : 'Stop'} title={isStopping() ? 'Stopping…' : 'Stop (Esc twice)'} onClick={() => props.onStop()}>
          <Show when={isStopping()} fallback={<Icon name="stop" />}><span class="spinner" /></Show>
          <Show when={isStopping()}><span>stopping…</span></Show>
        </button>
      </Show>
      <Show when={!isStoppable(props.session) || props.isSendable}>
        <button class="round send" data-testid="send" disabled={!props.isSendable} aria-label={isStoppable(props.session) ? 'Queue' : 'Send'} title={isStoppable(props.session) ? 'Queue: sent when the turn ends' : 'Send'}><Icon name="send" /></button>
      </Show>
    </>
  );
}

function placeholder(session: OpenSession): string {
  return isStoppable(session) ? 'Next message; it waits its turn' : 'Ask the agent to do something';
}

function grow(field: HTMLTextAreaElement): void {
  field.style.height = 'auto';
  const line = Number.parseFloat(getComputedStyle(field).lineHeight) || 20;
  field.style.height = `${Math.min(field.scrollHeight, line * LINES + 20)}px`;
}
