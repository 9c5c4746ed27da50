//! The router, made of the table of routes. Owns that each route stands behind its own gate, and gates before what does
//! not exist.

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::{MethodFilter, MethodRouter, any};
use liminal_core::error::ErrorCode;

use super::app::App;
use super::forward::{self, Subject};
use super::gate::{Gate, admit};
use super::ledger;
use super::problem::ApiError;
use super::routes::{ROUTES, Route, Verb};

/// Makes the router.
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

/// The routes that other servers may ask for. They have let in whoever asks.
pub(super) fn for_servers(app: &App) -> Router {
    let is_asked = |route: &&Route| forward::subject(route.verb, route.path) != Subject::Here;
    let routes = ROUTES.iter().filter(is_asked).map(|route| {
        let gate = gate(route, app);
        (route.path, route.handler.on(filter(route.verb)).layer(from_fn_with_state(gate, forward::admit)))
    });
    routes.fold(Router::new(), |router, (path, handler)| router.route(path, handler)).with_state(app.clone())
}

fn gate(route: &Route, app: &App) -> Gate {
    let gate = Gate::new(app.clone(), route.access, route.body());
    gate.keeping(ledger::action(route.verb, route.path)).about(forward::subject(route.verb, route.path))
}

fn methods(routes: &[Route], app: &App) -> MethodRouter<App> {
    let allow = routes.iter().map(|route| route.verb.allow()).collect::<Vec<_>>().join(", ");
    let refuse = move || async move { ApiError::method_not_allowed(&allow).into_response() };
    let gated = routes
        .iter()
        .map(|route| route.handler.on(filter(route.verb)).layer(from_fn_with_state(gate(route, app), admit)));
    gated.fold(MethodRouter::new(), MethodRouter::merge).fallback(refuse)
}

const fn filter(verb: Verb) -> MethodFilter {
    match verb {
        Verb::Get => MethodFilter::GET.or(MethodFilter::HEAD),
        Verb::Post => MethodFilter::POST,
        Verb::Put => MethodFilter::PUT,
        Verb::Patch => MethodFilter::PATCH,
        Verb::Delete => MethodFilter::DELETE,
    }
}

async fn unknown_path(request: Request) -> ApiError {
    ApiError::new(ErrorCode::NotFound, "there is nothing at this path").about(request.uri().path())
}
