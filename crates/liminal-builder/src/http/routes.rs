//! Every route, once. Owns the table that the router is made of: a path that is not in it does not exist, and a route
//! cannot leave out who may use it.

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::{MethodFilter, MethodRouter, any, on};
use liminal_core::error::ErrorCode;

use super::app::App;
use super::gate::{Gate, admit};
use super::problem::ApiError;
use super::{
    agents, approvals, auth, health, ledger, page_state, pages, project, queue, reading, session, sse, ws,
};

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

/// One route.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// The method.
    pub verb: Verb,
    /// The path, with `{name}` for what varies.
    pub path: &'static str,
    /// Who may use it.
    pub access: Access,
    /// What it takes.
    pub body: Body,
    handler: Handler,
}

type Handler = fn(MethodFilter) -> MethodRouter<App>;

/// The routes. Those of one path stand together.
pub const ROUTES: &[Route] = &[
    page("/", |verb| on(verb, pages::index)),
    page("/style.css", |verb| on(verb, pages::style)),
    get("/healthz", Access::Public, |verb| on(verb, health::alive)),
    get("/readyz", Access::Public, |verb| on(verb, health::ready)),
    get("/metrics", Access::Credential, |verb| on(verb, health::metrics)),
    post("/auth/exchange", Access::Public, Body::Json, |verb| on(verb, auth::exchange)),
    post("/auth/code", Access::Token, Body::Optional, |verb| on(verb, auth::new_code)),
    post("/auth/rotate", Access::Token, Body::Optional, |verb| on(verb, auth::rotate)),
    get("/api/meta", Access::Credential, |verb| on(verb, health::meta)),
    get("/api/agents", Access::Credential, |verb| on(verb, agents::list)),
    get("/api/projects", Access::Credential, |verb| on(verb, project::list)),
    post("/api/projects", Access::Credential, Body::Json, |verb| on(verb, project::add)),
    delete("/api/projects/{id}", |verb| on(verb, project::remove)),
    post("/api/projects/{id}/trust", Access::Credential, Body::Json, |verb| on(verb, project::decide_trust)),
    get("/api/projects/{id}/files", Access::Credential, |verb| on(verb, project::files)),
    get("/api/fs/complete", Access::Credential, |verb| on(verb, project::complete)),
    get("/api/session/list", Access::Credential, |verb| on(verb, session::list)),
    post("/api/session/create", Access::Credential, Body::Json, |verb| on(verb, session::create)),
    delete("/api/session/{id}", |verb| on(verb, session::delete)),
    act("/api/session/{id}/load", |verb| on(verb, session::load)),
    get("/api/session/{id}/status", Access::Credential, |verb| on(verb, session::status)),
    post("/api/session/{id}/send", Access::Credential, Body::Json, |verb| on(verb, session::send)),
    act("/api/session/{id}/cancel", |verb| on(verb, session::cancel)),
    act("/api/session/{id}/kill", |verb| on(verb, session::kill)),
    post("/api/session/{id}/configure", Access::Credential, Body::Json, |verb| on(verb, session::configure)),
    post("/api/session/{id}/title", Access::Credential, Body::Json, |verb| on(verb, session::rename)),
    act("/api/session/{id}/archive", |verb| on(verb, session::archive)),
    act("/api/session/{id}/unarchive", |verb| on(verb, session::unarchive)),
    get("/api/session/{id}/queue", Access::Credential, |verb| on(verb, queue::show)),
    patch("/api/session/{id}/queue/{queued}", |verb| on(verb, queue::edit)),
    delete("/api/session/{id}/queue/{queued}", |verb| on(verb, queue::remove)),
    act("/api/session/{id}/queue/{queued}/now", |verb| on(verb, queue::send_now)),
    get("/api/session/{id}/history", Access::Credential, |verb| on(verb, reading::history)),
    get("/api/session/{id}/upserts", Access::Credential, |verb| on(verb, sse::upserts)),
    get("/api/session/{id}/events", Access::Credential, |verb| on(verb, sse::events)),
    get("/api/session/{id}/items/{item}/output", Access::Credential, |verb| on(verb, reading::output)),
    get("/api/session/{id}/export", Access::Credential, |verb| on(verb, reading::export)),
    get("/api/approvals", Access::Credential, |verb| on(verb, approvals::list)),
    post("/api/approvals/{id}", Access::Credential, Body::Json, |verb| on(verb, approvals::answer)),
    get("/api/search", Access::Credential, |verb| on(verb, reading::search)),
    get("/api/ui-state", Access::Credential, |verb| on(verb, page_state::show)),
    put("/api/ui-state", |verb| on(verb, page_state::keep)),
    get("/ws", Access::Credential, |verb| on(verb, ws::open)),
];

