//! Routes of the page.

use super::{Access, Area, KEPT, Route, Verb, handler};
use crate::http::{page_state, pages};

pub(super) const AREA: Area = Area {
    name: "Page",
    about: "The page that people use, and what it remembers.",
    names: &[],
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
            path: "/style.css",
            access: Access::Page,
            summary: "The style of the page",
            headers: &[],
            errors: &[],
            handler: handler!(pages::style),
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
