//! Loading a session of Codex through us, against the adapter's own `session/load` alone, in one warm process each.

use std::path::Path;
use std::time::{Duration, Instant};

use liminal_builder::agents::Launch;
use liminal_builder::clock;
use liminal_builder::process::InstanceId;
use liminal_builder::provider::acp::{self, AcpAgent};
use liminal_builder::provider::{OpenRequest, Provider, SessionOptions};
use liminal_builder::session::{SessionHandle, Setup};
use liminal_core::ids::SessionId;
use liminal_core::upsert::{Output, TurnEvent};
use scripted_model::Running;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::adapter::Adapter;
use crate::tap::tap;
use crate::{figure, variables};

const TURNS: usize = 20;

pub(crate) async fn measure(model: &Running, runs: usize) {
    eprintln!("Codex: {runs} loads of each kind");
    let script = variables::adapter("codex-acp");
    let home = tempfile::tempdir().unwrap();
    let launch = Launch { program: "node".into(), args: vec![script.display().to_string()] };
    let instance = InstanceId::new(&clock::new_session_uuid()).unwrap();
    let mut settings = acp::Settings::new(acp::CODEX, launch, instance);
    settings.environment.extend(variables::codex(model, home.path()));
    let session = history(&settings, home.path()).await;
    let (mut ours, mut own) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        own.push(own_load(&script, &settings, home.path(), &session).await);
        ours.push(our_load(&settings, home.path(), &session).await);
    }
    figure::comparison("codex.load", ("liminal", &ours), ("adapter", &own));
}

/// Makes the session that is loaded.
async fn history(settings: &acp::Settings, home: &Path) -> SessionId {
    let agent = AcpAgent::new(settings.clone());
    let (handle, mut outputs, _tasks) = start(&agent, home, None).await;
    for turn in 0..TURNS {
        handle.send(clock::new_turn_id(), format!("words:200 then:{turn}").into()).await.unwrap();
        turn_end(&mut outputs).await;
    }
    let session = handle.session_id().clone();
    drop(outputs);
    handle.kill().await;
    session
}

async fn start(
    agent: &AcpAgent,
    home: &Path,
    resume: Option<SessionId>,
) -> (SessionHandle, mpsc::Receiver<Output>, JoinSet<()>) {
    let request = OpenRequest {
        directory: home.to_owned(),
        resume,
        options: SessionOptions::default(),
        past: Vec::new(),
    };
    let opened = agent.open(request).await.unwrap();
    let (outlet, outputs) = tap(4_096);
    let mut tasks = JoinSet::new();
    (SessionHandle::start(opened, Setup::default(), outlet, &mut tasks), outputs, tasks)
}

async fn turn_end(outputs: &mut mpsc::Receiver<Output>) {
    while !matches!(outputs.recv().await, Some(Output::Turn(TurnEvent::TurnComplete { .. }))) {}
}

/// From the request to the last output of the history.
async fn our_load(settings: &acp::Settings, home: &Path, session: &SessionId) -> Duration {
    let agent = AcpAgent::new(settings.clone());
    let (_warm, _outputs, _tasks) = start(&agent, home, None).await;
    let began = Instant::now();
    let (_handle, mut outputs, _tasks) = start(&agent, home, Some(session.clone())).await;
    for _ in 0..TURNS {
        turn_end(&mut outputs).await;
    }
    began.elapsed()
}

async fn own_load(script: &Path, settings: &acp::Settings, home: &Path, session: &SessionId) -> Duration {
    let mut adapter = Adapter::start(script, settings.environment.clone(), home, &clock::new_session_uuid());
    adapter.begin(home).await;
    let own = session.as_str().trim_start_matches("codex:");
    let began = Instant::now();
    adapter.ask(3, "session/load", &json!({"sessionId": own, "cwd": home, "mcpServers": []})).await;
    adapter.answer(3).await;
    let elapsed = began.elapsed();
    adapter.end().await;
    elapsed
}
