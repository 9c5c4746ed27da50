//! Routes that let browsers in and out.

use liminal_core::error::ErrorCode;

use super::{Access, Area, KEPT, Route, Verb, handler};
use crate::http::auth;

pub(super) const AREA: Area = Area {
    name: "Access",
    about: "How browsers are let in. Programs use the token instead, which is in `server.json` of the data directory.",
    names: &[],
    routes: &[
        Route {
            verb: Verb::Post,
            path: "/auth/exchange",
            access: Access::Public,
            summary: "Turns a one-time code into a session of a browser: a cookie and a key",
            headers: &[],
            errors: &[KEPT, &[ErrorCode::CodeInvalid, ErrorCode::CodeUsed]],
            handler: handler!(auth::exchange),
        },
        Route {
            verb: Verb::Post,
            path: "/auth/code",
            access: Access::Token,
            summary: "Makes an address with a new one-time code",
            headers: &[],
            errors: &[],
            handler: handler!(auth::new_code),
        },
        Route {
            verb: Verb::Post,
            path: "/auth/rotate",
            access: Access::Token,
            summary: "Ends the sessions of all browsers and the token of programs; `server.json` has the new one",
            headers: &[],
            errors: &[KEPT],
            handler: handler!(auth::rotate),
        },
    ],
};
