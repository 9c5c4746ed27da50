//! A client of the API: one connection per request, answers as the types of the wire.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use liminal_core::ids::{SessionId, TurnId};
use liminal_core::wire::approvals::{Approval, ApprovalList};
use liminal_core::wire::projects::Project;
use liminal_core::wire::rest::{
    HistoryPage, MessageAccepted, Problem, SessionList, SessionOpened, SessionStatus, SessionSummary,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{interval, timeout};

use super::events::Events;
use super::socket::Socket;
use crate::chat::PATIENCE;

/// Between two looks at something that comes by itself.
const LOOK: Duration = Duration::from_millis(20);

#[derive(Clone)]
pub(super) struct Client {
    pub(super) address: SocketAddr,
    pub(super) token: String,
    pub(super) project: PathBuf,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    head: String,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let pairs = self.head.lines().filter_map(|line| line.split_once(": "));
        pairs.into_iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// What a request that went well was answered with.
    pub(super) fn read<T: DeserializeOwned>(&self, status: u16) -> T {
        assert_eq!(self.status, status, "{self:?}");
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The status, and the code of a problem.
    pub(super) fn problem(&self) -> (u16, String) {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let problem: Problem = self.read(self.status);
        assert_eq!(problem.status, self.status, "{self:?}");
        (self.status, problem.code.as_str().to_owned())
    }

    pub(super) fn assert_problem(&self, status: u16, code: &str) {
        assert_eq!(self.problem(), (status, code.to_owned()), "{self:?}");
    }
}

impl Client {
    pub(super) async fn get(&self, path: &str) -> Answer {
        self.call("GET", path, &[], None).await
    }

    pub(super) async fn post(&self, path: &str, body: Value) -> Answer {
        self.call("POST", path, &[], Some(&body)).await
    }

    pub(super) async fn delete(&self, path: &str) -> Answer {
        self.call("DELETE", path, &[], None).await
    }

    /// Any request, as a program with the token sends it.
    pub(super) async fn call(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Answer {
        let asked = async {
            let mut stream = self.begin(method, path, headers, body).await;
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).await.unwrap();
            bytes
        };
        let bytes = timeout(PATIENCE, asked).await.unwrap_or_else(|_| panic!("no answer to {method} {path}"));
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{method} {path}: {text}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// Sends a request; whoever asked reads the answer.
    pub(super) async fn begin(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> TcpStream {
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", self.address);
        text += &format!("Authorization: Bearer {}\r\nConnection: close\r\n", self.token);
        if !body.is_empty() {
            text += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(format!("{text}\r\n{body}").as_bytes()).await.unwrap();
        stream
    }

    pub(super) async fn socket(&self) -> Socket {
        Socket::connect(self).await
    }

    /// A stream of server-sent events, from where it begins by itself or after this one.
    pub(super) async fn events(&self, path: &str, last: Option<&str>) -> Events {
        let headers: Vec<(&str, &str)> = last.map(|last| ("Last-Event-ID", last)).into_iter().collect();
        Events::open(self.begin("GET", path, &headers, None).await).await
    }

    pub(super) async fn add_project(&self, path: &Path) -> Project {
        self.post("/api/projects", json!({ "path": path })).await.read(201)
    }

    pub(super) async fn create(&self, cli_type: &str) -> SessionId {
        self.create_with(cli_type, json!({})).await.read::<SessionOpened>(201).session_id
    }

    pub(super) async fn create_with(&self, cli_type: &str, options: Value) -> Answer {
        let body = json!({ "cliType": cli_type, "projectDir": self.project, "providerOptions": options });
        self.post("/api/session/create", body).await
    }

    /// Tells the agent something that begins a turn.
    pub(super) async fn send(&self, id: &SessionId, message: &str) -> TurnId {
        let accepted: MessageAccepted = self.say(id, message).await.read(202);
        accepted.turn_id.expect("the message began a turn")
    }

    pub(super) async fn say(&self, id: &SessionId, message: &str) -> Answer {
        self.post(&format!("/api/session/{id}/send"), json!({ "message": message })).await
    }

    /// Puts a message behind those that wait.
    pub(super) async fn queue(&self, id: &SessionId, message: &str) -> String {
        let body = json!({ "message": message, "queue": true });
        let accepted: MessageAccepted = self.post(&format!("/api/session/{id}/send"), body).await.read(202);
        accepted.queued.expect("the message waits").id
    }

    /// Does something that needs no more words.
    pub(super) async fn act(&self, id: &SessionId, deed: &str) -> Answer {
        self.call("POST", &format!("/api/session/{id}/{deed}"), &[], None).await
    }

    pub(super) async fn status(&self, id: &SessionId) -> SessionStatus {
        self.get(&format!("/api/session/{id}/status")).await.read(200)
    }

    pub(super) async fn history(&self, id: &SessionId) -> HistoryPage {
        self.get(&format!("/api/session/{id}/history?limit=1000")).await.read(200)
    }

    pub(super) async fn projects(&self) -> Vec<Project> {
        let list: liminal_core::wire::projects::ProjectList = self.get("/api/projects").await.read(200);
        list.projects
    }

    /// The active sessions of the first project.
    pub(super) async fn list(&self) -> Vec<SessionSummary> {
        self.list_of("limit=1000").await
    }

    /// The sessions of the first project, by more of the query.
    pub(super) async fn list_of(&self, query: &str) -> Vec<SessionSummary> {
        let project = self.projects().await.remove(0).id;
        let path = format!("/api/session/list?projectId={project}&{query}");
        self.get(&path).await.read::<SessionList>(200).sessions
    }

    pub(super) async fn approvals(&self) -> Vec<Approval> {
        let list: ApprovalList = self.get("/api/approvals").await.read(200);
        list.approvals
    }

    /// Waits for the one question that the session asks.
    pub(super) async fn question(&self, id: &SessionId) -> Approval {
        self.until(id, |status| !status.view.pending.is_empty()).await;
        let mut approvals = self.approvals().await;
        assert_eq!(approvals.len(), 1, "{approvals:?}");
        approvals.remove(0)
    }

    pub(super) async fn answer(&self, approval: &Approval, option: &str) -> Answer {
        self.post(&format!("/api/approvals/{}", approval.id), json!({ "optionId": option })).await
    }

    /// Says something and waits for the turn's end.
    pub(super) async fn turn(&self, id: &SessionId, message: &str) -> TurnId {
        let mut socket = self.socket().await;
        socket.subscribe(id).await;
        let turn = self.send(id, message).await;
        socket.end_of(&turn).await;
        self.until(id, |status| status.view.turn.is_none()).await;
        turn
    }

    /// Looks at a session until it is as it should be.
    pub(super) async fn until(
        &self,
        id: &SessionId,
        holds: impl Fn(&SessionStatus) -> bool,
    ) -> SessionStatus {
        let mut looks = interval(LOOK);
        let mut last = None;
        let looked = async {
            loop {
                looks.tick().await;
                let status = self.status(id).await;
                if holds(&status) {
                    return status;
                }
                last = Some(status);
            }
        };
        let found = timeout(PATIENCE, looked).await;
        found.unwrap_or_else(|_| panic!("the session does not come to be as it should: {last:#?}"))
    }

    /// Reads a session until it shows what it should.
    pub(super) async fn shows(&self, id: &SessionId, holds: impl Fn(&HistoryPage) -> bool) -> HistoryPage {
        let mut looks = interval(LOOK);
        let mut last = None;
        let looked = async {
            loop {
                looks.tick().await;
                let page = self.history(id).await;
                if holds(&page) {
                    return page;
                }
                last = Some(page);
            }
        };
        let found = timeout(PATIENCE, looked).await;
        found.unwrap_or_else(|_| panic!("the session does not come to show what it should: {last:#?}"))
    }
}

/// Looks again and again until something holds that nobody tells.
pub(super) async fn eventually(holds: impl Fn() -> bool) {
    let mut looks = interval(LOOK);
    let looked = async {
        while !holds() {
            looks.tick().await;
        }
    };
    timeout(PATIENCE, looked).await.expect("it comes to hold");
}
