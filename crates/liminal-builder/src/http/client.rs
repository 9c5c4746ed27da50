//! A client of a running server, for the command line. Owns one request and its answer; knows the server only from its
//! file.

mod events;
mod follower;
mod wire;

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderName};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use liminal_core::error::ErrorCode;
use liminal_core::wire::access::FreshAddress;
use liminal_core::wire::rest::Problem;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::server_file::ServerFile;
use events::Events;

pub use follower::Follower;

/// A server that runs takes a connection in a fraction of this.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);
/// An agent that is started first may take a while.
const ANSWER_PATIENCE: Duration = Duration::from_secs(180);
/// Whole conversations fit; what is larger would not fit into memory twice.
const LARGEST_ANSWER: usize = 1 << 30;

/// Why a running server did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// It is not there any more.
    #[error("the server at {url} does not answer; start one with `liminal serve`")]
    Silent {
        /// Where it was.
        url: String,
        /// Why.
        source: io::Error,
    },
    /// It refused.
    #[error("{detail}")]
    Refused {
        /// The word to branch on.
        code: ErrorCode,
        /// Its reason.
        detail: String,
    },
    /// Something else answers there.
    #[error("what answers at {0} is not this server; start it again with `liminal serve`")]
    Foreign(String),
}

impl AskError {
    /// The code of a refusal.
    #[must_use]
    pub const fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Refused { code, .. } => Some(*code),
            Self::Silent { .. } | Self::Foreign(_) => None,
        }
    }
}

/// A client of one server.
#[derive(Clone)]
pub struct Client(ServerFile);

/// An answer whose body is on its way, and the connection that carries it.
struct Answer {
    response: Response<Incoming>,
    _connection: JoinSet<()>,
}

impl Client {
    /// A client of the server that this file tells of.
    #[must_use]
    pub const fn new(server: ServerFile) -> Self {
        Self(server)
    }

    /// Whether the server answers.
    pub async fn greet(&self) -> Result<(), AskError> {
        self.fetch("/healthz").await.map(drop)
    }

    /// The page's address with a new one-time code.
    pub async fn fresh_url(&self) -> Result<String, AskError> {
        Ok(self.post::<FreshAddress>("/auth/code", &()).await?.url)
    }

    /// Ends every browser's session and the token that this client has.
    pub async fn rotate(&self) -> Result<(), AskError> {
        self.whole(Method::POST, "/auth/rotate", Bytes::new()).await.map(drop)
    }

    /// Reads something.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, AskError> {
        self.read(&self.fetch(path).await?)
    }

    /// Reads something as it is.
    pub async fn fetch(&self, path: &str) -> Result<Bytes, AskError> {
        self.whole(Method::GET, path, Bytes::new()).await
    }

    /// Does something.
    pub async fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T, AskError> {
        let foreign = |_| AskError::Foreign(self.0.url.clone());
        let body = serde_json::to_vec(body).map_err(foreign)?;
        // Nothing is sent as nothing, because bodies are objects.
        let body = if body == b"null" { Bytes::new() } else { body.into() };
        self.read(&self.whole(Method::POST, path, body).await?)
    }

    async fn events(&self, path: &str, after: Option<&str>) -> Result<Events, AskError> {
        let Answer { response, _connection } = self.ask(Method::GET, path, Bytes::new(), after).await?;
        Ok(Events::new(response.into_body(), _connection))
    }

    async fn whole(&self, method: Method, path: &str, body: Bytes) -> Result<Bytes, AskError> {
        let answer = self.ask(method, path, body, None).await?;
        self.body(answer).await
    }

    async fn body(&self, answer: Answer) -> Result<Bytes, AskError> {
        let body = Limited::new(answer.response.into_body(), LARGEST_ANSWER).collect().await;
        body.map(http_body_util::Collected::to_bytes).map_err(|error| self.silent(io::Error::other(error)))
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
        after: Option<&str>,
    ) -> Result<Answer, AskError> {
        let answer = timeout(ANSWER_PATIENCE, self.exchange(method, path, body, after)).await;
        let late = |_| io::Error::from(io::ErrorKind::TimedOut);
        let answer = answer.map_err(late).flatten().map_err(|error| self.silent(error))?;
        if answer.response.status().is_success() {
            return Ok(answer);
        }
        let problem: Problem = self.read(&self.body(answer).await?)?;
        let Problem { code, detail, title, .. } = problem;
        Err(AskError::Refused { code, detail: detail.unwrap_or(title) })
    }

    async fn exchange(
        &self,
        method: Method,
        path: &str,
        body: Bytes,
        after: Option<&str>,
    ) -> io::Result<Answer> {
        let (authority, stream) = timeout(CONNECT_PATIENCE, wire::connect(&self.0)).await??;
        let handshake = http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = handshake.map_err(io::Error::other)?;
        let mut driver = JoinSet::new();
        // Whatever ends it is told to whoever waits for the answer.
        driver.spawn(async move { drop(connection.await) });
        let mut request = Request::builder().method(method).uri(path).header(HOST, authority);
        request = request.header(AUTHORIZATION, format!("Bearer {}", self.0.token)).header(ACCEPT, "*/*");
        if !body.is_empty() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        if let Some(after) = after {
            request = request.header(HeaderName::from_static("last-event-id"), after);
        }
        let request = request.body(Full::new(body)).map_err(io::Error::other)?;
        let response = sender.send_request(request).await.map_err(io::Error::other)?;
        Ok(Answer { response, _connection: driver })
    }

    fn read<T: DeserializeOwned>(&self, body: &[u8]) -> Result<T, AskError> {
        serde_json::from_slice(body).map_err(|_| AskError::Foreign(self.0.url.clone()))
    }

    fn silent(&self, source: io::Error) -> AskError {
        AskError::Silent { url: self.0.url.clone(), source }
    }
}

/// Shows no token.
impl std::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Client").field(&self.0.url).finish()
    }
}

/// A text as a part of a path or of a query.
#[must_use]
pub fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:".contains(&byte);
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if is_plain(byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_can_stand_in_an_address() {
        assert_eq!(encoded("demo:a-b_c.d~e"), "demo:a-b_c.d~e");
        assert_eq!(encoded("a/b?c=d e#ä%"), "a%2Fb%3Fc%3Dd%20e%23%C3%A4%25");
    }
}