const fn page(path: &'static str, handler: Handler) -> Route {
    get(path, Access::Page, handler)
}

const fn get(path: &'static str, access: Access, handler: Handler) -> Route {
    Route { verb: Verb::Get, path, access, body: Body::None, handler }
}

const fn post(path: &'static str, access: Access, body: Body, handler: Handler) -> Route {
    Route { verb: Verb::Post, path, access, body, handler }
}

/// Does something that needs no more words.
const fn act(path: &'static str, handler: Handler) -> Route {
    post(path, Access::Credential, Body::Optional, handler)
}

const fn put(path: &'static str, handler: Handler) -> Route {
    Route { verb: Verb::Put, path, access: Access::Credential, body: Body::Json, handler }
}

const fn patch(path: &'static str, handler: Handler) -> Route {
    Route { verb: Verb::Patch, path, access: Access::Credential, body: Body::Json, handler }
}

const fn delete(path: &'static str, handler: Handler) -> Route {
    Route { verb: Verb::Delete, path, access: Access::Credential, body: Body::Optional, handler }
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

    const fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET.or(MethodFilter::HEAD),
            Self::Post => MethodFilter::POST,
            Self::Put => MethodFilter::PUT,
            Self::Patch => MethodFilter::PATCH,
            Self::Delete => MethodFilter::DELETE,
        }
    }
}

/// Makes the router: each route behind its own gate, and gates before what does not exist.
pub(super) fn router(app: &App) -> Router {
    let mut router = Router::new();
    let mut rest = ROUTES;
    while let Some(first) = rest.first() {
        let (same, others) = rest.split_at(rest.iter().take_while(|route| route.path == first.path).count());
        router = router.route(first.path, methods(same, app));
        rest = others;
    }
    let gate = Gate::for_unknown_paths(app.clone());
    let unknown = any(unknown_path).layer(from_fn_with_state(gate, admit));
    router.fallback_service(unknown.with_state(app.clone())).with_state(app.clone())
}

fn methods(routes: &[Route], app: &App) -> MethodRouter<App> {
    let allow = routes.iter().map(|route| route.verb.allow()).collect::<Vec<_>>().join(", ");
    let refuse = move || async move { ApiError::method_not_allowed(&allow).into_response() };
    let gated = routes.iter().map(|route| {
        let gate = Gate::new(app.clone(), route.access, route.body);
        let gate = gate.keeping(ledger::action(route.verb, route.path));
        (route.handler)(route.verb.filter()).layer(from_fn_with_state(gate, admit))
    });
    gated.fold(MethodRouter::new(), MethodRouter::merge).fallback(refuse)
}

async fn unknown_path(request: Request) -> ApiError {
    ApiError::new(ErrorCode::NotFound, "there is nothing at this path").about(request.uri().path())
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
    fn only_what_shows_the_page_or_lets_in_is_open() {
        let open = ROUTES.iter().filter(|route| matches!(route.access, Access::Page | Access::Public));
        let open: Vec<_> = open.map(|route| route.path).collect();
        assert_eq!(open, ["/", "/style.css", "/healthz", "/readyz", "/auth/exchange"]);
        for route in ROUTES {
            assert_eq!(route.verb == Verb::Get, route.body == Body::None, "{}", route.path);
        }
    }
}
