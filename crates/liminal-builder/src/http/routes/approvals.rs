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
            verb: Verb::Post,
            path: "/api/approvals/{id}",
            access: Access::Credential,
            summary: "Answers a question; the first answer counts",
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
