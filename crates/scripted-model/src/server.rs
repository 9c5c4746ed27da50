//! The server: it listens on loopback, owns every connection, and ends them all.
//!
//! It knows no wire format; the API modules bring their routes.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::conversation::Conversation;
use crate::earlier_answers;
use crate::files;
use crate::identifiers::Identifiers;
use crate::journal::{Journal, RecordedRequest};
use crate::scenario::Scenario;
use crate::script::Script;
use crate::writes::{Writes, WrittenDelta};
use crate::{anthropic, api, chat_completions, gemini, openai, openai_responses};

/// Long histories with images are large; the real API stops at half of this.
const LARGEST_BODY_BYTES: usize = 64 * 1024 * 1024;

/// How to start a scripted model.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where to listen; a loopback address. Port 0 takes a free port.
    pub address: SocketAddr,
    /// What to answer. Without a scenario, directives in the prompt say it.
    pub scenario: Option<Scenario>,
}

impl Default for Options {
    fn default() -> Self {
        Self { address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), scenario: None }
    }
}

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The server checks no keys and must not be reached from elsewhere.
    #[error("{0} is not a loopback address: use 127.0.0.1 or [::1]")]
    NotLoopback(SocketAddr),
    /// The address could not be bound.
    #[error("cannot listen on {address}: choose another port, or 0 for a free one")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

/// The scripted model; [`ScriptedModel::start`] runs it.
#[derive(Debug)]
pub struct ScriptedModel;

impl ScriptedModel {
    /// Listens and serves until the returned handle is shut down or dropped.
    pub async fn start(options: Options) -> Result<Running, StartError> {
        let address = options.address;
        if !address.ip().is_loopback() {
            return Err(StartError::NotLoopback(address));
        }
        let failed = |source| StartError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let shared = Arc::new(Shared::new(options.scenario));
        let (stop, stopped) = oneshot::channel();
        let mut server = JoinSet::new();
        server.spawn(serve(listener, router(Arc::clone(&shared)), stopped));
        Ok(Running { url: format!("http://{address}"), shared, stop, server })
    }
}

/// A running server. Dropping it ends the server and every connection.
#[derive(Debug)]
pub struct Running {
    url: String,
    shared: Arc<Shared>,
    stop: oneshot::Sender<()>,
    server: JoinSet<()>,
}

impl Running {
    /// The base address for clients, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The newest requests, oldest first; at most 1,000.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.journal.requests()
    }

    /// The newest deltas of streamed answers with their times, oldest first; at most 20,000.
    pub fn writes(&self) -> Vec<WrittenDelta> {
        self.shared.writes.deltas()
    }

    /// Ends the server and every connection, and waits until they are gone.
    pub async fn shutdown(mut self) {
        drop(self.stop);
        while self.server.join_next().await.is_some() {}
    }
}

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) script: Script,
    pub(crate) journal: Journal,
    pub(crate) writes: Writes,
    pub(crate) identifiers: Identifiers,
}

impl Shared {
    fn new(scenario: Option<Scenario>) -> Self {
        Self {
            script: Script::new(scenario),
            journal: Journal::default(),
            writes: Writes::default(),
            identifiers: Identifiers::default(),
        }
    }

    pub(crate) fn record(&self, method: &Method, uri: &Uri, body: &[u8], about: Option<&Conversation>) {
        let about = about.cloned().unwrap_or_default();
        self.journal.record(RecordedRequest {
            method: method.to_string(),
            path: uri.to_string(),
            model: about.model,
            stream: about.stream,
            prompt: about.prompt,
            errand: about.errand.is_some(),
            body_bytes: body.len(),
            files: files::in_body(body),
            earlier_answers: earlier_answers::in_body(body),
        });
    }
}

/// Marks a response that must not be sent: the connection closes instead.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the script hangs up here")]
pub(crate) struct HangUp;

impl HangUp {
    pub(crate) fn response() -> Response {
        let mut response = StatusCode::OK.into_response();
        response.extensions_mut().insert(Self);
        response
    }
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(alive))
        .merge(anthropic::routes())
        .merge(openai_responses::routes())
        .merge(chat_completions::routes())
        .merge(gemini::routes())
        .merge(openai::models::<openai_responses::Request>())
        .fallback(api::unknown_route::<anthropic::Request>)
        .layer(DefaultBodyLimit::max(LARGEST_BODY_BYTES))
        .with_state(shared)
}

/// Claude Code opens its connection with `HEAD /` before it has a request.
async fn alive(State(shared): State<Arc<Shared>>, method: Method, uri: Uri) {
    shared.record(&method, &uri, &[], None);
}

async fn serve(listener: TcpListener, router: Router, mut stopped: oneshot::Receiver<()>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = &mut stopped => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => { connections.spawn(serve_connection(stream, router.clone())); }
                // Out of file handles: a connection that ends gives one back.
                Err(_) => { connections.join_next().await; }
            },
        }
    }
    connections.shutdown().await;
}

async fn serve_connection(stream: TcpStream, router: Router) {
    // Whatever fails here and below ends this connection only, and the script may have wanted it.
    stream.set_nodelay(true).ok();
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |request: Request<Incoming>| {
        let response = router.call(request);
        async { unless_hung_up(response.await.into_response()) }
    });
    http1::Builder::new().serve_connection(TokioIo::new(stream), service).await.ok();
}

fn unless_hung_up(response: Response) -> Result<Response, HangUp> {
    if response.extensions().get::<HangUp>().is_some() {
        return Err(HangUp);
    }
    Ok(response)
}
