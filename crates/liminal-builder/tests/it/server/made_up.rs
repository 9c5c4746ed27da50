//! Requests that nobody would think of, made up from the server's own description and sent to the whole running
//! product: nothing of it may be a fault of the server, and every answer is one that the description tells.

use std::collections::{BTreeMap, BTreeSet};

use liminal_core::ids::SessionId;
use liminal_core::upsert::{Upsert, UpsertBody};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::attachments::{WORDS, attach};
use super::client::Client;
use super::machine::{Machine, Server};
use crate::chat::PATIENCE;
use crate::http::schemas::{Request, Response, cases, check};

const SEED: u64 = 20_260_301;
/// To each operation: over ten thousand in all.
const REQUESTS: usize = 190;
/// That wait in a queue, so that some are left after others were removed.
const MESSAGES: usize = 12;
/// What a server does not read to its end.
const LARGE: usize = 1 << 20;
/// They answer with what no request of this kind can bring about: a socket, a code of somebody else's address, files
/// that only a built page has, what the demo agent cannot do.
const NEVER_GOOD: [&str; 7] = [
    "/ws",
    "/auth/exchange",
    "/assets/{file}",
    "/favicon.svg",
    "/theme.js",
    "/api/session/{id}/fork",
    "/api/session/{id}/queue/{queued}/steer",
];

/// An answer as it came.
struct Raw {
    status: u16,
    content_type: Option<String>,
    body: Vec<u8>,
}

#[tokio::test]
async fn c44_no_request_that_can_be_made_up_finds_a_fault() {
    let machine = Machine::new();
    let server = machine.start().await;
    let document: Value = server.get("/openapi.json").await.read(200);
    let known = known(&machine, &server).await;
    let known: Vec<(&str, &str)> = known.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut tally = Tally::default();
    let mut client = Client::clone(&server);
    for request in cases(&document, &known, SEED, REQUESTS) {
        let answer = send(&client, &request).await;
        tally.note(&document, &request, answer.as_ref());
        if request.operation.0 == "/auth/rotate" {
            client.token = machine.token();
        }
    }
    tally.judge(&document, &machine);
    let meta = client.get("/api/meta").await;
    assert_eq!(meta.status, 200, "the server goes on: {meta:?}");
    server.stop().await;
}

/// What came of it.
#[derive(Default)]
struct Tally {
    faults: Vec<String>,
    statuses: BTreeMap<u16, usize>,
    /// Operations that went well at least once.
    good: BTreeSet<(String, String)>,
    unanswered: usize,
    /// How the operations failed that were asked well or badly.
    codes: BTreeMap<(String, String), BTreeMap<String, usize>>,
}

impl Tally {
    fn note(&mut self, document: &Value, request: &Request, answer: Option<&Raw>) {
        let Some(Raw { status, content_type, body }) = answer else {
            self.unanswered += 1;
            // Whoever hangs up while more is coming may be faster than its own last words.
            if request.body.as_ref().is_none_or(|body| body.len() < LARGE) {
                self.faults.push(format!("{} {}: no answer", request.method, request.path));
            }
            return;
        };
        *self.statuses.entry(*status).or_default() += 1;
        if *status < 300 && !request.strays {
            self.good.insert(request.operation.clone());
        }
        let codes = self.codes.entry(request.operation.clone()).or_default();
        *codes.entry(told(*status, body)).or_default() += 1;
        let response = Response { status: *status, content_type: content_type.as_deref(), body };
        if let Err(fault) = check(document, request, &response) {
            let said = request.body.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
            let said: String = said.chars().take(300).collect();
            self.faults.push(format!("{} {} {said}: {fault}", request.method, request.path));
        }
    }

    fn judge(&self, document: &Value, machine: &Machine) {
        let Self { faults, statuses, good, unanswered, codes } = self;
        eprintln!("C44: {} requests, {statuses:?}, {unanswered} cut off", statuses.values().sum::<usize>());
        let shown = faults.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
        assert!(faults.is_empty(), "{} faults:\n{shown}\n{}", faults.len(), machine.errors());
        let paths = document["paths"].as_object().unwrap().iter();
        let all = paths
            .flat_map(|(path, methods)| methods.as_object().unwrap().keys().map(move |verb| (path, verb)));
        let never: Vec<_> = all
            .filter(|(path, _)| !NEVER_GOOD.contains(&path.as_str()))
            .map(|(path, verb)| (path.clone(), verb.clone()))
            .filter(|operation| !good.contains(operation))
            .map(|operation| (codes.get(&operation), operation))
            .collect();
        assert!(
            never.is_empty(),
            "no request went well to {never:?}; what is known of the server is too little"
        );
    }
}

/// What an answer tells, in short.
fn told(status: u16, body: &[u8]) -> String {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let detail: String = body["detail"].as_str().unwrap_or_default().chars().take(60).collect();
    format!("{status} {} {detail}", body["code"].as_str().unwrap_or_default())
}

