//! A server in this process, and a client that sends exactly the bytes it is told to.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use liminal_builder::agents::{AgentNews, AgentReport};
use liminal_builder::attachments::Attachments;
use liminal_builder::audit::Audit;
use liminal_builder::clock::Clock;
use liminal_builder::http::credentials::{InMemory, ProgramToken};
use liminal_builder::http::{Endpoint, FindAgents, Limits, Options, Reach, Server, ServerFile};
use liminal_builder::log::sqlite::{self, SqliteLog};
use liminal_builder::provider::ProviderRegistry;
use liminal_builder::sessions::{Parts, Sessions, Settings};
use liminal_builder::store::Store;
use liminal_core::wire::access::{BrowserKey, FreshAddress};
use liminal_core::wire::rest::Problem;
use tokio::sync::oneshot;

/// A client that waits longer than this has found a fault.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) struct TestServer {
    pub(super) address: SocketAddr,
    pub(super) file: ServerFile,
    code: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    _data: tempfile::TempDir,
}

pub(super) fn start() -> TestServer {
    TestServer::start(Limits::default(), no_agents())
}

pub(super) fn no_agents() -> FindAgents {
    Arc::new(|_| Box::pin(async { Vec::<AgentReport>::new() }))
}

/// Sessions of a server that knows no agents.
fn sessions(data: &Path) -> Sessions {
    let (log, _) = SqliteLog::open(&data.join("liminal.db"), sqlite::Settings::default()).unwrap();
    let log = Arc::new(log);
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

impl TestServer {
    pub(super) fn start(limits: Limits, find_agents: FindAgents) -> Self {
        Self::reached(limits, find_agents, Reach::default())
    }

    pub(super) fn reached(limits: Limits, find_agents: FindAgents, reach: Reach) -> Self {
        let data = tempfile::tempdir().unwrap();
        let options = Options {
            endpoint: Endpoint::Address(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))),
            reach,
            instance: "test".to_owned(),
            names: Vec::new(),
            limits,
            token: Arc::new(ProgramToken::fleeting()),
            browsers: Arc::new(InMemory::default()),
            sessions: sessions(data.path()),
            audit: Audit::open(data.path(), None, Clock::start()).unwrap(),
            data_directory: data.path().to_owned(),
            find_agents,
            agent_news: AgentNews::new(Arc::default()),
        };
        let (started, server) = std::sync::mpsc::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let server = Server::bind(options).await.unwrap();
                started.send((server.file(), server.fresh_url().await)).unwrap();
                server.run(async { drop(stopped.await) }).await;
            });
        });
        let (file, url) = server.recv().unwrap();
        let code = url.rsplit_once("/#c=").expect(&url).1.to_owned();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, file.port));
        Self { address, file, code, stop: Some(stop), thread: Some(thread), _data: data }
    }

    /// The one-time code of the address it was started with.
    pub(super) fn code(&self) -> &str {
        &self.code
    }

    pub(super) fn token(&self) -> String {
        format!("Bearer {}", self.file.token)
    }

    pub(super) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(super) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A request under the right name and nothing else.
    pub(super) fn call(&self, method: &str, path: &str) -> Call {
        Call::new(self.address, method, path).with("Host", &self.host())
    }

    /// As the page does it, but without credentials.
    pub(super) fn post(&self, path: &str, body: &str) -> Call {
        self.act("POST", path, body)
    }

    /// The same with any method.
    pub(super) fn act(&self, method: &str, path: &str, body: &str) -> Call {
        let call = self.call(method, path).with("Origin", &self.origin());
        call.with("Content-Type", "application/json").body(body)
    }

    /// Lets a browser in.
    pub(super) fn browser(&self) -> Browser {
        let fresh = self.call("POST", "/auth/code").with("Authorization", &self.token()).send();
        assert_eq!(fresh.status, 200, "{fresh:?}");
        let FreshAddress { url } = serde_json::from_str(&fresh.body).unwrap();
        let code = url.rsplit_once("/#c=").unwrap().1;
        Browser::from(&self.post("/auth/exchange", &format!("{{\"code\":\"{code}\"}}")).send())
    }

    pub(super) fn connect(&self) -> TcpStream {
        connect(self.address)
    }

    pub(super) fn is_alive(&self) -> bool {
        self.call("GET", "/healthz").send().status == 200
    }

    /// Asks it to end, and waits.
    pub(super) fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// The two halves of a session.
#[derive(Debug)]
pub(super) struct Browser {
    pub(super) cookie: String,
    pub(super) key: String,
}

impl From<&Answer> for Browser {
    fn from(answer: &Answer) -> Self {
        assert_eq!(answer.status, 200, "{answer:?}");
        let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let BrowserKey { key } = serde_json::from_str(&answer.body).unwrap();
        Self { cookie, key }
    }
}

/// A request to be sent.
#[derive(Debug, Clone)]
pub(super) struct Call {
    address: SocketAddr,
    line: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Call {
    pub(super) fn new(address: SocketAddr, method: &str, path: &str) -> Self {
        let line = format!("{method} {path} HTTP/1.1");
        Self { address, line, headers: Vec::new(), body: String::new() }
    }

    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(found, _)| !found.eq_ignore_ascii_case(name));
        self
    }

    pub(super) fn changed(self, name: &str, value: &str) -> Self {
        self.without(name).with(name, value)
    }

    pub(super) fn browser(self, browser: &Browser) -> Self {
        self.with("Cookie", &browser.cookie).with("X-Liminal-Key", &browser.key)
    }

    pub(super) fn body(mut self, body: &str) -> Self {
        body.clone_into(&mut self.body);
        self
    }

    pub(super) fn send(self) -> Answer {
        let mut text = format!("{}\r\n", self.line);
        for (name, value) in &self.headers {
            text += &format!("{name}: {value}\r\n");
        }
        if !self.body.is_empty() {
            text += &format!("Content-Length: {}\r\n", self.body.len());
        }
        let answer = send(self.address, format!("{text}Connection: close\r\n\r\n{}", self.body).as_bytes());
        answer.unwrap_or_else(|| panic!("no answer to {text}"))
    }
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The status, and the code if it is a problem.
    pub(super) fn verdict(&self) -> (u16, String) {
        if self.header("content-type") != Some("application/problem+json") {
            return (self.status, String::new());
        }
        // A `HEAD` has only headers.
        let problem = serde_json::from_str::<Problem>(&self.body);
        let code = problem.map(|problem| {
            assert_eq!(problem.status, self.status);
            problem.code.as_str().to_owned()
        });
        (self.status, code.unwrap_or_default())
    }
}

/// Sends these bytes and reads until the server hangs up; `None` if it does so without a word.
pub(super) fn send(address: SocketAddr, bytes: &[u8]) -> Option<Answer> {
    let mut stream = connect(address);
    // A server that has heard enough hangs up before all is sent.
    drop(stream.write_all(bytes));
    receive(&mut stream)
}

pub(super) fn receive(stream: &mut TcpStream) -> Option<Answer> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
            panic!("the server does not hang up")
        }
        _ => parse(&String::from_utf8_lossy(&bytes)),
    }
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

fn parse(text: &str) -> Option<Answer> {
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let pair =
        |line: &str| line.split_once(':').map(|(name, value)| (name.to_owned(), value.trim().to_owned()));
    Some(Answer { status, headers: lines.filter_map(pair).collect(), body: body.to_owned() })
}
