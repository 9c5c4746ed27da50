//! Requests for sessions of other servers. Owns which requests are handed on, and how one becomes an envelope and an
//! envelope a request again. Whoever receives a request has let it in; whoever runs it keeps it in its audit log.

use std::collections::BTreeMap;

use axum::Router;
use axum::body::{Body as HttpBody, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, HeaderName, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use liminal_core::error::ErrorCode;
use liminal_core::ids::SessionId;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::app::App;
use super::credentials::{Caller, Digest};
use super::gate::{self, Gate, Handled, Peer};
use super::ledger::Party;
use super::problem::ApiError;
use super::routes::Verb;
use crate::cluster::{Cluster, Command, Envelope, Reply, ServerId};
use crate::sessions::{Failure, Seat};

/// What travels of a request's headers.
const ASKED: [HeaderName; 2] = [CONTENT_TYPE, HeaderName::from_static("idempotency-key")];
/// What travels of an answer's headers.
const ANSWERED: [HeaderName; 2] = [CONTENT_TYPE, RETRY_AFTER];
/// Commands of other servers that run at once; more of them wait.
const MOST_AT_ONCE: usize = 64;
const TOKEN: &str = "token";
const BROWSER: &str = "browser:";
const ANYONE: &str = "anyone";

/// What the name in a route's path tells of where it has to be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// Nothing: it is answered here.
    Here,
    /// The name is a session's.
    Session,
    /// The name is a question's.
    Question,
}

/// Where a route is answered. What reads is answered by whoever is asked.
pub(super) fn subject(verb: Verb, path: &str) -> Subject {
    match (verb, path) {
        // Only the owner of a session has the whole input of a request.
        (Verb::Get, "/api/approvals/{id}/input") | (Verb::Post, "/api/approvals/{id}") => Subject::Question,
        (Verb::Get, _) => Subject::Here,
        (_, path) if path.starts_with("/api/session/{id}") => Subject::Session,
        _ => Subject::Here,
    }
}

/// The server that has to be asked instead of this one.
pub(super) async fn elsewhere(
    app: &App,
    subject: Subject,
    name: Option<&str>,
) -> Result<Option<ServerId>, Failure> {
    let session = match (subject, name) {
        (Subject::Session, Some(name)) => Some(SessionId::from(name)),
        (Subject::Question, Some(name)) => app.sessions().asker(name),
        (Subject::Here, _) | (_, None) => None,
    };
    let (Some(session), Some(_)) = (session, app.sessions().others()) else { return Ok(None) };
    Ok(match app.sessions().seat(&session).await? {
        Seat::Here => None,
        Seat::There(server) => Some(server),
    })
}

/// Has another server answer a request that was let in here.
pub(super) async fn hand_on(
    app: &App,
    server: &ServerId,
    party: &Party,
    request: Request,
) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, app.limits().body_bytes).await.map_err(|_| ApiError::internal())?;
    let envelope = Envelope {
        method: parts.method.to_string(),
        path: parts.uri.path_and_query().map_or_else(String::new, ToString::to_string),
        headers: chosen(&parts.headers, &ASKED),
        body: String::from_utf8_lossy(&body).into_owned(),
        party: party.word(),
        address: party.address(),
    };
    let mut response = response(ask(app, server, &envelope).await?);
    response.extensions_mut().insert(Handled);
    Ok(response)
}

/// The same for what was asked over a socket.
pub(super) async fn command(
    app: &App,
    server: &ServerId,
    party: &Party,
    path: String,
    body: String,
) -> Result<Bytes, Failure> {
    let headers = BTreeMap::from([(CONTENT_TYPE.to_string(), "application/json".to_owned())]);
    let (method, word) = ("POST".to_owned(), party.word());
    let envelope = Envelope { method, path, headers, body, party: word, address: party.address() };
    let reply = ask(app, server, &envelope).await?;
    if (200..300).contains(&reply.status) {
        return Ok(reply.body.into());
    }
    let problem: Result<liminal_core::wire::rest::Problem, _> = serde_json::from_str(&reply.body);
    Err(match problem {
        Ok(problem) => Failure::new(problem.code, problem.detail.unwrap_or(problem.title)),
        Err(_) => Failure::new(ErrorCode::Internal, format!("another server answered with {}", reply.status)),
    })
}

async fn ask(app: &App, server: &ServerId, envelope: &Envelope) -> Result<Reply, Failure> {
    let Some(cluster) = app.sessions().others() else {
        return Err(Failure::new(ErrorCode::Internal, "there is no other server"));
    };
    app.sessions().metrics().forwarded();
    Ok(cluster.ask(server, envelope).await?)
}

