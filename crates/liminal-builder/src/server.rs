//! The HTTP server. Owns the socket and what every request must pass; today it serves the start page and tells
//! that it is alive.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;

const PAGE: &str = include_str!("../../../web/index.html");
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Why the server could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is not one of this machine alone.
    #[error("{0} can be reached from other machines; listen on 127.0.0.1 or ::1")]
    NotLoopback(IpAddr),
    /// The port is taken, or not ours to take.
    #[error("cannot listen on {address}: {source}; choose another port with --port, or 0 for any free one")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The server broke.
    #[error(transparent)]
    Serve(#[from] io::Error),
}

/// A server that listens and does not yet answer.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Takes the address.
    pub async fn bind(host: IpAddr, port: u16) -> Result<Self, ServeError> {
        if !host.is_loopback() {
            return Err(ServeError::NotLoopback(host));
        }
        let address = SocketAddr::new(host, port);
        let listener =
            TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Where it can be reached.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Answers until `shutdown` comes.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send + 'static) -> Result<(), ServeError> {
        let app = router(self.address);
        axum::serve(self.listener, app).with_graceful_shutdown(shutdown).await?;
        Ok(())
    }
}

fn router(address: SocketAddr) -> Router {
    Router::new()
        .route("/", get(|| async { Html(PAGE) }))
        .route("/healthz", get(|| async { "ok\n" }))
        .layer(middleware::from_fn_with_state(address, guard))
}

/// A page from elsewhere can make a browser send requests here under another name; only our own names are answered.
async fn guard(State(address): State<SocketAddr>, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    let mut response = if host.is_some_and(|host| is_own_name(host, address)) {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, "this server answers only to its own address\n").into_response()
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_SECURITY_POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

fn is_own_name(host: &str, address: SocketAddr) -> bool {
    host == address.to_string() || host == format!("localhost:{}", address.port())
}
