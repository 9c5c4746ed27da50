//! What every request must pass before its handler. Owns the order of the gates; what each of them lets through is
//! decided in the modules named after them.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::body::Body as RequestBody;
use axum::extract::{FromRequestParts, RawPathParams, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, ORIGIN, UPGRADE};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::LengthLimitError;
use liminal_core::error::ErrorCode;
use tokio::time::timeout;

use super::app::App;
use super::cors::Guest;
use super::credentials::{Caller, CredentialFault, Presented};
use super::forward::{self, Subject};
use super::host::Authority;
use super::ledger::Party;
use super::origin::{self, Provenance, Trust};
use super::places::Standing;
use super::problem::ApiError;
use super::routes::{Access, Body};
use crate::audit::Action;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The address at the other end of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) IpAddr);

/// The address of ours that a connection came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Local(pub(super) SocketAddr);

/// The gates of one route.
#[derive(Debug, Clone)]
pub(super) struct Gate {
    app: App,
    access: Access,
    body: Body,
    guards_unknown_paths: bool,
    action: Option<Action>,
    subject: Subject,
}

/// A request reached its handler, whatever that answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Handled;

impl Gate {
    pub(super) const fn new(app: App, access: Access, body: Body) -> Self {
        Self { app, access, body, guards_unknown_paths: false, action: None, subject: Subject::Here }
    }

    /// The same for a route whose uses are kept as this.
    pub(super) fn keeping(self, action: Option<Action>) -> Self {
        Self { action, ..self }
    }

    /// The same for a route that another server may have to answer.
    pub(super) fn about(self, subject: Subject) -> Self {
        Self { subject, ..self }
    }

    pub(super) const fn app(&self) -> &App {
        &self.app
    }

    pub(super) const fn subject(&self) -> Subject {
        self.subject
    }

    /// Runs a request that may be run, and keeps what came of it.
    pub(super) async fn keep(
        &self,
        party: &Party,
        name: Option<String>,
        request: Request,
        next: Next,
    ) -> Result<Response, ApiError> {
        let begun = self.action.map(|action| self.app.ledger().begin(party, action, name));
        let mut response = next.run(request).await;
        response.extensions_mut().insert(Handled);
        if let Some(begun) = begun {
            begun.answered(&response).await;
        }
        Ok(response)
    }

    /// What does not exist is told to everybody, but not what of the API does not.
    pub(super) fn for_unknown_paths(app: App) -> Self {
        let gate = Self::new(app, Access::Public, Body::Optional);
        Self { guards_unknown_paths: true, ..gate }
    }

    fn access(&self, path: &str) -> Access {
        let is_api = path.starts_with("/api") || path.starts_with("/auth") || path.starts_with("/ws");
        if self.guards_unknown_paths && is_api { Access::Credential } else { self.access }
    }
}

/// The outermost gate, before any route is looked for.
pub(super) fn name(app: &App, request: &Request) -> Result<Authority, ApiError> {
    let hosts = values(request.headers(), &HOST);
    let target = request.uri().authority().map(axum::http::uri::Authority::as_str);
    let local = request.extensions().get::<Local>().map(|local| local.0);
    Ok(app.names().at(local).judge(hosts, target)?)
}

/// The gates of a route, one after the other.
pub(super) async fn admit(
    State(gate): State<Gate>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    media_type(&request, gate.body)?;
    let access = gate.access(request.uri().path());
    let trust = provenance(&request, access)?;
    let caller = caller(&gate.app, Shown::by(&request)?, access, trust).await?;
    if let (Some(_), Some(standing)) = (caller, request.extensions().get::<Standing>()) {
        standing.admit();
    }
    let mut request = whole_body(&gate.app, request, gate.body).await?;
    if let Some(caller) = caller {
        request.extensions_mut().insert(caller);
    }
    let party = Party::new(caller, peer(&request));
    let (request, name) = named(request).await;
    match forward::elsewhere(&gate.app, gate.subject, name.as_deref()).await? {
        Some(server) => forward::hand_on(&gate.app, &server, &party, request).await,
        None => gate.keep(&party, name, request, next).await,
    }
}

/// What a request is about: the first name in its path.
pub(super) async fn named(request: Request) -> (Request, Option<String>) {
    let (mut parts, body) = request.into_parts();
    let names = RawPathParams::from_request_parts(&mut parts, &()).await.ok();
    let name = names.and_then(|names| names.iter().next().map(|(_, value)| value.to_owned()));
    (Request::from_parts(parts, body), name)
}

