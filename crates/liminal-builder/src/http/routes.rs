//! Every route, once. Owns the table that the router and the description of the API are made of: a path that is not in
//! it does not exist, and a route cannot leave out who may use it, what it is for and how it can fail. What it takes
//! and answers is read off its handler.

mod access;
mod approvals;
mod attachments;
mod page;
mod projects;
mod queue;
mod reading;
mod server;
mod sessions;

use std::fmt;

use axum::routing::{MethodFilter, MethodRouter};
use liminal_core::error::ErrorCode;

use super::app::App;
use super::operation::Operation;

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody, even by a link from another site: what is embedded in the program.
    Page,
    /// Everybody on this machine.
    Public,
    /// Programs with the token and browsers with a session.
    Credential,
    /// Programs with the token.
    Token,
}

/// What a route takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// Nothing that would be read.
    None,
    /// JSON, or nothing.
    Optional,
    /// JSON.
    Json,
    /// JSON that carries a file, and may be larger.
    File,
}

/// The methods that are in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Reads; it stands for `HEAD` too.
    Get,
    /// Does.
    Post,
    /// Replaces.
    Put,
    /// Changes.
    Patch,
    /// Removes.
    Delete,
}

/// A header that means something to a route, beside those of credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestHeader {
    /// Makes a request safe to repeat.
    IdempotencyKey,
    /// Where a stream of events goes on.
    LastEventId,
    /// Which part is wanted.
    Range,
}

/// One route.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// The method.
    pub verb: Verb,
    /// The path, with `{name}` for what varies.
    pub path: &'static str,
    /// Who may use it.
    pub access: Access,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The headers that mean something to it.
    pub headers: &'static [RequestHeader],
    /// How it can fail, in groups, beside what the gates refuse.
    pub errors: &'static [&'static [ErrorCode]],
    /// Who answers.
    pub handler: Handler,
}

/// Who answers a route, and what the types of it say.
#[derive(Clone, Copy)]
pub struct Handler {
    /// Its name, made of its module and its function.
    pub name: &'static str,
    /// What it takes and answers.
    pub operation: Operation,
    router: fn(MethodFilter) -> MethodRouter<App>,
}

/// The handler of a route.
macro_rules! handler {
    ($module:ident::$function:ident) => {
        $crate::http::routes::Handler {
            name: concat!(stringify!($module), ".", stringify!($function)),
            operation: $crate::http::operation::describe(&$module::$function),
            router: |verb| axum::routing::on(verb, $module::$function),
        }
    };
}
use handler;

/// Routes that belong together.
#[derive(Debug, Clone, Copy)]
pub struct Area {
    /// What people call it.
    pub name: &'static str,
    /// What it is about.
    pub about: &'static str,
    /// What the names in paths stand for.
    pub names: &'static [(&'static str, &'static str)],
    /// Its routes. Those of one path stand together.
    pub routes: &'static [Route],
}

/// All areas, in the order in which people read about them.
pub const AREAS: &[Area] = &[
    access::AREA,
    projects::AREA,
    sessions::AREA,
    queue::AREA,
    attachments::AREA,
    reading::AREA,
    approvals::AREA,
    server::AREA,
    page::AREA,
];

/// The routes of all areas.
pub const ROUTES: &[Route] = &joined::<{ count() }>();

const fn count() -> usize {
    let (mut areas, mut count) = (AREAS, 0);
    while let [area, rest @ ..] = areas {
        (areas, count) = (rest, count + area.routes.len());
    }
    count
}

#[expect(clippy::indexing_slicing, reason = "it runs in the compiler, where a wrong index is an error")]
const fn joined<const COUNT: usize>() -> [Route; COUNT] {
    let mut joined = [AREAS[0].routes[0]; COUNT];
    let (mut areas, mut next) = (AREAS, 0);
    while let [area, rest @ ..] = areas {
        let mut routes = area.routes;
        while let [route, others @ ..] = routes {
            joined[next] = *route;
            (routes, next) = (others, next + 1);
        }
        areas = rest;
    }
    joined
}

/// How everything that is kept on disk can fail.
const KEPT: &[ErrorCode] = &[ErrorCode::ShuttingDown, ErrorCode::StorageFull];

