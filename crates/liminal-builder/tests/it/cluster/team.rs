//! Servers with data directories of their own that share a Redis, a project and the agents' own files.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use liminal_builder::clock;
use liminal_builder::http::ServerFile;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::super::client::{Answer, Client};
use super::super::world::wait_until;
use crate::redis_server::{AppendOnly, RedisServer, certificate};
use crate::support::{Running, liminal};

const MARK: &str = "CLUSTER_TEAM";
/// Short, so that a server that is gone is missed soon; long enough for a machine that does other things.
pub(super) const LEASE_MS: u64 = 2_000;

pub(super) struct Team {
    home: tempfile::TempDir,
    mark: String,
    pub(super) redis: RefCell<RedisServer>,
}

pub(super) struct Member {
    child: Running,
    pub(super) client: Client,
}

impl Team {
    pub(super) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("project")).unwrap();
        let redis = RefCell::new(RedisServer::start(AppendOnly::Yes));
        Self { home, mark: clock::new_session_uuid(), redis }
    }

    pub(super) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(super) fn project(&self) -> PathBuf {
        self.home.path().join("project").canonicalize().unwrap()
    }

    pub(super) fn command(&self, name: &str, redis: &str) -> std::process::Command {
        let data = self.home.path().join(name);
        let agent = concat!("claude-code=", env!("CARGO_BIN_EXE_fake-agent"));
        let place = ["serve", "--no-open", "--port", "0", "--data-dir", data.to_str().unwrap()];
        let mut command = liminal(&[&place[..], &["--agent", agent, "--redis", redis]].concat());
        command.stdin(Stdio::null()).env(MARK, &self.mark).env("HOME", self.home.path());
        command.env("CLAUDE_CONFIG_DIR", self.home.path().join("claude")).env("FAKE_AGENT_KEEPS", "yes");
        command.env("FAKE_AGENT_LOG", self.home.path().join("agents.ndjson"));
        command.env("LIMINAL_REDIS_LEASE_MS", LEASE_MS.to_string());
        command.env("LIMINAL_REDIS_PUBLISH_STREAM_B", "true");
        command.env("SSL_CERT_FILE", certificate("certificate.pem"));
        command
    }

    /// A server that does not know the project.
    pub(super) fn stranger(&self, name: &str) -> Member {
        let url = self.redis.borrow().url();
        self.start(name, self.command(name, &url))
    }

    fn start(&self, name: &str, mut command: std::process::Command) -> Member {
        let log =
            File::options().create(true).append(true).open(self.home.path().join(format!("{name}.log")));
        let mut child = Running(command.stderr(log.unwrap()).spawn().unwrap());
        let mut line = String::new();
        BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("Liminal Builder is at"), "{line:?}: {}", self.log());
        let ServerFile { port, token, .. } = ServerFile::read(&self.home.path().join(name)).unwrap();
        Member { child, client: Client::with_token(SocketAddr::from(([127, 0, 0, 1], port)), &token) }
    }

    /// A server that knows it.
    pub(super) fn member(&self, name: &str) -> Member {
        self.introduce(self.stranger(name))
    }

    /// The same for one that browsers find at an address, like all others there.
    pub(super) fn member_at(&self, name: &str, public: &str) -> Member {
        let mut command = self.command(name, &self.redis.borrow().url());
        command.args(["--public-url", public]);
        self.introduce(self.start(name, command))
    }

    fn introduce(&self, member: Member) -> Member {
        let added = member.client.post("/api/projects", &json!({ "path": self.project() }));
        assert!(added.status == 201 || added.code() == "PROJECT_EXISTS", "{added:?}");
        member
    }

    pub(super) fn create(&self, member: &Member) -> String {
        let body = json!({ "cliType": "claude-code", "projectDir": self.project() });
        let created = member.client.post("/api/session/create", &body);
        assert_eq!(created.status, 201, "{created:?}");
        created.json()["sessionId"].as_str().unwrap().to_owned()
    }

    /// What agents were told, in order.
    pub(super) fn prompts(&self) -> Vec<String> {
        let text = fs::read_to_string(self.home.path().join("agents.ndjson")).unwrap_or_default();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter_map(|line| Some(line.get("prompt")?.as_str()?.to_owned())).collect()
    }

    /// Agents that run.
    pub(super) fn agents(&self) -> Vec<u32> {
        let mark = format!("{MARK}={}", self.mark);
        let pids = fs::read_dir("/proc").unwrap();
        let pids = pids.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
        let is_ours = |pid: &u32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            let has_mark = environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes());
            has_mark && !command.is_empty() && !command.contains(" serve ")
        };
        pids.filter(is_ours).collect()
    }

    /// What servers told of themselves.
    pub(super) fn log(&self) -> String {
        let files = fs::read_dir(self.home.path()).unwrap().map(|file| file.unwrap().path());
        let logs = files.filter(|path| path.extension().is_some_and(|ending| ending == "log"));
        logs.map(|path| format!("{}:\n{}", path.display(), fs::read_to_string(&path).unwrap())).collect()
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        for pid in self.agents() {
            let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
            pid.map(|pid| kill_process(pid, Signal::KILL).ok());
        }
        if std::thread::panicking() {
            eprintln!("{}", self.log());
        }
    }
}

impl Member {
    fn pid(&self) -> Pid {
        Pid::from_child(&self.child.0)
    }

    pub(super) fn kill(mut self) {
        self.child.0.kill().unwrap();
        self.child.0.wait().unwrap();
    }

    pub(super) fn stop(mut self) {
        kill_process(self.pid(), Signal::TERM).unwrap();
        assert!(self.child.0.wait().unwrap().success());
    }

    pub(super) fn pause(&self) {
        kill_process(self.pid(), Signal::STOP).unwrap();
    }

    pub(super) fn resume(&self) {
        kill_process(self.pid(), Signal::CONT).unwrap();
    }

    pub(super) fn status(&self, session: &str) -> Value {
        let status = self.client.get(&format!("/api/session/{session}/status"));
        assert_eq!(status.status, 200, "{status:?}");
        status.json()
    }

    pub(super) fn do_to(&self, session: &str, what: &str, body: &Value) -> Answer {
        self.client.post(&format!("/api/session/{session}/{what}"), body)
    }

    /// The sessions of the team's project, as this one lists them.
    pub(super) fn listed(&self, team: &Team) -> Vec<Value> {
        let projects = self.client.get("/api/projects").json();
        let path = team.project().display().to_string();
        let all = projects["projects"].as_array().unwrap();
        let project = all.iter().find(|project| project["path"] == path.as_str()).unwrap();
        let list = format!("/api/session/list?projectId={}", project["id"].as_str().unwrap());
        self.client.get(&list).json()["sessions"].as_array().unwrap().clone()
    }

    /// What is kept of a session, as this one reads it.
    pub(super) fn history(&self, session: &str) -> Value {
        let history = self.client.get(&format!("/api/session/{session}/history?limit=1000"));
        assert_eq!(history.status, 200, "{history:?}");
        history.json()
    }

    /// Sends until it is taken: a server that was just lost is missed after a while.
    pub(super) fn send_until_taken(&self, session: &str, body: &Value) -> Value {
        let mut taken = Value::Null;
        wait_until("the message is taken", || {
            let sent = self.do_to(session, "send", body);
            let is_passing = matches!(sent.status, 503 | 409);
            assert!(sent.status == 202 || is_passing, "{sent:?}");
            taken = sent.json();
            sent.status == 202
        });
        taken
    }
}
