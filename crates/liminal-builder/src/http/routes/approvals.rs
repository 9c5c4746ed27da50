//! Routes of what agents ask.

use liminal_core::error::ErrorCode;

use super::{Access, Area, OF_SESSION, Route, Verb, handler};
use crate::http::approvals;

pub(super) const AREA: Area = Area {
    name: "Approvals",
    about: "What agents asked and nobody has answered yet, in all sessions.",
    names: &[("id", "The question, from the list of questions")],
    routes: &[
        Route {
            verb: Verb::Get,
            path: "/api/approvals",
            access: Access::Credential,
            summary: "Lists the questions that wait, the oldest first",
            headers: &[],
            errors: &[],
            handler: handler!(approvals::list),
        },
        Route {
            verb: Verb::Get,
            path: "/api/approvals/{id}/input",
            access: Access::Credential,
            summary: "Returns the complete input of a request that waits, however long it is",
            headers: &[],
            errors: &[OF_SESSION, &[ErrorCode::ApprovalNotFound]],
            handler: handler!(approvals::input),
        },
        Route {
            verb: Verb::Post,
            path: "/api/approvals/{id}",
            access: Access::Credential,
            summary: "Answers a request; the first valid answer counts, and a refused one changes nothing",
            headers: &[],
            errors: &[
                OF_SESSION,
                &[
                    ErrorCode::AgentNotReading,
                    ErrorCode::AlreadyAnswered,
                    ErrorCode::ApprovalNotFound,
                    ErrorCode::ProcessCrash,
                ],
            ],
            handler: handler!(approvals::answer),
        },
    ],
};
