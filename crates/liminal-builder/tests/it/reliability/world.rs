//! A machine of its own for a test: a home, a project, and a server that can be started, stopped and killed again.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use liminal_builder::clock;
use liminal_builder::http::ServerFile;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::client::Client;
use super::figures::Stopwatch;
use crate::support::{Running, liminal};

/// Whoever waits longer than this has found a fault.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);
/// Marks every process that stems from a test.
const MARK: &str = "RELIABILITY_WORLD";

pub(super) struct World {
    home: tempfile::TempDir,
    mark: String,
    /// Settings by their variables.
    variables: Vec<(String, String)>,
}

impl World {
    pub(super) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("project")).unwrap();
        Self { home, mark: clock::new_session_uuid(), variables: Vec::new() }
    }

    pub(super) fn with(mut self, variable: &str, value: &str) -> Self {
        self.variables.push((variable.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.home.path().join("project").canonicalize().unwrap()
    }

    /// What the server keeps on disk, without its own log.
    pub(super) fn stored_bytes(&self) -> u64 {
        let files = fs::read_dir(self.data()).unwrap().map(|entry| entry.unwrap());
        let database = files.filter(|file| file.file_name().to_string_lossy().starts_with("liminal.db"));
        database.map(|file| file.metadata().map_or(0, |metadata| metadata.len())).sum()
    }

    pub(super) fn command(&self) -> std::process::Command {
        let data = self.data();
        let agent = concat!("claude-code=", env!("CARGO_BIN_EXE_fake-agent"));
        let arguments =
            ["serve", "--no-open", "--port", "0", "--data-dir", data.to_str().unwrap(), "--agent", agent];
        let mut command = liminal(&arguments);
        command.stdin(Stdio::null()).env(MARK, &self.mark).env("HOME", self.home.path());
        command.env("CLAUDE_CONFIG_DIR", self.home.path().join("claude")).env("FAKE_AGENT_KEEPS", "yes");
        command.env("FAKE_AGENT_LOG", self.journal());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Where the agents note what they were told.
    fn journal(&self) -> PathBuf {
        self.home.path().join("agents.ndjson")
    }

    /// What agents were told, in order.
    pub(super) fn prompts(&self) -> Vec<String> {
        let text = fs::read_to_string(self.journal()).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        lines.filter_map(|line| Some(line.get("prompt")?.as_str()?.to_owned())).collect()
    }

    pub(super) fn start(&self) -> Server {
        self.start_by(self.command())
    }

    /// By another command that runs the server's.
    pub(super) fn start_by(&self, command: std::process::Command) -> Server {
        self.start_seen(command, &self.data())
    }

    /// By a command whose data is seen at this place.
    pub(super) fn start_seen(&self, mut command: std::process::Command, data: &Path) -> Server {
        let begun = Stopwatch::start();
        let log = File::options().create(true).append(true).open(self.home.path().join("server.log"));
        let mut child = Running(command.stderr(log.unwrap()).spawn().unwrap());
        let mut line = String::new();
        BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("Liminal Builder is at"), "{line:?}: {}", self.log());
        let started = begun.elapsed();
        let ServerFile { port, token, .. } = ServerFile::read(data).unwrap();
        let client = Client::with_token(SocketAddr::from(([127, 0, 0, 1], port)), &token);
        Server { child, client, started }
    }

    /// One whose project is known.
    pub(super) fn begin(&self) -> Server {
        self.knowing_project(self.start())
    }

    /// The server, once it knows the project.
    pub(super) fn knowing_project(&self, server: Server) -> Server {
        let project = server.client.post("/api/projects", &json!({ "path": self.project() }));
        assert_eq!(project.status, 201, "{project:?}");
        server
    }

    /// What servers told of themselves.
    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.home.path().join("server.log")).unwrap_or_default()
    }

    pub(super) fn create(&self, client: &Client) -> String {
        let body = json!({ "cliType": "claude-code", "projectDir": self.project() });
        let created = client.post("/api/session/create", &body);
        assert_eq!(created.status, 201, "{created:?}");
        created.json()["sessionId"].as_str().unwrap().to_owned()
    }

    /// Processes that stem from this test, but for its servers.
    pub(super) fn processes(&self) -> Vec<(u32, String)> {
        let mark = format!("{MARK}={}", self.mark);
        let pids =
            fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let ours = pids.filter_map(|pid: u32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
            environment.split(|byte| *byte == 0).find(|variable| *variable == mark.as_bytes())?;
            let command = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            (!command.contains(" serve ")).then_some((pid, command))
        });
        ours.filter(|(_, command)| !command.is_empty()).collect()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for (pid, _) in self.processes() {
            let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
            pid.map(|pid| kill_process(pid, Signal::KILL).ok());
        }
        if std::thread::panicking() {
            eprintln!("{}", self.log());
        }
    }
}

pub(super) struct Server {
    child: Running,
    pub(super) client: Client,
    /// How long it took to be ready.
    pub(super) started: Duration,
}

impl Server {
    pub(super) fn pid(&self) -> Pid {
        Pid::from_child(&self.child.0)
    }

    /// The server's own, if it was started by another command.
    pub(super) fn own_pid(&self, world: &World) -> Pid {
        let pid = ServerFile::read(&world.data()).unwrap().pid;
        Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
    }

    /// Ends it without a chance to do anything.
    pub(super) fn kill(mut self) {
        self.child.0.kill().unwrap();
        self.child.0.wait().unwrap();
    }

    /// Asks it to end.
    pub(super) fn stop(mut self) -> ExitStatus {
        kill_process(self.pid(), Signal::TERM).unwrap();
        self.child.0.wait().unwrap()
    }

    pub(super) fn is_alive(&self) -> bool {
        self.client.get("/healthz").status == 200
    }

    /// Bytes that the server holds in memory.
    pub(super) fn memory(&self) -> u64 {
        self.status("VmRSS:") * 1024
    }

    /// The most it held since [`Self::forget_peak`].
    pub(super) fn peak(&self) -> u64 {
        self.status("VmHWM:") * 1024
    }

    pub(super) fn forget_peak(&self) {
        fs::write(format!("/proc/{}/clear_refs", self.child.0.id()), "5").unwrap();
    }

    pub(super) fn threads(&self) -> u64 {
        self.status("Threads:")
    }

    fn status(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.0.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

/// Tests that load the machine or measure it take turns.
pub(super) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks again and again until something holds.
pub(super) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Stopwatch::start();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "waited too long until {what}");
        std::thread::yield_now();
    }
}