/// Values that mean something to this server, by the names under which they are sent.
async fn known(machine: &Machine, server: &Server) -> Vec<(&'static str, String)> {
    let project = server.projects().await.remove(0).id;
    let (talked, asking, busy) =
        (server.create("demo").await, server.create("demo").await, server.create("demo").await);
    server.turn(&talked, "/run").await;
    server.send(&asking, "/permission").await;
    server.send(&busy, "/hang").await;
    let mut queued = Vec::new();
    for number in 0..MESSAGES {
        queued.push(server.queue(&busy, &format!("and then {number}")).await);
    }
    let approval = server.question(&asking).await;
    // No made-up answer settles a question, so that its input stays there to be read.
    let questioning = server.create("demo").await;
    server.send(&questioning, "/question").await;
    server.until(&questioning, |status| !status.view.pending.is_empty()).await;
    let question =
        server.approvals().await.into_iter().find(|asked| asked.session_id == questioning).unwrap();
    let page = server.history(&talked).await;
    let item = page.entries.iter().find(has_output).unwrap().item_id.to_string();
    let mut known = vec![
        ("id", project.to_string()),
        ("id", approval.id),
        ("id", question.id),
        ("projectId", project.to_string()),
        ("item", item),
        ("cliType", "demo".to_owned()),
        ("path", machine.project.display().to_string()),
        ("path", machine.directory("another").display().to_string()),
        ("projectDir", machine.project.display().to_string()),
        ("optionId", "allow-once".to_owned()),
        ("message", "hello".to_owned()),
        ("message", "/permission".to_owned()),
        ("title", "something else".to_owned()),
        ("q", "hello".to_owned()),
        ("after", format!("{}.{}", page.epoch, page.seq)),
        ("Last-Event-ID", format!("{}.1", page.epoch)),
        ("Range", "bytes=1-4".to_owned()),
        ("format", "md".to_owned()),
        ("session", talked.to_string()),
        ("name", "notes.txt".to_owned()),
        ("mimeType", "text/plain".to_owned()),
        ("data", WORDS.to_owned()),
    ];
    known.extend(files(server, &talked).await.into_iter().map(|id| ("file", id)));
    known.extend(queued.into_iter().map(|id| ("queued", id)));
    known.extend(twice(&[&talked, &asking, &busy]));
    known
}

/// So many that some are left after others were removed.
async fn files(server: &Server, session: &SessionId) -> Vec<String> {
    let mut files = Vec::new();
    for number in 0..MESSAGES {
        let file = attach(server, session, &format!("{number}.txt"), "text/plain", WORDS).await;
        files.push(file.id.unwrap().to_string());
    }
    files
}

/// Sessions are asked for under two names, and more often than anything else.
fn twice(sessions: &[&SessionId]) -> Vec<(&'static str, String)> {
    sessions.iter().flat_map(|id| [("id", id.to_string()), ("sessionId", id.to_string())]).collect()
}

fn has_output(item: &&Upsert) -> bool {
    matches!(&item.body, UpsertBody::ToolCall(call) if call.tool_output.as_ref().is_some_and(|text| text.len() > 10))
}

/// Sends a request; `None` if the server hangs up without a word.
async fn send(client: &Client, request: &Request) -> Option<Raw> {
    let mut head = format!("{} {} HTTP/1.1\r\nHost: {}\r\n", request.method, request.path, client.address);
    head += &format!("Authorization: Bearer {}\r\nConnection: close\r\n", client.token);
    for (name, value) in &request.headers {
        head += &format!("{name}: {value}\r\n");
    }
    if let Some(body) = &request.body {
        head += &format!("Content-Length: {}\r\n", body.len());
    }
    let bytes = [head.as_bytes(), b"\r\n", request.body.as_deref().unwrap_or_default()].concat();
    let (mut reading, mut writing) = TcpStream::connect(client.address).await.unwrap().into_split();
    let sent = async {
        // A server that has heard enough hangs up before all is sent.
        writing.write_all(&bytes).await.ok();
        std::future::pending::<()>().await;
    };
    let answer = async {
        tokio::select! {
            () = sent => unreachable!("it waits for the answer"),
            answer = receive(&mut reading, request.streams) => answer,
        }
    };
    let what = || format!("no end of the answer to {} {}", request.method, request.path);
    timeout(PATIENCE, answer).await.unwrap_or_else(|_| panic!("{}", what()))
}

/// Reads to the end, or to the end of the head of a stream.
async fn receive(reading: &mut (impl AsyncReadExt + Unpin), streams: bool) -> Option<Raw> {
    let mut bytes = Vec::new();
    // A connection that is reset ends here, too.
    while reading.read_buf(&mut bytes).await.is_ok_and(|count| count > 0) {
        let head = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        if streams && head.is_some() && bytes.starts_with(b"HTTP/1.1 200") {
            break;
        }
    }
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Option<Raw> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let header = |name: &str| {
        let mut pairs = head.lines().filter_map(|line| line.split_once(": "));
        pairs.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    };
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let body = &bytes[end + 4..];
    let is_chunked = header("transfer-encoding").as_deref() == Some("chunked");
    let body = if is_chunked { joined(body) } else { body.to_vec() };
    Some(Raw { status, content_type: header("content-type"), body })
}

/// The chunks of a body, without their lengths.
fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = chunks.windows(2).position(|two| two == b"\r\n") {
        let length =
            std::str::from_utf8(&chunks[..end]).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
        let Some(length) = length.filter(|length| *length > 0) else { break };
        body.extend_from_slice(&chunks[end + 2..(end + 2 + length).min(chunks.len())]);
        chunks = chunks.get(end + length + 4..).unwrap_or_default();
    }
    body
}
