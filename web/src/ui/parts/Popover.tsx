/** A panel in the top layer that closes by Escape and by a click beside it. Owns where it is put. */
import { createEffect, onCleanup, type JSX, type ParentProps } from 'solid-js';

interface Props extends ParentProps {
  anchor: HTMLElement | undefined;
  isOpen: boolean;
  onClose: () => void;
  side?: 'below' | 'above';
  align?: 'start' | 'end';
  role?: JSX.HTMLAttributes<HTMLDivElement>['role'];
  label: string;
  class?: string;
  /** A combobox keeps the focus in its field and closes its list itself. */
  isManual?: boolean;
  id?: string;
  ref?: (element: HTMLDivElement) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
}

const MARGIN = 8;

export function Popover(props: Props) {
  let panel!: HTMLDivElement;
  const place = (): void => {
    const anchor = props.anchor?.getBoundingClientRect();
    if (!anchor || !props.isOpen) return;
    // How wide it would be depends on where it is: it is measured where it has all the room.
    panel.style.left = `${MARGIN}px`;
    const { width, height } = panel.getBoundingClientRect();
    const below = anchor.bottom + 4;
    const above = anchor.top - height - 4;
    const fits = props.side === 'above' ? above >= MARGIN : below + height <= innerHeight - MARGIN;
    const top = (props.side === 'above') === fits ? above : below;
    const left = props.align === 'end' ? anchor.right - width : anchor.left;
    panel.style.top = `${Math.max(MARGIN, Math.min(top, innerHeight - height - MARGIN))}px`;
    panel.style.left = `${Math.max(MARGIN, Math.min(left, innerWidth - width - MARGIN))}px`;
  };
  createEffect(() => {
    if (props.isOpen) {
      panel.showPopover?.();
      place();
    } else if (panel.matches(':popover-open')) panel.hidePopover?.();
  });
  const sizes = new ResizeObserver(place);
  addEventListener('resize', place);
  onCleanup(() => {
    sizes.disconnect();
    removeEventListener('resize', place);
  });
  return (
    <div
      ref={(element) => {
        panel = element;
        sizes.observe(element);
        props.ref?.(element);
      }}
      id={props.id}
      class={`popover ${props.class ?? ''}`}
      popover={props.isManual ? 'manual' : 'auto'}
      role={props.role}
      aria-label={props.label}
      onKeyDown={(event) => props.onKeyDown?.(event)}
      on:toggle={(event: Event) => {
        if ((event as ToggleEvent).newState === 'closed' && props.isOpen) props.onClose();
      }}
    >
      {props.children}
    </div>
  );
}
