//! Routes of messages that wait for their turn.

use liminal_core::error::ErrorCode;

use super::{Access, Area, OF_SESSION, Route, Verb, handler};
use crate::http::queue;

pub(super) const AREA: Area = Area {
    name: "Queue",
    about: "Messages that wait for their turn: those that were sent with `queue` while a turn was running. The queue pauses, \
            and `queuePaused` says why, after a rejected request, a request that timed out, a failed or stopped turn and \
            a restart of the server; nothing in it is sent until it is resumed.",
    names: &[("id", "The session: `<cliType>:<id of the agent>`"), ("queued", "The message, from the queue")],
    routes: &[
        Route {
            verb: Verb::Get,
            path: "/api/session/{id}/queue",
            access: Access::Credential,
            summary: "Lists the queued messages, the next one first, and why the queue is paused, if it is",
            headers: &[],
            errors: &[OF_SESSION],
            handler: handler!(queue::show),
        },
        Route {
            verb: Verb::Post,
            path: "/api/session/{id}/queue/resume",
            access: Access::Credential,
            summary: "Resumes a paused queue: its next message is sent when no turn runs",
            headers: &[],
            errors: &[OF_SESSION],
            handler: handler!(queue::resume),
        },
        Route {
            verb: Verb::Patch,
            path: "/api/session/{id}/queue/{queued}",
            access: Access::Credential,
            summary: "Changes or moves a message that waits",
            headers: &[],
            errors: &[OF_SESSION, &[ErrorCode::QueuedNotFound]],
            handler: handler!(queue::edit),
        },
        Route {
            verb: Verb::Delete,
            path: "/api/session/{id}/queue/{queued}",
            access: Access::Credential,
            summary: "Removes a message that waits",
            headers: &[],
            errors: &[OF_SESSION, &[ErrorCode::QueuedNotFound]],
            handler: handler!(queue::remove),
        },
        Route {
            verb: Verb::Post,
            path: "/api/session/{id}/queue/{queued}/now",
            access: Access::Credential,
            summary: "Stops the running turn and sends this message next, also from a paused queue, which stays paused",
            headers: &[],
            errors: &[OF_SESSION, &[ErrorCode::QueuedNotFound]],
            handler: handler!(queue::send_now),
        },
        Route {
            verb: Verb::Post,
            path: "/api/session/{id}/queue/{queued}/steer",
            access: Access::Credential,
            summary: "Takes a message that waits into the turn that runs; if that cannot be, it waits on",
            headers: &[],
            errors: &[
                OF_SESSION,
                &[
                    ErrorCode::AttachmentNotFound,
                    ErrorCode::DeliveryUnknown,
                    ErrorCode::NotSteerable,
                    ErrorCode::QueuedNotFound,
                ],
            ],
            handler: handler!(queue::steer),
        },
    ],
};
