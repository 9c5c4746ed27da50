/** The request that an agent waits for, above the composer. Owns which one it is; one at a time is answered. */
import { createEffect, createMemo, on, Show } from 'solid-js';
import { pendingRequests } from '../../model/pending';
import { approvals } from '../../state/catalog';
import { announce } from '../../state/screen';
import type { OpenSession } from '../../state/session';
import { requestLabel } from './request-words';
import { type Request, RequestDock } from './RequestDock';

interface Props {
  session: OpenSession;
  isShown: boolean;
  onEnterable: (enter: (() => void) | undefined) => void;
  onFocusLost: (from: 'field' | 'button') => void;
}

export function ApprovalDock(props: Props) {
  const pending = createMemo(() => pendingRequests({
    sessionId: props.session.id, view: props.session.view(), loaded: props.session.projection().pending, approvals: approvals(),
    isLoaded: (id) => !props.session.isLoaded() || (props.session.log()?.items.has(id) ?? false),
  }));
  const firstId = createMemo(() => pending()[0]?.id);
  createEffect(on(firstId, () => {
    const state = pending()[0]?.state;
    if (state && props.isShown) announce(`${requestLabel(props.session.id, state)}: ${state.title}`);
  }));
  return (
    <Show when={firstId()} keyed>
      {(id) => {
        const request = createMemo<Request>((before) => pending().find((item) => item.id === id) ?? before as Request);
        return (
          <RequestDock
            session={props.session} isShown={props.isShown} request={request()} count={pending().length}
            onEnterable={props.onEnterable} onFocusLost={props.onFocusLost}
          />
        );
      }}
    </Show>
  );
}
