//! A server that answers byte for byte what a test wants, and keeps what it was asked.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// What is written in answer to one request, piece by piece; then the connection is closed.
pub(super) type Answer = Vec<Vec<u8>>;

pub(super) struct RawServer {
    pub(super) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    _task: JoinSet<()>,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) head: String,
    pub(super) body: serde_json::Value,
}

impl RawServer {
    /// Gives these answers, one to each request, and the last one for ever.
    pub(super) async fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let mut task = JoinSet::new();
        task.spawn(serve(listener, answers, Arc::clone(&asked)));
        Self { url, asked, _task: task }
    }

    pub(super) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

async fn serve(listener: TcpListener, answers: Vec<Answer>, asked: Arc<Mutex<Vec<Asked>>>) {
    for number in 0.. {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let Some(request) = read(&mut stream).await else { continue };
        asked.lock().unwrap().push(request);
        let answer = answers.get(number).or(answers.last()).unwrap();
        for piece in answer {
            // Whoever asked may have heard enough.
            if stream.write_all(piece).await.is_err() || stream.flush().await.is_err() {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .to_lowercase()
                .lines()
                .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Some(Asked { head: head.to_lowercase(), body: serde_json::from_str(body).unwrap() });
            }
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
}

pub(super) fn head(status: &str, headers: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nconnection: close\r\n{headers}\r\n").into_bytes()
}

/// A stream of these bytes, which ends with the connection.
pub(super) fn stream(bytes: &[u8]) -> Answer {
    vec![head("200 OK", "content-type: text/event-stream\r\n"), bytes.to_owned()]
}

/// Something that is no stream.
pub(super) fn plain(status: &str, headers: &str, body: &str) -> Answer {
    vec![head(status, headers), body.as_bytes().to_owned()]
}