/// Forms of other sites can send any body but one of this type.
fn media_type(request: &Request, body: Body) -> Result<(), ApiError> {
    if body == Body::None {
        return Ok(());
    }
    let types = values(request.headers(), &CONTENT_TYPE);
    match types.as_slice() {
        [] if body == Body::Optional && !has_body(request.headers()) => Ok(()),
        [one] if is_json(one) => Ok(()),
        [..] => Err(ApiError::new(
            ErrorCode::UnsupportedMediaType,
            "send JSON, with the header Content-Type: application/json",
        )),
    }
}

fn is_json(value: &[u8]) -> bool {
    let essence = value.split(|&byte| byte == b';').next().unwrap_or_default();
    essence.trim_ascii().eq_ignore_ascii_case(b"application/json")
}

fn has_body(headers: &HeaderMap) -> bool {
    let is_empty = |value: &[u8]| value == b"0";
    headers.contains_key("transfer-encoding") || !values(headers, &CONTENT_LENGTH).into_iter().all(is_empty)
}

fn provenance(request: &Request, access: Access) -> Result<Trust, ApiError> {
    let headers = request.headers();
    let own = request.extensions().get::<Authority>().ok_or_else(ApiError::internal)?;
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD);
    let provenance = Provenance {
        origins: &values(headers, &ORIGIN),
        fetch_sites: &values(headers, &FETCH_SITE),
        acts: !is_safe || headers.contains_key(UPGRADE),
        shows_page: access == Access::Page,
        has_authorization: headers.contains_key(AUTHORIZATION),
        is_guest: request.extensions().get::<Guest>().is_some(),
    };
    Ok(origin::judge(&provenance, own)?)
}

/// What of a request tells who sent it; its body may not be waited with.
struct Shown<'a> {
    headers: &'a HeaderMap,
    own: &'a Authority,
    peer: IpAddr,
}

impl<'a> Shown<'a> {
    fn by(request: &'a Request) -> Result<Self, ApiError> {
        let own = request.extensions().get::<Authority>().ok_or_else(ApiError::internal)?;
        Ok(Self { headers: request.headers(), own, peer: peer(request) })
    }
}

async fn caller(
    app: &App,
    shown: Shown<'_>,
    access: Access,
    trust: Trust,
) -> Result<Option<Caller>, ApiError> {
    let is_open = matches!(access, Access::Page | Access::Public);
    if is_open && trust == Trust::Own {
        return Ok(None);
    }
    let credentials = app.credentials();
    let presented = Presented::in_headers(shown.headers, credentials.cookie_name(shown.own));
    let needs_token = access == Access::Token || trust == Trust::IfToken;
    let caller = match credentials.check(&presented, shown.peer, app.now()).await {
        Err(_) if app.takes_anyone() => Caller::Anyone,
        caller => caller?,
    };
    match caller {
        Caller::Browser(_) | Caller::Anyone if needs_token => Err(CredentialFault::Missing.into()),
        Caller::Browser(_) | Caller::Anyone | Caller::Token => Ok(Some(caller)),
    }
}

/// Connections tell their peer; a request without one can only be counted with all others.
pub(super) fn peer(request: &Request) -> IpAddr {
    request.extensions().get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0)
}

/// Reads the body to its end, so that handlers never wait for a client.
async fn whole_body(app: &App, request: Request, kind: Body) -> Result<Request, ApiError> {
    if kind == Body::None {
        return Ok(request);
    }
    let limits = app.limits();
    let most = if kind == Body::File { limits.file_bytes } else { limits.body_bytes };
    if declared_length(request.headers()).is_some_and(|length| length > most) {
        return Err(too_large(most));
    }
    let (parts, body) = request.into_parts();
    let read = timeout(limits.body_time, axum::body::to_bytes(body, most)).await;
    let late = |_| ApiError::new(ErrorCode::RequestTimeout, "the body did not arrive in time");
    let bytes = read.map_err(late)?.map_err(|error| unreadable(&error, most))?;
    Ok(Request::from_parts(parts, RequestBody::from(bytes)))
}

fn declared_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn unreadable(error: &axum::Error, most: usize) -> ApiError {
    let cause = std::error::Error::source(error);
    if cause.is_some_and(<dyn std::error::Error>::is::<LengthLimitError>) {
        return too_large(most);
    }
    ApiError::new(ErrorCode::InvalidRequest, "the body broke off")
}

fn too_large(most: usize) -> ApiError {
    let problem = format!("the body is larger than this server takes, which is {most} bytes");
    ApiError::new(ErrorCode::BodyTooLarge, problem)
}

fn values<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Vec<&'a [u8]> {
    headers.get_all(name).into_iter().map(axum::http::HeaderValue::as_bytes).collect()
}
