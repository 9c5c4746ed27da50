//! Any bytes as what a browser sends over its socket, to a running server: whatever they are, they are answered or the
//! socket is closed with a code, nothing that is said is the server's own fault, and the server goes on.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use liminal_builder::agents::AgentNews;
use liminal_builder::attachments::Attachments;
use liminal_builder::audit::Audit;
use liminal_builder::clock::Clock;
use liminal_builder::http::credentials::{InMemory, ProgramToken};
use liminal_builder::http::{Endpoint, Limits, Options, Reach, Server as HttpServer};
use liminal_builder::log::sqlite::{self, SqliteLog};
use liminal_builder::provider::ProviderRegistry;
use liminal_builder::sessions::{Parts, Sessions, Settings};
use liminal_builder::store::Store;
use liminal_core::wire::ServerMessage;

/// Whoever waits longer has found a fault.
const PATIENCE: Duration = Duration::from_secs(10);
/// More in a second are refused.
const MOST_FRAMES: usize = 40;
/// Asked behind everything else, and answered at once.
const LAST: &[u8] = br#"{"type":"session:unsubscribe","sessionId":"a:b","requestId":"last"}"#;
/// Why a socket is closed on which whole messages came: no text, too many, too large.
const CODES: [u16; 3] = [1007, 1008, 1009];

/// A server without agents, for as long as the process lives.
pub(crate) struct Server {
    address: SocketAddr,
    handshake: String,
    _data: tempfile::TempDir,
}

impl Server {
    pub(crate) fn start() -> Self {
        let data = tempfile::tempdir().expect("a directory for data");
        let options = options(data.path());
        let (started, file) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let server = HttpServer::bind(options).await.expect("a free port");
                started.send(server.file()).expect("somebody waits");
                server.run(std::future::pending()).await;
            });
        });
        let file = file.recv().expect("the server starts");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, file.port));
        let handshake = format!(
            "GET /ws HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nConnection: Upgrade\r\nUpgrade: \
             websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            file.token
        );
        Self { address, handshake, _data: data }
    }

    /// If the first byte is zero, the others are the bytes of the socket; if not, all are lines, each of them a message.
    pub(crate) fn check(&self, bytes: &[u8]) {
        let (sent, is_whole) = match bytes.split_first() {
            Some((0, raw)) => (raw.to_vec(), false),
            _ => (bytes.split(|byte| *byte == b'\n').take(MOST_FRAMES).flat_map(text_frame).collect(), true),
        };
        let heard = self.heard(&sent);
        let mut rest = without_handshake(&heard);
        let mut told = Vec::new();
        while let Some(frame) = Frame::first_of(&mut rest) {
            told.push(frame.meaning());
        }
        let is_right = |meaning: &Meaning| match meaning {
            Meaning::LastAnswered => true,
            Meaning::Closed(code) => CODES.contains(code),
            Meaning::Other => false,
        };
        assert!(
            !is_whole || told.iter().any(is_right),
            "neither answered nor closed with a reason: {told:?}"
        );
    }

    /// All that the server says until it hangs up.
    fn heard(&self, sent: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time is set");
        stream.write_all(self.handshake.as_bytes()).expect("it is taken");
        let mut heard = vec![0; 1024];
        let count = stream.read(&mut heard).expect("the handshake is answered");
        heard.truncate(count);
        // It may hang up before all is sent.
        drop(stream.write_all(&[sent, &text_frame(LAST)].concat()));
        drop(stream.shutdown(Shutdown::Write));
        if let Err(error) = stream.read_to_end(&mut heard) {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "it does not hang up");
        }
        heard
    }
}

fn options(data: &Path) -> Options {
    Options {
        endpoint: Endpoint::Address(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))),
        reach: Reach::default(),
        instance: "fuzzed".to_owned(),
        names: Vec::new(),
        limits: Limits::default(),
        token: Arc::new(ProgramToken::fleeting()),
        browsers: Arc::new(InMemory::default()),
        sessions: sessions(data),
        audit: Audit::open(data, None, Clock::start()).expect("an audit log"),
        data_directory: data.to_owned(),
        find_agents: Arc::new(|_| Box::pin(async { Vec::new() })),
        agent_news: AgentNews::new(Arc::default()),
    }
}

fn sessions(data: &Path) -> Sessions {
    let opened = SqliteLog::open(&data.join("liminal.db"), sqlite::Settings::default());
    let log = Arc::new(opened.expect("a database").0);
    Sessions::new(Parts {
        database: Arc::clone(&log),
        log: Arc::clone(&log) as _,
        events: Arc::clone(&log) as _,
        stream_b: None,
        store: Store::new(log),
        attachments: Attachments::kept_in(data),
        cluster: None,
        audit: None,
        providers: ProviderRegistry::default(),
        settings: Settings::default(),
    })
}

fn without_handshake(heard: &[u8]) -> &[u8] {
    let end = heard.windows(4).position(|window| window == b"\r\n\r\n").expect("the handshake was answered");
    assert!(heard.starts_with(b"HTTP/1.1 101"));
    &heard[end + 4..]
}

/// A whole message in one frame, with a mask that changes nothing.
fn text_frame(payload: &[u8]) -> Vec<u8> {
    let length = payload.len();
    let mut frame = vec![0x81];
    match u16::try_from(length) {
        Ok(short) if short < 126 => frame.push(0x80 | short.to_be_bytes()[1]),
        Ok(short) => {
            frame.push(0x80 | 126);
            frame.extend(short.to_be_bytes());
        }
        Err(_) => {
            frame.push(0x80 | 127);
            frame.extend((length as u64).to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend_from_slice(payload);
    frame
}

/// A frame of the server's. None of those that are heard here is long.
struct Frame<'a> {
    kind: u8,
    payload: &'a [u8],
}

#[derive(Debug)]
enum Meaning {
    LastAnswered,
    Closed(u16),
    Other,
}

impl<'a> Frame<'a> {
    fn first_of(bytes: &mut &'a [u8]) -> Option<Self> {
        let (head, rest) = bytes.split_first_chunk::<2>()?;
        let (length, rest) = match head[1] {
            126 => rest
                .split_first_chunk::<2>()
                .map(|(length, rest)| (u16::from_be_bytes(*length).into(), rest))?,
            short => (usize::from(short), rest),
        };
        assert_eq!(head[0] & 0xf0, 0x80, "one frame a message");
        let (payload, rest) = rest.split_at_checked(length)?;
        *bytes = rest;
        Some(Self { kind: head[0] & 0x0f, payload })
    }

    fn meaning(&self) -> Meaning {
        match self.kind {
            0x1 => self.message(),
            0x8 => Meaning::Closed(
                self.payload.first_chunk::<2>().map_or(1000, |code| u16::from_be_bytes(*code)),
            ),
            _ => Meaning::Other,
        }
    }

    fn message(&self) -> Meaning {
        let message: ServerMessage = serde_json::from_slice(self.payload).expect("a message of the protocol");
        match message {
            ServerMessage::Error { problem, .. } => {
                assert!((400..500).contains(&problem.status), "{problem:?}");
                Meaning::Other
            }
            ServerMessage::Ok { request_id, .. } if request_id == "last" => Meaning::LastAnswered,
            _ => Meaning::Other,
        }
    }
}
