//! A machine of its own with the demo agent at full speed, and perhaps a server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use liminal_builder::clock::Clock;
use liminal_builder::http::ServerFile;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Running, liminal};

const PATIENCE: Duration = Duration::from_secs(60);

pub(super) struct World {
    _home: TempDir,
    root: PathBuf,
    server: Option<Running>,
}

/// How a command ended and what it said.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
}

impl Ended {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    pub(super) fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }
}

impl World {
    /// No server runs.
    pub(super) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("project")).unwrap();
        std::fs::write(root.join("config.toml"), "[agents.demo]\nargs = [\"--pace\", \"0\"]\n").unwrap();
        Self { _home: home, root, server: None }
    }

    /// A server runs.
    pub(super) fn served() -> Self {
        Self::new().serve()
    }

    /// A server runs, whose Claude Code does what prompts tell it.
    pub(super) fn with_fake() -> Self {
        let world = Self::new();
        let agent = format!("[agents.claude-code]\ncommand = {:?}\n", env!("CARGO_BIN_EXE_fake-agent"));
        std::fs::write(world.root.join("config.toml"), agent).unwrap();
        world.serve()
    }

    fn serve(self) -> Self {
        let mut world = self;
        let mut child = Running(world.command(&["serve", "--no-open", "--port", "0"]).spawn().unwrap());
        let mut line = String::new();
        BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("Liminal Builder is at "), "{line}");
        world.server = Some(child);
        world
    }

    pub(super) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    pub(super) fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = liminal(arguments);
        command.env("HOME", &self.root).env("LIMINAL_DATA_DIR", self.data());
        command.env("LIMINAL_CONFIG", self.root.join("config.toml")).current_dir(self.project());
        command.env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
        command
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Ended {
        let output = self.command(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// The command lines of agents whose sessions are kept here.
    pub(super) fn agents(&self) -> Vec<String> {
        let data = self.data().display().to_string();
        let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let lines =
            processes.filter_map(|process| std::fs::read_to_string(process.path().join("cmdline")).ok());
        lines.filter(|line| line.contains("demo-agent") && line.contains(&data)).collect()
    }

    /// A new session of the demo agent that has said something.
    pub(super) fn session(&self, prompt: &str) -> String {
        self.session_of("demo", prompt)
    }

    /// The same with another agent.
    pub(super) fn session_of(&self, agent: &str, prompt: &str) -> String {
        let ended = self.run(&["run", "--agent", agent, "--json", prompt]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.lines()[0]["sessionId"].as_str().unwrap().to_owned()
    }

    pub(super) fn file(&self) -> ServerFile {
        ServerFile::read(&self.data()).unwrap()
    }

    /// Asks the server something, with the token.
    pub(super) fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        self.ask_as(method, path, body, &[("Authorization", &format!("Bearer {}", self.file().token))])
    }

    pub(super) fn ask_as(
        &self,
        method: &str,
        path: &str,
        body: &str,
        headers: &[(&str, &str)],
    ) -> (u16, String) {
        let address = SocketAddr::from(([127, 0, 0, 1], self.file().port));
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if headers.iter().all(|(name, _)| *name != "Host") {
            head += &format!("Host: {address}\r\n");
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            head += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        }
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect(&answer);
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    /// Asks until it is so.
    pub(super) fn wait_for<T>(&self, look: impl Fn(&Self) -> Option<T>) -> T {
        let clock = Clock::start();
        loop {
            if let Some(found) = look(self) {
                return found;
            }
            assert!(clock.now().mono < PATIENCE, "it does not come to hold");
            std::thread::yield_now();
        }
    }

    /// The server's end, after which all it keeps is written.
    pub(super) fn stop(&mut self) {
        let mut server = self.server.take().unwrap();
        interrupt(&server.0);
        assert_eq!(server.0.wait().unwrap().code(), Some(0));
    }
}

/// A server that is killed leaves agents that do not end with their input, for its next start to find.
impl Drop for World {
    fn drop(&mut self) {
        if let Some(mut server) = self.server.take() {
            interrupt(&server.0);
            drop(server.0.wait());
        }
    }
}

pub(super) fn interrupt(child: &Child) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
}

pub(super) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}
