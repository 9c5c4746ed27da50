//! A real redis-server for a test, in a directory of its own. It ends with the test, however that ends.
#![allow(dead_code, reason = "the benches take this file too, and each uses a part of it")]

// Named, because the benches take this file by its path.
#[path = "redis_server/proxy.rs"]
pub(crate) mod proxy;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};

use redis::FromRedisValue;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Whether what was acknowledged survives a kill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AppendOnly {
    Yes,
    No,
}

/// How it is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wire {
    Plain,
    /// With the certificate of the fixtures.
    Tls,
}

/// A server on a port that it keeps over restarts.
pub(crate) struct RedisServer {
    directory: TempDir,
    port: u16,
    append_only: AppendOnly,
    wire: Wire,
    child: Option<Running>,
}

/// A child that does not outlive its owner, even if it was stopped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl RedisServer {
    pub(crate) fn start(append_only: AppendOnly) -> Self {
        Self::start_with(append_only, Wire::Plain)
    }

    /// One that is spoken to over TLS alone.
    pub(crate) fn start_with_tls() -> Self {
        Self::start_with(AppendOnly::Yes, Wire::Tls)
    }

    fn start_with(append_only: AppendOnly, wire: Wire) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (port, child) = ports()
            .find_map(|port| Some((port, launch(directory.path(), port, append_only, wire)?)))
            .expect("a port that nobody listens on");
        Self { directory, port, append_only, wire, child: Some(child) }
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        let scheme = if self.wire == Wire::Tls { "rediss" } else { "redis" };
        format!("{scheme}://127.0.0.1:{}/", self.port)
    }

    /// Ends it as a crash does.
    pub(crate) fn kill(&mut self) {
        self.child = None;
    }

    /// Starts it again on the same port, with what its directory holds.
    pub(crate) fn restart(&mut self) {
        self.kill();
        let child = launch(self.directory.path(), self.port, self.append_only, self.wire);
        self.child = Some(child.expect("the port is free again"));
    }

    /// From now on it holds its connections and answers nothing.
    pub(crate) fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    pub(crate) fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    /// Forgets everything, as an operator's mistake does.
    pub(crate) fn flush(&self) {
        let () = self.ask(&["FLUSHALL"]);
    }

    /// Copies another server from now on, until it is promoted. Has a copy of all of it when this returns.
    pub(crate) fn follow(&self, master: &Self) {
        let () = self.ask(&["REPLICAOF", "127.0.0.1", &master.port.to_string()]);
        while !self.info("replication").contains("master_link_status:up") {
            std::thread::yield_now();
        }
        master.wait_for_copies();
    }

    /// Waits until every copy has what was written so far.
    pub(crate) fn wait_for_copies(&self) {
        let copies: i64 = self.ask(&["WAIT", "1", "0"]);
        assert!(copies >= 1, "nobody copies this server");
    }

    /// Stops copying and takes writes, as after a failover.
    pub(crate) fn promote(&self) {
        let () = self.ask(&["REPLICAOF", "NO", "ONE"]);
    }

    /// Asks on a connection of its own.
    pub(crate) fn ask<T: FromRedisValue>(&self, words: &[&str]) -> T {
        let client = redis::Client::open(self.url()).expect("an address");
        let mut connection = client.get_connection().expect("a connection");
        let mut command = redis::Cmd::new();
        command.arg(words);
        command.query(&mut connection).expect("an answer")
    }

    fn info(&self, section: &str) -> String {
        self.ask(&["INFO", section])
    }

    fn signal(&self, signal: Signal) {
        let child = self.child.as_ref().expect("a running server");
        kill_process(Pid::from_child(&child.0), signal).expect("a process of ours");
    }
}

/// The certificate of the fixtures, and what is behind it.
pub(crate) fn certificate(name: &str) -> String {
    format!("{}/tests/fixtures/tls/{name}", env!("CARGO_MANIFEST_DIR"))
}

impl Wire {
    fn arguments(self, port: u16) -> Vec<String> {
        let port = port.to_string();
        match self {
            Self::Plain => ["--port", &port].map(str::to_owned).to_vec(),
            Self::Tls => {
                let (certificate, key) = (certificate("certificate.pem"), certificate("key.pem"));
                let words = ["--port", "0", "--tls-port", &port, "--tls-auth-clients", "no"];
                let files = [
                    "--tls-cert-file",
                    &certificate,
                    "--tls-key-file",
                    &key,
                    "--tls-ca-cert-file",
                    &certificate,
                ];
                words.into_iter().chain(files).map(str::to_owned).collect()
            }
        }
    }
}

/// Below those that the system gives to whoever asks for any, so that the port is still free at a restart.
fn ports() -> impl Iterator<Item = u16> {
    const FIRST: u16 = 18_000;
    const COUNT: u16 = 12_000;
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = (std::process::id() % u32::from(COUNT)) as u16;
    std::iter::repeat_with(move || {
        let step = NEXT.fetch_add(1, Ordering::Relaxed).wrapping_mul(97) % COUNT;
        FIRST + (start + step) % COUNT
    })
    .take(200)
}

/// Starts it and waits until it says that it takes connections. It ends at once if the port is taken.
#[expect(clippy::disallowed_methods, reason = "its owner ends it")]
fn launch(directory: &Path, port: u16, append_only: AppendOnly, wire: Wire) -> Option<Running> {
    let append_only = if append_only == AppendOnly::Yes { "yes" } else { "no" };
    let child = Command::new("redis-server")
        .args(["--bind", "127.0.0.1", "--save", ""])
        .args(wire.arguments(port))
        .args(["--appendonly", append_only, "--appendfsync", "always", "--daemonize", "no"])
        // A copy is wanted at once, not when more might ask for one.
        .args(["--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", "0"])
        .arg("--dir")
        .arg(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("redis-server is installed");
    let mut child = Running(child);
    let mut lines = BufReader::new(child.0.stdout.take()?).lines().map_while(Result::ok);
    lines.find(|line| line.contains("Ready to accept connections"))?;
    // Nobody reads on, so somebody has to: a full pipe would stop it. Ends with the server.
    std::thread::spawn(move || lines.count());
    Some(child)
}

#[test]
fn a_server_is_killed_restarted_and_copied() {
    let mut server = RedisServer::start(AppendOnly::Yes);
    let () = server.ask(&["SET", "a", "1"]);
    let copy = RedisServer::start(AppendOnly::No);
    copy.follow(&server);
    copy.promote();
    server.restart();
    assert_eq!(server.ask::<String>(&["GET", "a"]), "1");
    server.flush();
    assert_eq!(server.ask::<Option<String>>(&["GET", "a"]), None);
    assert_eq!(copy.ask::<String>(&["GET", "a"]), "1");
    let () = copy.ask(&["SET", "a", "2"]);
    server.freeze();
    server.thaw();
    assert_eq!(server.ask::<String>(&["PING"]), "PONG");
}