/// How everything about one session can fail.
const OF_SESSION: &[ErrorCode] = &[
    ErrorCode::OwnerLost,
    ErrorCode::SessionNotFound,
    ErrorCode::SessionTakenOver,
    ErrorCode::ShuttingDown,
    ErrorCode::StorageFull,
];

/// How letting an agent act without asking can fail.
const BYPASS: &[ErrorCode] = &[ErrorCode::BypassNotAllowed, ErrorCode::BypassNotConfirmed];

/// How starting an agent can fail.
const STARTS_AGENT: &[ErrorCode] = &[
    ErrorCode::BypassNotAllowed,
    ErrorCode::AgentNotReading,
    ErrorCode::AgentsExhausted,
    ErrorCode::ProcessCrash,
    ErrorCode::ProjectDirInvalid,
    ErrorCode::SpawnFailed,
    ErrorCode::TrustRequired,
    ErrorCode::UnsupportedCliType,
];

/// How a request with a key can fail.
const ONCE: &[ErrorCode] = &[ErrorCode::DeliveryUnknown, ErrorCode::IdempotencyMismatch];

impl Route {
    /// What it takes.
    #[must_use]
    pub const fn body(&self) -> Body {
        match (self.verb, self.handler.operation.body) {
            (_, Some(_)) if self.handler.operation.carries_file => Body::File,
            (_, Some(_)) if self.handler.operation.is_body_optional => Body::Optional,
            (_, Some(_)) => Body::Json,
            (Verb::Get, None) => Body::None,
            (Verb::Post | Verb::Put | Verb::Patch | Verb::Delete, None) => Body::Optional,
        }
    }

    /// The names of what varies in its path.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }
}

impl Verb {
    /// Its methods, as in an `Allow` header.
    #[must_use]
    pub const fn allow(self) -> &'static str {
        match self {
            Self::Get => "GET, HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post | Self::Put | Self::Patch | Self::Delete => self.allow(),
        }
    }
}

impl Handler {
    pub(super) fn on(&self, verb: MethodFilter) -> MethodRouter<App> {
        (self.router)(verb)
    }
}

impl fmt::Debug for Handler {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_of_one_path_stand_together_and_none_is_there_twice() {
        let mut paths: Vec<_> = ROUTES.iter().map(|route| route.path).collect();
        paths.dedup();
        let runs = paths.len();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), runs);
        for (index, route) in ROUTES.iter().enumerate() {
            let same = |other: &&Route| other.path == route.path && other.verb == route.verb;
            assert_eq!(ROUTES[index..].iter().filter(same).count(), 1, "{}", route.path);
        }
    }

    #[test]
    fn the_table_holds_every_route_of_every_area() {
        let listed: Vec<_> =
            AREAS.iter().flat_map(|area| area.routes).map(|route| route.handler.name).collect();
        let joined: Vec<_> = ROUTES.iter().map(|route| route.handler.name).collect();
        assert_eq!(listed, joined);
    }

    #[test]
    fn only_what_shows_the_page_or_lets_in_or_describes_is_open() {
        let open = ROUTES.iter().filter(|route| matches!(route.access, Access::Page | Access::Public));
        let open: Vec<_> = open.map(|route| route.path).collect();
        let expected = ["/auth/exchange", "/healthz", "/readyz", "/openapi.json", "/docs", "/docs.css"];
        let pages = ["/", "/s/{session}", "/assets/{file}", "/theme.js", "/favicon.svg"];
        assert_eq!(open, [&expected[..], &pages[..]].concat());
    }

    #[test]
    fn what_reads_takes_no_body() {
        for route in ROUTES {
            assert_eq!(route.verb == Verb::Get, route.body() == Body::None, "{}", route.path);
        }
    }

    #[test]
    fn handlers_tell_what_they_take() {
        let taken = |name: &str| {
            let route = ROUTES.iter().find(|route| route.handler.name == name).expect(name);
            let operation = route.handler.operation;
            (operation.query.is_some(), operation.body.is_some(), operation.answer.status)
        };
        assert_eq!(taken("session.list"), (true, false, 200));
        assert_eq!(taken("session.create"), (false, true, 201));
        assert_eq!(taken("session.send"), (false, true, 202));
        assert_eq!(taken("session.delete"), (false, false, 204));
        assert_eq!(taken("sse.upserts"), (true, false, 200));
        assert_eq!(taken("ws.open"), (false, false, 101));
    }
}