fn response(reply: Reply) -> Response {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::BAD_GATEWAY);
    let mut response = (status, reply.body).into_response();
    response.headers_mut().clear();
    for (name, value) in reply.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn chosen(headers: &HeaderMap, names: &[HeaderName]) -> BTreeMap<String, String> {
    let text = |name: &HeaderName| Some((name.to_string(), headers.get(name)?.to_str().ok()?.to_owned()));
    names.iter().filter_map(text).collect()
}

/// Runs what other servers ask, until the server stops.
pub(super) async fn serve(app: App, router: Router, commands: Option<mpsc::Receiver<Command>>) {
    let (Some(mut commands), Some(cluster)) = (commands, app.sessions().others().cloned()) else { return };
    let service = TowerToHyperService::new(router);
    let mut running = JoinSet::new();
    loop {
        tokio::select! {
            () = app.stopping() => break,
            Some(_) = running.join_next() => {}
            command = commands.recv(), if running.len() < MOST_AT_ONCE => {
                let Some(command) = command else { break };
                running.spawn(run(service.clone(), cluster.clone(), command));
            }
        }
    }
    running.join_all().await;
}

async fn run(service: TowerToHyperService<Router>, cluster: Cluster, command: Command) {
    let answer = match request(&command.envelope) {
        Some(request) => service.call(request).await.unwrap_or_else(|never| match never {}),
        None => ApiError::new(ErrorCode::InvalidRequest, "another server sent no request").into_response(),
    };
    if let Err(error) = cluster.answer(&command, &reply(answer).await).await {
        tracing::warn!(%error, "cannot answer another server");
    }
}

fn request(envelope: &Envelope) -> Option<Request> {
    let mut request = Request::builder().method(envelope.method.as_str()).uri(&envelope.path);
    for (name, value) in &envelope.headers {
        request = request.header(name, value);
    }
    let mut request = request.body(HttpBody::from(envelope.body.clone())).ok()?;
    request.extensions_mut().insert(caller(&envelope.party)?);
    request.extensions_mut().insert(Peer(envelope.address));
    Some(request)
}

fn caller(word: &str) -> Option<Caller> {
    match word.strip_prefix(BROWSER) {
        Some(digest) => Digest::from_text(digest).map(Caller::Browser),
        None if word == TOKEN => Some(Caller::Token),
        None => (word == ANYONE).then_some(Caller::Anyone),
    }
}

/// Who asks, as it is told another server.
pub(super) fn word(caller: Option<Caller>) -> String {
    match caller {
        Some(Caller::Browser(digest)) => format!("{BROWSER}{}", digest.to_text()),
        Some(Caller::Token) => TOKEN.to_owned(),
        Some(Caller::Anyone) => ANYONE.to_owned(),
        None => String::new(),
    }
}

async fn reply(response: Response) -> Reply {
    let (status, headers) = (response.status().as_u16(), chosen(response.headers(), &ANSWERED));
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap_or_default();
    Reply { status, headers, body: String::from_utf8_lossy(&body).into_owned() }
}

/// What a request of another server must pass: that the session is here, and the audit log.
pub(super) async fn admit(
    State(gate): State<Gate>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let caller = request.extensions().get::<Caller>().copied();
    let party = Party::new(caller, gate::peer(&request));
    let (request, name) = gate::named(request).await;
    if elsewhere(gate.app(), gate.subject(), name.as_deref()).await?.is_some() {
        let problem = "the session has gone to another server meanwhile; try again";
        return Err(Failure::new(ErrorCode::OwnerLost, problem).into());
    }
    gate.keep(&party, name, request, next).await
}

#[cfg(test)]
mod tests {
    use super::super::routes::ROUTES;
    use super::*;

    #[test]
    fn what_changes_a_session_is_handed_on_and_what_reads_is_not() {
        for route in ROUTES {
            let is_of_session = route.path.starts_with("/api/session/{id}") && route.verb != Verb::Get;
            let is_answer = route.path.starts_with("/api/approvals/{id}");
            let expected = match (is_of_session, is_answer) {
                (true, _) => Subject::Session,
                (_, true) => Subject::Question,
                (false, false) => Subject::Here,
            };
            assert_eq!(subject(route.verb, route.path), expected, "{:?} {}", route.verb, route.path);
        }
    }

    #[test]
    fn whoever_asks_is_the_same_at_the_other_server() {
        for asks in [Caller::Token, Caller::Anyone, Caller::Browser(Digest::of("cookie"))] {
            assert_eq!(caller(&word(Some(asks))), Some(asks));
        }
        for stranger in ["", "anybody", "browser:", "browser:xyz"] {
            assert_eq!(caller(stranger), None, "{stranger}");
        }
    }
}
