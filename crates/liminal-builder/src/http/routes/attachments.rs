//! Routes of files that go with messages.

use liminal_core::error::ErrorCode;

use super::{Access, Area, OF_SESSION, Route, Verb, handler};
use crate::http::attachments;

pub(super) const AREA: Area = Area {
    name: "Attachments",
    about: "Files that go with messages: upload one, then name its id in `attachments` of the message. What an agent takes \
            is told in `agent.abilities.attachments` of its session. One that is not sent within a week is removed.",
    names: &[
        ("id", "The session: `<cliType>:<id of the agent>`"),
        ("file", "The file, as its upload was answered"),
    ],
    routes: &[
        Route {
            verb: Verb::Post,
            path: "/api/session/{id}/attachments",
            access: Access::Credential,
            summary: "Uploads a file for a message that is sent later",
            headers: &[],
            errors: &[OF_SESSION, &[ErrorCode::AttachmentNotTaken, ErrorCode::AttachmentsFull]],
            handler: handler!(attachments::upload),
        },
        Route {
            verb: Verb::Get,
            path: "/api/session/{id}/attachments/{file}",
            access: Access::Credential,
            summary: "Reads a file; what is no image is a download",
            headers: &[],
            errors: &[OF_SESSION, &[ErrorCode::AttachmentNotFound]],
            handler: handler!(attachments::read),
        },
        Route {
            verb: Verb::Delete,
            path: "/api/session/{id}/attachments/{file}",
            access: Access::Credential,
            summary: "Removes a file that no message has",
            headers: &[],
            errors: &[OF_SESSION, &[ErrorCode::AttachmentNotFound, ErrorCode::WrongState]],
            handler: handler!(attachments::remove),
        },
    ],
};
