//! The task that asks programs. Owns when: each at most once per change of its file, few at a time.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::timeout;

use super::super::Machine;
use super::super::login::{self, Login};
use super::super::npm::NpmRoot;
use super::super::probe::{self, Verdict};
use super::AgentNews;
use super::findings::{Asking, Findings};

/// How often files are looked at while somebody follows; a look takes about a millisecond.
const EVERY: Duration = Duration::from_secs(3);
/// Programs that are asked at once: on two cores more of them would keep the page waiting.
const AT_ONCE: usize = 2;

/// What the task is asked to do.
#[derive(Debug)]
pub(super) enum Request {
    /// Look for files that have changed.
    Look,
    /// Ask every program again; answered when the reports say so.
    Refresh(oneshot::Sender<()>),
    /// A session has shown whether an agent is logged in.
    Login { name: String, is_there: bool },
    /// End.
    Close,
}

/// What a program said.
#[derive(Debug)]
enum Answer {
    Npm(NpmRoot),
    Version(String, Verdict),
    Login(String, Login),
}

#[derive(Debug)]
pub(super) struct Task {
    machine: Arc<Machine>,
    requests: mpsc::Receiver<Request>,
    findings: Findings,
    shown: watch::Sender<Arc<Findings>>,
    reports: AgentNews,
    running: JoinSet<Answer>,
    /// What is being asked.
    asked: BTreeSet<String>,
}

impl Task {
    pub(super) fn new(
        machine: Arc<Machine>,
        requests: mpsc::Receiver<Request>,
        reports: AgentNews,
    ) -> (Self, watch::Receiver<Arc<Findings>>) {
        let findings = Findings::default();
        let (shown, shows) = watch::channel(Arc::new(findings.clone()));
        let (running, asked) = (JoinSet::new(), BTreeSet::new());
        (Self { machine, requests, findings, shown, reports, running, asked }, shows)
    }

    pub(super) async fn run(mut self) {
        loop {
            self.look().await;
            let request = tokio::select! {
                Some(answer) = self.running.join_next() => {
                    self.take(answer.ok());
                    continue;
                }
                request = timeout(EVERY, self.requests.recv()) => request,
            };
            match request {
                Ok(Some(Request::Close) | None) => break,
                Ok(Some(request)) => self.serve(request),
                Err(_) if self.is_followed() => {}
                Err(_) => self.rest().await,
            }
        }
        self.running.shutdown().await;
    }

    /// Whether a page is open, or an answer is awaited.
    fn is_followed(&self) -> bool {
        self.reports.receiver_count() > 0 || !self.running.is_empty()
    }

    /// Waits until somebody asks for something.
    async fn rest(&mut self) {
        match self.requests.recv().await {
            Some(Request::Close) | None => self.requests.close(),
            Some(request) => self.serve(request),
        }
    }

    fn serve(&mut self, request: Request) {
        match request {
            Request::Look | Request::Close => {}
            Request::Refresh(begun) => {
                self.findings.age();
                self.show_findings();
                // The client may have disconnected.
                begun.send(()).ok();
            }
            Request::Login { name, is_there } => {
                let machine = Arc::clone(&self.machine);
                self.findings.show_login(&machine, &name, is_there);
            }
        }
    }

    fn take(&mut self, answer: Option<Answer>) {
        match answer {
            Some(Answer::Npm(root)) => {
                self.asked.remove(&key(&Asking::Npm));
                self.findings.npm = Some(root);
            }
            Some(Answer::Version(name, verdict)) => {
                self.asked.remove(&key(&Asking::Version(name.clone(), verdict.program.clone())));
                self.findings.verdicts.insert(name, verdict);
            }
            Some(Answer::Login(name, login)) => {
                self.asked.remove(&format!("login {name}"));
                self.findings.logins.insert(name, login);
            }
            // A probe panicked, and which one is not known: nothing may stay `detecting` because of it.
            None => self.asked.clear(),
        }
    }

    /// Begins to ask what is not known of the files of now, and shows what is.
    async fn look(&mut self) {
        let (machine, findings) = (Arc::clone(&self.machine), self.findings.clone());
        let look = move || (findings.open_questions(&machine), findings.reports(&machine));
        let Ok((questions, reports)) = spawn_blocking(look).await else { return };
        self.findings.is_settled = questions.is_empty() && self.running.is_empty();
        for question in questions {
            if self.running.len() < AT_ONCE && self.asked.insert(key(&question)) {
                self.running.spawn(ask(Arc::clone(&self.machine), question));
            }
        }
        self.show_findings();
        self.reports.send_if_modified(|shown| {
            let is_new = **shown != *reports;
            if is_new {
                *shown = reports.into();
            }
            is_new
        });
    }

    fn show_findings(&self) {
        self.shown.send_replace(Arc::new(self.findings.clone()));
    }
}

fn key(asking: &Asking) -> String {
    match asking {
        Asking::Npm => "npm".to_owned(),
        Asking::Version(name, _) => format!("version {name}"),
        Asking::Login(name, _) => format!("login {name}"),
    }
}

async fn ask(machine: Arc<Machine>, asking: Asking) -> Answer {
    match asking {
        Asking::Npm => Answer::Npm(NpmRoot::ask(&machine.environment).await),
        Asking::Version(name, program) => {
            let verdict = probe::probe(&machine, &name, program).await;
            Answer::Version(name, verdict)
        }
        Asking::Login(name, program) => {
            let login = login::ask(&machine, &name, program).await;
            Answer::Login(name, login)
        }
    }
}
