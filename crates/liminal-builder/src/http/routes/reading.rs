//! Routes that tell what was said, and what is being said.

use liminal_core::error::ErrorCode;

use super::{Access, Area, KEPT, OF_SESSION, RequestHeader, Route, Verb, handler};
use crate::http::{reading, sse, ws};

pub(super) const AREA: Area = Area {
    name: "Reading",
    about: "What was said, and what is being said. Closing a stream never stops a turn.",
    names: &[("id", "The session: `<cliType>:<id of the agent>`"), ("item", "The item, from the history")],
    routes: &[
        Route {
            verb: Verb::Get,
            path: "/api/session/{id}/history",
            access: Access::Credential,
            summary: "Reads items, the newest page first or the one about an item, each page in order",
            headers: &[],
            errors: &[OF_SESSION, &[ErrorCode::ItemNotFound]],
            handler: handler!(reading::history),
        },
        Route {
            verb: Verb::Get,
            path: "/api/session/{id}/upserts",
            access: Access::Credential,
            summary: "Streams items and turns as they change",
            headers: &[RequestHeader::LastEventId],
            errors: &[OF_SESSION],
            handler: handler!(sse::upserts),
        },
        Route {
            verb: Verb::Get,
            path: "/api/session/{id}/events",
            access: Access::Credential,
            summary: "Streams canonical events as they happen",
            headers: &[RequestHeader::LastEventId],
            errors: &[OF_SESSION],
            handler: handler!(sse::events),
        },
        Route {
            verb: Verb::Get,
            path: "/api/session/{id}/items/{item}/output",
            access: Access::Credential,
            summary: "Reads the full text of an item, such as the output of a tool",
            headers: &[RequestHeader::Range],
            errors: &[OF_SESSION, &[ErrorCode::ItemNotFound, ErrorCode::RangeNotSatisfiable]],
            handler: handler!(reading::output),
        },
        Route {
            verb: Verb::Get,
            path: "/api/session/{id}/export",
            access: Access::Credential,
            summary: "Writes the whole conversation to a file",
            headers: &[],
            errors: &[OF_SESSION],
            handler: handler!(reading::export),
        },
        Route {
            verb: Verb::Get,
            path: "/api/search",
            access: Access::Credential,
            summary: "Finds items that hold all of the words, the newest first",
            headers: &[],
            errors: &[KEPT],
            handler: handler!(reading::search),
        },
        Route {
            verb: Verb::Get,
            path: "/ws",
            access: Access::Credential,
            summary: "Opens the socket: one for all sessions",
            headers: &[],
            errors: &[],
            handler: handler!(ws::open),
        },
    ],
};
