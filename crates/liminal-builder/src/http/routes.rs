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
use super::{agents, auth, health, pages};

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
    page("/s/{session}", |verb| on(verb, pages::session)),
    page("/assets/{file}", |verb| on(verb, pages::asset)),
    page("/theme.js", |verb| on(verb, pages::theme)),
    page("/favicon.svg", |verb| on(verb, pages::icon)),
    get("/healthz", Access::Public, |verb| on(verb, health::alive)),
    get("/readyz", Access::Public, |verb| on(verb, health::ready)),
    post("/auth/exchange", Access::Public, Body::Json, |verb| on(verb, auth::exchange)),
    post("/auth/code", Access::Token, Body::Optional, |verb| on(verb, auth::new_code)),
    post("/auth/rotate", Access::Token, Body::Optional, |verb| on(verb, auth::rotate)),
    get("/api/meta", Access::Credential, |verb| on(verb, health::meta)),
    get("/api/agents", Access::Credential, |verb| on(verb, agents::list)),
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

impl Verb {
    /// Its methods, as in an `Allow` header.
    #[must_use]
    pub const fn allow(self) -> &'static str {
        match self {
            Self::Get => "GET, HEAD",
            Self::Post => "POST",
        }
    }

    const fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET.or(MethodFilter::HEAD),
            Self::Post => MethodFilter::POST,
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
        let pages = ["/", "/s/{session}", "/assets/{file}", "/theme.js", "/favicon.svg"];
        assert_eq!(open, [&pages[..], &["/healthz", "/readyz", "/auth/exchange"]].concat());
        for route in ROUTES {
            assert_eq!(route.verb == Verb::Get, route.body == Body::None, "{}", route.path);
        }
    }
}
