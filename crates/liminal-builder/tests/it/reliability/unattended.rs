//! Permission requests that nobody answers for a day of virtual time: real sessions, processor, dialect, log and database,
//! with a scripted agent. The runtime's clock is paused, so a day takes as long as its timers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use liminal_builder::attachments::Attachments;
use liminal_builder::clock::Clock;
use liminal_builder::log::sqlite::{Hands, SqliteLog};
use liminal_builder::process::{Exit, ExitReport, StopLadder, StopStep};
use liminal_builder::provider::{
    Guards, OpenError, OpenRequest, OpenedAgent, Opening, Provider, ProviderRegistry,
};
use liminal_builder::sessions::{Parts, Sessions, Settings};
use liminal_builder::store::{ProjectRow, Store};
use liminal_builder::transport::{AgentPipe, CloseReason, Closed, Frame, Later, SendError, SendFrame};
use liminal_core::dialect::AgentCommand;
use liminal_core::dialect::claude::{ClaudeDialect, Options};
use liminal_core::ids::SessionId;
use liminal_core::upsert::UpsertBody;
use liminal_core::wire::projects::Trust;
use liminal_core::wire::rest::{CreateSession, PermissionAnswer, SendMessage, SessionState};
use liminal_core::wire::view::QueuePause;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What was written to the agent.
type Heard = Arc<Mutex<Vec<Value>>>;

#[derive(Debug)]
struct Agents {
    timeout: Option<Duration>,
    heard: Heard,
}

impl Provider for Agents {
    fn cli_type(&self) -> &str {
        "scripted"
    }

    fn open(&self, _: OpenRequest) -> Opening<'_> {
        Box::pin(async { Ok::<_, OpenError>(self.opened()) })
    }
}

impl Agents {
    fn opened(&self) -> OpenedAgent {
        let session_id = SessionId::from("scripted:s1");
        let options = Options { permission_timeout: self.timeout, ..Options::default() };
        let (says, said) = mpsc::unbounded_channel();
        OpenedAgent {
            transport: Box::new(Pipe { said, input: Arc::new(Input { says, heard: self.heard.clone() }) }),
            dialect: Box::new(ClaudeDialect::new(session_id.clone(), options)),
            session_id,
            clock: Clock::start(),
            history: Vec::new(),
            notices: Vec::new(),
            guards: Guards::default(),
            begin: vec![AgentCommand::Open { directory: "/".to_owned(), resume: None }],
        }
    }
}

/// An agent that asks before it runs a command, and ends its turn with the answer.
#[derive(Debug)]
struct Input {
    says: mpsc::UnboundedSender<Value>,
    heard: Heard,
}

impl Input {
    fn answer(&self, line: &Value) {
        let call = json!({"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "make"}});
        let lines = match (line["type"].as_str(), line["request"]["subtype"].as_str()) {
            (Some("control_request"), Some("initialize")) => vec![json!({"type": "control_response",
                "response": {"subtype": "success", "request_id": line["request_id"], "response": {}}})],
            (Some("user"), _) => vec![
                json!({"type": "system", "subtype": "init", "session_id": "s1", "model": "m", "uuid": "u1"}),
                json!({"type": "assistant", "message": {"id": "m", "model": "m", "content": [call]}}),
                json!({"type": "control_request", "request_id": "r1", "request": {"subtype": "can_use_tool",
                    "tool_name": "Bash", "input": {"command": "make"}, "tool_use_id": "c1"}}),
            ],
            (Some("control_response"), _) => {
                vec![json!({"type": "result", "subtype": "success", "is_error": false, "result": "ok"})]
            }
            _ => Vec::new(),
        };
        lines.into_iter().for_each(|line| self.says.send(line).unwrap());
    }
}

impl SendFrame for Input {
    fn send(&self, frame: Vec<u8>) -> Later<'static, Result<(), SendError>> {
        let line: Value = serde_json::from_slice(&frame).unwrap();
        self.answer(&line);
        self.heard.lock().unwrap().push(line);
        Box::pin(async { Ok(()) })
    }
}

#[derive(Debug)]
struct Pipe {
    said: mpsc::UnboundedReceiver<Value>,
    input: Arc<Input>,
}

impl AgentPipe for Pipe {
    fn pid(&self) -> Option<u32> {
        None
    }

    fn sender(&self) -> Arc<dyn SendFrame> {
        Arc::clone(&self.input) as _
    }

    fn recv_ready(&mut self) -> Later<'_, Result<Vec<Frame>, Closed>> {
        Box::pin(async {
            match self.said.recv().await {
                Some(line) => Ok(vec![Frame::Line(Bytes::from(line.to_string()))]),
                None => Err(Closed { reason: CloseReason::OutputEnded, exit: None }),
            }
        })
    }

    fn close(self: Box<Self>, _: StopLadder) -> Later<'static, ExitReport> {
        let report =
            ExitReport { exit: Exit::Code(0), step: StopStep::Itself, ..ExitReport::without_process() };
        Box::pin(async move { report })
    }
}

