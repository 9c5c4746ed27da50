// The frames of the socket, each by its own name. Owns no type of the wire: all of them are cut out of the generated ones.

import type { ClientFrame, ServerMessage } from '../gen/contracts';

export type FrameOf<T extends ServerMessage['type']> = Extract<ServerMessage, { type: T }>;

export type SubscribedFrame = FrameOf<'session:subscribed'>;
export type HistoryFrame = FrameOf<'session:history'>;
export type UpsertFrame = FrameOf<'session:upsert'>;
export type TurnFrame = FrameOf<'session:turn'>;
export type AppendFrame = FrameOf<'session:append'>;
export type StateFrame = FrameOf<'session:state'>;
export type OkFrame = FrameOf<'ok'>;
export type ErrorFrame = FrameOf<'error'>;

/** Frames that belong to one session. */
export type SessionFrame = SubscribedFrame | HistoryFrame | UpsertFrame | TurnFrame | AppendFrame | StateFrame;

/** A session beside its items, as `session:subscribed` and `session:state` carry it. */
export type SessionView = Omit<StateFrame, 'type' | 'sessionId'>;

type WithoutRequestId<T> = T extends unknown ? Omit<T, 'requestId'> : never;

/** What a page asks; the connection adds the `requestId`. */
export type ClientMessage = WithoutRequestId<ClientFrame>;

export function isSessionFrame(frame: ServerMessage): frame is SessionFrame {
  return 'sessionId' in frame;
}
