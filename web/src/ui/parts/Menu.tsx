/** A button with a menu. Owns focus inside the menu: arrows, Home, End, letters. */
import { createEffect, createSignal, For, Show, type JSX } from 'solid-js';
import { Icon, type IconName } from './Icon';
import { Popover } from './Popover';

export interface MenuItem {
  label: string;
  icon?: IconName;
  detail?: string | undefined;
  hint?: string | undefined;
  isChecked?: boolean;
  isDisabled?: boolean;
  isDanger?: boolean;
  /** The detail is a warning. */
  isWarning?: boolean;
  heading?: string;
  rule?: boolean;
  run?: () => void;
}

interface Props {
  label: string;
  items: MenuItem[];
  class?: string;
  testId?: string;
  side?: 'below' | 'above';
  align?: 'start' | 'end';
  isDisabled?: boolean;
  /** What the panel says before its items. */
  note?: string;
  children: JSX.Element;
}

export function Menu(props: Props) {
  const [isOpen, setOpen] = createSignal(false);
  let button!: HTMLButtonElement;
  const close = (): void => {
    setOpen(false);
    button.focus();
  };
  return (
    <>
      <button
        ref={button} type="button" class={props.class ?? 'icon-button'} aria-haspopup="menu" aria-expanded={isOpen()}
        aria-label={props.label} title={props.label} data-testid={props.testId} disabled={props.isDisabled}
        onClick={() => setOpen(!isOpen())}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {props.children}
      </button>
      <MenuPanel
        anchor={button} isOpen={isOpen()} onClose={() => setOpen(false)} onChosen={close} items={props.items} label={props.label}
        {...(props.side ? { side: props.side } : {})} {...(props.align ? { align: props.align } : {})} {...(props.note ? { note: props.note } : {})}
      />
    </>
  );
}

interface PanelProps {
  anchor: HTMLElement;
  isOpen: boolean;
  onClose: () => void;
  onChosen: () => void;
  items: MenuItem[];
  label: string;
  side?: 'below' | 'above';
  align?: 'start' | 'end';
  note?: string;
}

function MenuPanel(props: PanelProps) {
  let panel!: HTMLDivElement;
  const items = (): HTMLElement[] => [...panel.querySelectorAll<HTMLElement>('[role^=menuitem]')];
  const step = (event: KeyboardEvent): void => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? all.length - 1 : at - 1, Home: 0, End: all.length - 1 }[event.key];
    const found = to === undefined ? byLetter(all, at, event.key) : all[(to + all.length) % all.length];
    if (!found) return;
    event.preventDefault();
    found.focus();
  };
  createEffect(() => {
    if (props.isOpen) queueMicrotask(() => (items().find((item) => item.getAttribute('aria-checked') === 'true') ?? items()[0])?.focus());
  });
  return (
    <Popover
      anchor={props.anchor} isOpen={props.isOpen} onClose={() => props.onClose()} role="menu" label={props.label}
      side={props.side ?? 'below'} align={props.align ?? 'start'} ref={(element) => (panel = element)} onKeyDown={step}
    >
      <Show when={props.isOpen}>
        <Show when={props.note}>{(note) => <p class="menu-label">{note()}</p>}</Show>
        <For each={props.items}>{(item) => <Item item={item} onChosen={() => props.onChosen()} />}</For>
      </Show>
    </Popover>
  );
}

function byLetter(all: HTMLElement[], at: number, key: string): HTMLElement | undefined {
  if (key.length !== 1) return undefined;
  const after = [...all.slice(at + 1), ...all.slice(0, at + 1)];
  return after.find((item) => item.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()));
}

function Item(props: { item: MenuItem; onChosen: () => void }) {
  const choose = (): void => {
    if (props.item.isDisabled) return;
    props.onChosen();
    props.item.run?.();
  };
  return (
    <>
      <Show when={props.item.rule}><div class="menu-rule" role="separator" /></Show>
      <Show when={props.item.heading}>{(heading) => <p class="menu-label">{heading()}</p>}</Show>
      <button
        type="button" class="menu-item" classList={{ danger: props.item.isDanger ?? false }} tabIndex={-1}
        role={props.item.isChecked === undefined ? 'menuitem' : 'menuitemradio'} aria-checked={props.item.isChecked}
        aria-disabled={props.item.isDisabled} onClick={choose}
      >
        <Show when={props.item.icon}>{(icon) => <Icon name={icon()} />}</Show>
        <span class="grow">
          <span>{props.item.label}</span>
          <Show when={props.item.detail}>{(detail) => <span class="detail" classList={{ warn: props.item.isWarning ?? false }}><br />{detail()}</span>}</Show>
        </span>
        <Show when={props.item.hint}>{(hint) => <span class="hint">{hint()}</span>}</Show>
        <Show when={props.item.isChecked}><Icon name="check" /></Show>
      </button>
    </>
  );
}