/// Writes what the log is given; nothing else runs on this thread meanwhile, so that virtual time is exact.
async fn write(mut hands: Hands) {
    loop {
        if hands.is_unsynced() {
            hands.synced(&Ok(()));
        }
        match timeout(Duration::from_secs(1), hands.asked()).await {
            Ok(true) => hands.write(),
            Ok(false) => return,
            Err(_) => {}
        }
    }
}

struct Served {
    sessions: Sessions,
    session: SessionId,
    heard: Heard,
    _machine: JoinSet<()>,
    _data: tempfile::TempDir,
}

impl Served {
    async fn new(timeout: Option<Duration>) -> Self {
        let data = tempfile::tempdir().unwrap();
        let (log, hands) = SqliteLog::by_hand(&data.path().join("liminal.db"), Default::default()).unwrap();
        let (log, heard, mut machine) = (Arc::new(log), Heard::default(), JoinSet::new());
        machine.spawn(write(hands));
        let (store, path) = (Store::new(Arc::clone(&log)), data.path().canonicalize().unwrap());
        let (id, name) = ("p".into(), "project".to_owned());
        let row = ProjectRow { id, path: path.clone(), name, trust: Trust::Trusted, trust_hash: None };
        assert!(store.add_project(row).await.unwrap());
        let sessions = Sessions::new(Parts {
            database: Arc::clone(&log),
            log: Arc::clone(&log) as _,
            events: log,
            stream_b: None,
            store,
            attachments: Attachments::kept_in(data.path()),
            cluster: None,
            audit: None,
            providers: ProviderRegistry::default().with(Agents { timeout, heard: heard.clone() }),
            settings: Settings::default(),
        });
        let create = CreateSession {
            cli_type: "scripted".to_owned(),
            project_dir: path.display().to_string(),
            provider_options: Default::default(),
        };
        let session = sessions.create(create).await.unwrap().session_id;
        Self { sessions, session, heard, _machine: machine, _data: data }
    }

    async fn send(&self, message: &str) {
        let message = SendMessage {
            message: message.to_owned(),
            queue: true,
            client_message_id: None,
            attachments: Vec::new(),
        };
        self.sessions.send(&self.session, message).await.unwrap();
    }

    async fn asked(&self) -> String {
        loop {
            if let [approval] = self.sessions.approvals().approvals.as_slice() {
                return approval.id.clone();
            }
            pass(Duration::from_secs(1)).await;
        }
    }

    /// The messages that reached the agent.
    fn prompts(&self) -> usize {
        self.heard.lock().unwrap().iter().filter(|line| line["type"] == "user").count()
    }
}

async fn pass(time: Duration) {
    sleep_until(Instant::now() + time).await;
}

#[tokio::test(start_paused = true)]
async fn a_request_is_still_there_after_a_day() {
    let served = Served::new(None).await;
    served.send("go").await;
    let id = served.asked().await;
    pass(DAY).await;
    assert_eq!(served.asked().await, id);
    let status = served.sessions.status(&served.session).await.unwrap();
    assert_eq!(
        (status.view.state, status.view.is_alive),
        (SessionState::Waiting, true),
        "its agent was kept"
    );
    let answer = PermissionAnswer {
        option_id: Some("allow_once".to_owned()),
        answers: Default::default(),
        reason: None,
    };
    let witness = Box::new(|_, _| Box::pin(async { Ok(()) }) as _);
    served.sessions.answer_approval(&id, answer, witness).await.unwrap();
    let heard = served.heard.lock().unwrap();
    let last = heard.iter().rfind(|line| line["type"] == "control_response").unwrap();
    assert_eq!(last["response"]["response"]["behavior"], "allow");
}

#[tokio::test(start_paused = true)]
async fn a_time_out_rejects_visibly_and_sends_nothing_that_is_queued() {
    let served = Served::new(Some(Duration::from_secs(600))).await;
    served.send("go").await;
    let asked = served.asked().await;
    let shown = served.sessions.approvals().approvals.remove(0).item;
    let UpsertBody::Permission(body) = &shown.body else { panic!("{shown:?}") };
    let deadline = body.request.deadline.unwrap().instant();
    assert_eq!(deadline.duration_since(shown.emitted_at.instant()).as_secs(), 600);
    served.send("later").await;
    pass(DAY).await;
    assert!(served.sessions.approvals().approvals.is_empty(), "{asked} was rejected");
    let status = served.sessions.status(&served.session).await.unwrap();
    assert_eq!((status.view.queue.len(), status.view.queue_paused), (1, Some(QueuePause::Timeout)));
    assert!(status.view.timed_out, "the session still needs a person");
    assert_eq!(served.prompts(), 1, "nothing queued was sent");
    served.sessions.resume_queue(&served.session).await.unwrap();
    pass(Duration::from_secs(60)).await;
    assert_eq!(served.prompts(), 2, "it is sent once the person says so");
}
