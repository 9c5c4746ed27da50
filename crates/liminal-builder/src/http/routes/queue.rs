//! Routes of messages that wait for their turn.

use liminal_core::error::ErrorCode;

use super::{Access, Area, OF_SESSION, Route, Verb, handler};
use crate::http::queue;

pub(super) const AREA: Area = Area {
    name: "Queue",
    about: "Messages that wait for their turn: those that were sent with `queue` while a turn was running.",
    names: &[("id", "The session: `<cliType>:<id of the agent>`"), ("queued", "The message, from the queue")],
    routes: &[
        Route {
            verb: Verb::Get,
            path: "/api/session/{id}/queue",
            access: Access::Credential,
            summary: "Lists the messages that wait, the next one first",
            headers: &[],
            errors: &[OF_SESSION],
            handler: handler!(queue::show),
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
            summary: "Stops the running turn and sends this message next",
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
