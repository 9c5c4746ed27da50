//! Routes of directories that people work in.

use liminal_core::error::ErrorCode;

use super::{Access, Area, KEPT, Route, Verb, handler};
use crate::http::{known_projects, project};

pub(super) const AREA: Area = Area {
    name: "Projects",
    about: "Directories you work in. An agent works only inside a registered one.",
    names: &[("id", "The project, from the list of projects")],
    routes: &[
        Route {
            verb: Verb::Get,
            path: "/api/projects",
            access: Access::Credential,
            summary: "Lists the projects, in the order in which they were added",
            headers: &[],
            errors: &[KEPT],
            handler: handler!(project::list),
        },
        Route {
            verb: Verb::Post,
            path: "/api/projects",
            access: Access::Credential,
            summary: "Registers a directory; makes it first, if that is asked for",
            headers: &[],
            errors: &[KEPT, &[ErrorCode::ProjectDirInvalid, ErrorCode::ProjectExists]],
            handler: handler!(project::add),
        },
        Route {
            verb: Verb::Get,
            path: "/api/projects/known",
            access: Access::Credential,
            summary: "Lists directories that Claude Code and Codex have worked in and that are no projects yet",
            headers: &[],
            errors: &[KEPT],
            handler: handler!(known_projects::list),
        },
        Route {
            verb: Verb::Delete,
            path: "/api/projects/{id}",
            access: Access::Credential,
            summary: "Forgets a project; nothing on disk is touched",
            headers: &[],
            errors: &[KEPT, &[ErrorCode::ProjectNotFound]],
            handler: handler!(project::remove),
        },
        Route {
            verb: Verb::Post,
            path: "/api/projects/{id}/trust",
            access: Access::Credential,
            summary: "Decides whether agents may use what the project brings",
            headers: &[],
            errors: &[KEPT, &[ErrorCode::ProjectNotFound, ErrorCode::ProjectDirInvalid]],
            handler: handler!(project::decide_trust),
        },
        Route {
            verb: Verb::Get,
            path: "/api/projects/{id}/files",
            access: Access::Credential,
            summary: "Lists files of the project that match",
            headers: &[],
            errors: &[KEPT, &[ErrorCode::ProjectNotFound, ErrorCode::ProjectDirInvalid]],
            handler: handler!(project::files),
        },
        Route {
            verb: Verb::Get,
            path: "/api/fs/complete",
            access: Access::Credential,
            summary: "Lists directories whose paths begin like this",
            headers: &[],
            errors: &[],
            handler: handler!(project::complete),
        },
    ],
};
