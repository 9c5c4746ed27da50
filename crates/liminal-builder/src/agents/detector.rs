//! What is known of this machine's agents. Owns the one task that runs their programs: at the start, once for each change
//! of their files, and when a person asks. Everybody else reads its last result and never waits for a program.

mod findings;
mod task;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::timeout;

use super::locate::Place;
use super::{AgentReport, Launch, Machine};
use findings::Findings;
use task::{Request, Task};

/// Requests that wait for the task, which answers within milliseconds.
const WAITING: usize = 32;
/// npm has this long to say where its packages are, and then is given up.
const NPM_PATIENCE: Duration = Duration::from_secs(25);

/// Where changes to the agents are announced.
pub type AgentNews = watch::Sender<Arc<[AgentReport]>>;

/// The agents of this machine; clones are the same.
#[derive(Debug, Clone)]
pub struct Detector {
    machine: Arc<Machine>,
    requests: mpsc::Sender<Request>,
    findings: watch::Receiver<Arc<Findings>>,
    reports: AgentNews,
}

/// The running task of a detector. Dropping it kills the programs that it asks.
#[derive(Debug)]
pub struct Detection {
    requests: mpsc::Sender<Request>,
    task: JoinSet<()>,
}

impl Detection {
    /// Ends the task, and the programs that it asks.
    pub async fn close(mut self) {
        self.requests.send(Request::Close).await.ok();
        self.task.join_next().await;
    }
}

impl Detector {
    /// Begins to look at a machine. Nothing is waited for.
    #[must_use]
    pub fn start(machine: Machine) -> (Self, Detection) {
        let machine = Arc::new(machine);
        let (requests, received) = mpsc::channel(WAITING);
        let reports = AgentNews::new(Arc::default());
        let (task, findings) = Task::new(Arc::clone(&machine), received, reports.clone());
        let mut tasks = JoinSet::new();
        tasks.spawn(task.run());
        let detector = Self { machine, requests: requests.clone(), findings, reports };
        (detector, Detection { requests, task: tasks })
    }

    /// The agents as they are now. What is not known of a new file yet is `detecting`.
    pub async fn agents(&self) -> Vec<AgentReport> {
        let (machine, findings) = (Arc::clone(&self.machine), self.findings.borrow().clone());
        let reports = spawn_blocking(move || findings.reports(&machine)).await.unwrap_or_default();
        // A full queue holds a request that does the same.
        self.requests.try_send(Request::Look).ok();
        reports
    }

    /// Has every program asked again, and lists the agents as `agents` does.
    pub async fn refresh(&self) -> Vec<AgentReport> {
        let (begun, begins) = oneshot::channel();
        if self.requests.send(Request::Refresh(begun)).await.is_ok() {
            begins.await.ok();
        }
        self.agents().await
    }

    /// The agents once nothing is `detecting` any more.
    pub async fn settled(&self) -> Vec<AgentReport> {
        let mut findings = self.findings.clone();
        findings.wait_for(|findings| findings.is_settled).await.ok();
        self.agents().await
    }

    /// Where changes to the agents are announced, as `agents` lists them.
    #[must_use]
    pub const fn news(&self) -> &AgentNews {
        &self.reports
    }

    /// What the machine is.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Every agent that is known or configured, in the order in which they are listed.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.machine.names()
    }

    /// How an agent is started now, or why it cannot be; by the same rule as `agents`.
    pub(super) async fn launch(&self, name: &str) -> Result<Launch, String> {
        let mut findings = self.findings.clone();
        // Only Codex may be known to npm alone, and npm is asked once.
        let is_found = |found: &Arc<Findings>| found.place(&self.machine, name) != Place::AtNpm;
        if !is_found(&findings.borrow()) {
            self.requests.try_send(Request::Look).ok();
            timeout(NPM_PATIENCE, findings.wait_for(is_found)).await.ok();
        }
        let report = findings.borrow().report(&self.machine, name);
        match (report.problem, report.launch) {
            (None, Some(launch)) => Ok(launch),
            (Some(problem), _) => Err(problem),
            (None, None) => Err(format!("{name} was not found; npm does not say where its packages are")),
        }
    }

    /// How an agent is started, as far as files tell.
    pub(super) fn known_launch(&self, name: &str) -> Option<Launch> {
        let report = self.findings.borrow().report(&self.machine, name);
        report.launch.filter(|_| report.problem.is_none())
    }

    /// Whether an agent is installed, as far as files tell.
    pub(super) fn is_there(&self, name: &str) -> bool {
        self.known_launch(name).is_some()
    }

    /// Notes what a session showed of an agent's login.
    pub(super) fn note_login(&self, name: &str, is_there: bool) {
        self.requests.try_send(Request::Login { name: name.to_owned(), is_there }).ok();
    }
}
