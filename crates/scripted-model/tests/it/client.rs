//! A client of few words: it writes one request and keeps every byte of the response.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use scripted_model::{Options, Running, Scenario, ScriptedModel};

pub(crate) async fn start() -> Running {
    ScriptedModel::start(Options::default()).await.unwrap()
}

pub(crate) async fn start_with(scenario: Value) -> Running {
    let scenario = Scenario::from_json(&scenario.to_string()).unwrap();
    ScriptedModel::start(Options { scenario: Some(scenario), ..Options::default() }).await.unwrap()
}

/// Asks for a streamed answer to one prompt.
pub(crate) async fn ask(model: &Running, prompt: &str) -> Response {
    post(model, "/v1/messages?beta=true", &request(&json!([{ "role": "user", "content": prompt }]), true))
        .await
}

/// Asks for an answer in one piece.
pub(crate) async fn ask_whole(model: &Running, prompt: &str) -> Response {
    post(model, "/v1/messages", &request(&json!([{ "role": "user", "content": prompt }]), false)).await
}

pub(crate) fn request(messages: &Value, stream: bool) -> Value {
    json!({ "model": "claude-test", "max_tokens": 100, "stream": stream, "messages": messages })
}

pub(crate) async fn post(model: &Running, path: &str, body: &Value) -> Response {
    send(model, "POST", path, &body.to_string()).await.expect("the server hung up")
}

/// Sends a request and reads until the server closes; nothing at all is `None`.
pub(crate) async fn send(model: &Running, method: &str, path: &str, body: &str) -> Option<Response> {
    let mut bytes = Vec::new();
    open(model, method, path, body).await.read_to_end(&mut bytes).await.unwrap();
    (!bytes.is_empty()).then(|| Response::parse(&bytes))
}

/// Sends a request and leaves the reading to the test.
pub(crate) async fn open(model: &Running, method: &str, path: &str, body: &str) -> TcpStream {
    let address = model.url().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    stream
}

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
    /// Whether the body came to its proper end.
    pub(crate) complete: bool,
}

impl Response {
    fn parse(bytes: &[u8]) -> Self {
        let text = std::str::from_utf8(bytes).unwrap();
        let (head, rest) = text.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.map(|line| line.split_once(": ").unwrap());
        let headers: BTreeMap<_, _> =
            headers.map(|(name, value)| (name.to_lowercase(), value.into())).collect();
        let (body, complete) = if headers.contains_key("transfer-encoding") {
            join_chunks(rest)
        } else {
            let length: Option<usize> =
                headers.get("content-length").map(|length: &String| length.parse().unwrap());
            (rest.into(), length == Some(rest.len()))
        };
        Self { status, headers, body, complete }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The events of the stream; each is checked to be named after its type.
    pub(crate) fn events(&self) -> Vec<Value> {
        let frames = self.body.split_terminator("\n\n");
        let events = frames.map(|frame| {
            let (name, data) = frame.split_once('\n').unwrap();
            let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
            assert_eq!(name, format!("event: {}", data["type"].as_str().unwrap()));
            data
        });
        events.collect()
    }

    /// The data of the stream's frames without names, without the end mark of Chat Completions.
    pub(crate) fn chunks(&self) -> Vec<Value> {
        let frames =
            self.body.split_terminator("\n\n").flat_map(|frames| frames.split_terminator("\r\n\r\n"));
        let data = frames.map(|frame| frame.strip_prefix("data: ").unwrap());
        data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
    }

    pub(crate) fn event_types(&self) -> Vec<String> {
        self.events().iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    }

    /// All text of the stream.
    pub(crate) fn text(&self) -> String {
        self.events().iter().filter_map(|event| event["delta"]["text"].as_str()).collect()
    }
}

fn join_chunks(mut rest: &str) -> (String, bool) {
    let mut body = String::new();
    while let Some((size, tail)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        let Some((chunk, tail)) = tail.split_at_checked(size) else { break };
        body.push_str(chunk);
        rest = tail.strip_prefix("\r\n").unwrap();
    }
    (body, false)
}
