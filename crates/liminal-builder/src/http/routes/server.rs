//! Routes by which the server tells of itself.

use liminal_core::error::ErrorCode;

use super::{Access, Area, KEPT, Route, Verb, handler};
use crate::http::{agents, docs, health, openapi};

pub(super) const AREA: Area = Area {
    name: "Server",
    about: "What this server is, whether it is well, and what can be asked of it.",
    names: &[],
    routes: &[
        Route {
            verb: Verb::Get,
            path: "/api/meta",
            access: Access::Credential,
            summary: "Tells what this server is and can do",
            headers: &[],
            errors: &[],
            handler: handler!(health::meta),
        },
        Route {
            verb: Verb::Get,
            path: "/api/agents",
            access: Access::Credential,
            summary: "Lists the agents of this machine, each usable or with the reason and what to do about it",
            headers: &[],
            errors: &[],
            handler: handler!(agents::list),
        },
        Route {
            verb: Verb::Post,
            path: "/api/agents/refresh",
            access: Access::Credential,
            summary: "Asks every agent again for its version and login; `agents:changed` reports the results",
            headers: &[],
            errors: &[],
            handler: handler!(agents::refresh),
        },
        Route {
            verb: Verb::Get,
            path: "/healthz",
            access: Access::Public,
            summary: "Answers while the server runs",
            headers: &[],
            errors: &[],
            handler: handler!(health::alive),
        },
        Route {
            verb: Verb::Get,
            path: "/metrics",
            access: Access::Credential,
            summary: "Counts for Prometheus; without any contents",
            headers: &[],
            errors: &[KEPT],
            handler: handler!(health::metrics),
        },
        Route {
            verb: Verb::Get,
            path: "/readyz",
            access: Access::Public,
            summary: "Answers while the server can serve, and else tells why not",
            headers: &[],
            errors: &[&[ErrorCode::NotReady]],
            handler: handler!(health::ready),
        },
        Route {
            verb: Verb::Get,
            path: "/openapi.json",
            access: Access::Public,
            summary: "Describes this API for programs",
            headers: &[],
            errors: &[],
            handler: handler!(openapi::show),
        },
        Route {
            verb: Verb::Get,
            path: "/docs",
            access: Access::Public,
            summary: "Describes this API for people",
            headers: &[],
            errors: &[],
            handler: handler!(docs::page),
        },
        Route {
            verb: Verb::Get,
            path: "/docs.css",
            access: Access::Public,
            summary: "The style of that page",
            headers: &[],
            errors: &[],
            handler: handler!(docs::style),
        },
    ],
};
