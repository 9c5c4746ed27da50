//! Routes of the page.

use liminal_core::error::ErrorCode;

use super::{Access, Area, KEPT, Route, Verb, handler};
use crate::http::{page_state, pages};

pub(super) const AREA: Area = Area {
    name: "Page",
    about: "The page that people use, and what it remembers.",
    names: &[("session", "The session that the page shows"), ("file", "The file, as the page names it")],
    routes: &[
        Route {
            verb: Verb::Get,
            path: "/",
            access: Access::Page,
            summary: "Shows the page",
            headers: &[],
            errors: &[],
            handler: handler!(pages::index),
        },
        Route {
            verb: Verb::Get,
            path: "/s/{session}",
            access: Access::Page,
            summary: "Shows the page at a session",
            headers: &[],
            errors: &[],
            handler: handler!(pages::session),
        },
        Route {
            verb: Verb::Get,
            path: "/assets/{file}",
            access: Access::Page,
            summary: "A script, style or worker of the page",
            headers: &[],
            errors: &[&[ErrorCode::NotFound]],
            handler: handler!(pages::asset),
        },
        Route {
            verb: Verb::Get,
            path: "/theme.js",
            access: Access::Page,
            summary: "Sets the theme before anything is shown",
            headers: &[],
            errors: &[&[ErrorCode::NotFound]],
            handler: handler!(pages::theme),
        },
        Route {
            verb: Verb::Get,
            path: "/favicon.svg",
            access: Access::Page,
            summary: "The icon",
            headers: &[],
            errors: &[&[ErrorCode::NotFound]],
            handler: handler!(pages::icon),
        },
        Route {
            verb: Verb::Get,
            path: "/api/ui-state",
            access: Access::Credential,
            summary: "Reads what the page remembers",
            headers: &[],
            errors: &[KEPT],
            handler: handler!(page_state::show),
        },
        Route {
            verb: Verb::Put,
            path: "/api/ui-state",
            access: Access::Credential,
            summary: "Keeps what the page is to remember: any JSON object up to 256 KiB",
            headers: &[],
            errors: &[KEPT],
            handler: handler!(page_state::keep),
        },
    ],
};
