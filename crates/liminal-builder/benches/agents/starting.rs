//! Starting Claude Code: directly, as we drive it, against the same program behind its ACP adapter.

use std::path::Path;
use std::time::{Duration, Instant};

use liminal_builder::clock;
use liminal_builder::process::InstanceId;
use liminal_builder::provider::claude_code::{ClaudeCode, Settings};
use liminal_builder::provider::{OpenRequest, Provider, SessionOptions};
use liminal_builder::session::{SessionHandle, Setup};
use liminal_core::event::Origin;
use liminal_core::session::Phase;
use liminal_core::upsert::{Output, Upsert, UpsertBody};
use scripted_model::Running;
use serde_json::json;
use tokio::task::JoinSet;

use crate::adapter::Adapter;
use crate::pin::Pin;
use crate::tap::tap;
use crate::{figure, variables};

const PROMPT: &str = "words:40";

/// One start and one prompt.
#[derive(Debug, Clone, Copy)]
struct Run {
    ready: Duration,
    first_token: Duration,
    memory_kb: u64,
}

pub(crate) async fn measure(model: &Running, runs: usize) {
    eprintln!("Claude Code: {runs} starts of each kind");
    let (mut direct, mut adapted) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        direct.push(run_direct(model).await);
        adapted.push(run_adapted(model).await);
    }
    report("ready", &direct, &adapted, |run| run.ready);
    report("first-token", &direct, &adapted, |run| run.ready + run.first_token);
    for (way, runs) in [("direct", &direct), ("adapter", &adapted)] {
        let memory: Vec<u64> = runs.iter().map(|run| run.memory_kb).collect();
        figure::memory(&format!("claude-code.memory.{way}"), &memory);
    }
}

fn report(what: &str, direct: &[Run], adapted: &[Run], pick: fn(&Run) -> Duration) {
    let [direct, adapted] = [direct, adapted].map(|runs| runs.iter().map(pick).collect::<Vec<_>>());
    figure::comparison(&format!("claude-code.{what}"), ("direct", &direct), ("adapter", &adapted));
}

async fn run_direct(model: &Running) -> Run {
    let home = tempfile::tempdir().unwrap();
    let instance = clock::new_session_uuid();
    let mut settings = Settings::new(InstanceId::new(&instance).unwrap());
    settings.program = Some(Pin::Old.program());
    settings.environment = variables::claude(model, home.path());
    let provider = ClaudeCode::new(settings);
    let began = Instant::now();
    let request = OpenRequest {
        directory: home.path().to_owned(),
        resume: None,
        options: SessionOptions::default(),
        past: Vec::new(),
    };
    let agent = provider.open(request).await.unwrap();
    let (outlet, mut outputs) = tap(64);
    let mut tasks = JoinSet::new();
    let handle = SessionHandle::start(agent, Setup::default(), outlet, &mut tasks);
    handle.reach(Phase::Idle).await;
    let (ready, memory_kb) = (began.elapsed(), memory(&instance));
    let asked = Instant::now();
    handle.send(clock::new_turn_id(), PROMPT.into()).await.unwrap();
    while !outputs.recv().await.is_some_and(|output| is_answer(&output)) {}
    let first_token = asked.elapsed();
    drop(outputs);
    handle.kill().await;
    Run { ready, first_token, memory_kb }
}

fn is_answer(output: &Output) -> bool {
    matches!(output, Output::Upsert(Upsert { body: UpsertBody::Message(message), .. }) if message.origin == Origin::Agent)
}

async fn run_adapted(model: &Running) -> Run {
    let home = tempfile::tempdir().unwrap();
    let instance = clock::new_session_uuid();
    let began = Instant::now();
    let mut variables = variables::claude(model, home.path());
    variables.push(("CLAUDE_CODE_EXECUTABLE".into(), Pin::Old.program().into()));
    // The adapter offers to skip permissions, which the program refuses to root outside a sandbox.
    variables.push(("IS_SANDBOX".into(), "1".into()));
    let mut adapter =
        Adapter::start(&variables::adapter("claude-agent-acp"), variables, home.path(), &instance);
    let session = adapter.begin(home.path()).await;
    let (ready, memory_kb) = (began.elapsed(), memory(&instance));
    let session = session.pointer("/result/sessionId").expect("a session").clone();
    let asked = Instant::now();
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": PROMPT}]});
    adapter.ask(3, "session/prompt", &prompt).await;
    let chunk = Some(&json!("agent_message_chunk"));
    adapter.until(|line| line.pointer("/params/update/sessionUpdate") == chunk).await;
    let first_token = asked.elapsed();
    adapter.end().await;
    Run { ready, first_token, memory_kb }
}

/// Kilobytes of all processes that carry this instance's mark.
fn memory(instance: &str) -> u64 {
    let mark = format!("LIMINAL_INSTANCE={instance}");
    let is_marked = |path: &Path| {
        let environ = std::fs::read(path.join("environ")).unwrap_or_default();
        environ.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    let resident = |path: &Path| {
        let status = std::fs::read_to_string(path.join("status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0 kB");
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or_default()
    };
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    processes.filter(|path| is_marked(path)).map(|path| resident(&path)).sum()
}
