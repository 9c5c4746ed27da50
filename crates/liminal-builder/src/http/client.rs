//! A client of a running server, for the command line. Owns one request and its answer; knows the server only from its
//! file.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use liminal_core::wire::access::FreshAddress;
use liminal_core::wire::rest::Problem;
use serde::de::DeserializeOwned;

use super::server_file::ServerFile;

/// A server that runs answers in a fraction of this.
const PATIENCE: Duration = Duration::from_secs(5);
/// Answers to the command line are short.
const LONGEST_ANSWER: u64 = 64 * 1024;

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
    #[error("the server refused with status {status}: {detail}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// Its reason.
        detail: String,
    },
    /// Something else answers there.
    #[error("what answers at {0} is not this server; start it again with `liminal serve`")]
    Foreign(String),
}

/// The page's address with a new one-time code.
pub fn fresh_url(server: &ServerFile) -> Result<String, AskError> {
    let body = post(server, "/auth/code")?;
    Ok(read::<FreshAddress>(server, &body)?.url)
}

/// Ends every browser's session.
pub fn rotate(server: &ServerFile) -> Result<(), AskError> {
    post(server, "/auth/rotate").map(drop)
}

fn post(server: &ServerFile, path: &str) -> Result<String, AskError> {
    let silent = |source| AskError::Silent { url: server.url.clone(), source };
    let answer = exchange(server, path).map_err(silent)?;
    let foreign = || AskError::Foreign(server.url.clone());
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(foreign)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(foreign)?;
    if (200..300).contains(&status) {
        return Ok(body.to_owned());
    }
    let detail = read::<Problem>(server, body)?.detail.unwrap_or_default();
    Err(AskError::Refused { status, detail })
}

fn exchange(server: &ServerFile, path: &str) -> io::Result<String> {
    let authority = server.url.strip_prefix("http://").unwrap_or(&server.url);
    let mut stream = TcpStream::connect(authority)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let token = &server.token;
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: {authority}\r\nAuthorization: Bearer {token}\r\n\
         Content-Length: 0\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.take(LONGEST_ANSWER).read_to_string(&mut answer)?;
    Ok(answer)
}

fn read<T: DeserializeOwned>(server: &ServerFile, body: &str) -> Result<T, AskError> {
    serde_json::from_str(body).map_err(|_| AskError::Foreign(server.url.clone()))
}
