//! What it costs to start an agent and to get its first words: Claude Code directly, as we drive it, against the same
//! program behind its ACP adapter. Interleaved runs; prints figures, asserts nothing.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark prints, reads the clock and fails by panicking"
)]

#[path = "../tests/it/pin.rs"]
mod pin;
#[path = "../tests/it/tap.rs"]
mod tap;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use liminal_builder::agents::Launch;
use liminal_builder::clock;
use liminal_builder::process::{
    AgentProcess, Environment, InstanceId, ProcessSpec, SessionTag, StopLadder, Wrapper,
};
use liminal_builder::provider::acp::{self, AcpAgent};
use liminal_builder::provider::claude_code::{ClaudeCode, Settings};
use liminal_builder::provider::{OpenRequest, Provider, SessionOptions};
use liminal_builder::session::{SessionHandle, Setup};
use liminal_builder::transport::{Frame, StdioLimits, StdioTransport};
use liminal_core::event::Origin;
use liminal_core::ids::SessionId;
use liminal_core::session::Phase;
use liminal_core::upsert::{Output, TurnEvent, Upsert, UpsertBody};
use scripted_model::{Options, Running, ScriptedModel};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use pin::Pin;
use tap::tap;

const RUNS: usize = 9;
const PROMPT: &str = "words:40";

#[tokio::main]
async fn main() {
    let model = ScriptedModel::start(Options::default()).await.unwrap();
    let adapter = packages().join("@agentclientprotocol/claude-agent-acp/dist/index.js");
    let (mut direct, mut adapted) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        direct.push(run_direct(&model).await);
        if adapter.exists() {
            adapted.push(run_adapted(&model, &adapter).await);
        }
    }
    claude_report(&direct, &adapted);
    codex_load(&model).await;
}

fn claude_report(direct: &[Run], adapted: &[Run]) {
    println!("Claude Code, {RUNS} interleaved runs each, median / P95\n");
    println!("{:<28}{:>22}{:>22}{:>22}", "", "spawn -> ready", "prompt -> first words", "memory when ready");
    report("direct", direct);
    report("through the ACP adapter", adapted);
    compare(direct, adapted);
}

/// Loading a session of Codex through us, against the adapter's own `session/load` alone, in one process each.
async fn codex_load(model: &Running) {
    let script = packages().join("@agentclientprotocol/codex-acp/dist/index.js");
    if !script.exists() {
        return println!("\nCodex is not installed; run ./x test once");
    }
    let home = tempfile::tempdir().unwrap();
    let launch = Launch { program: "node".into(), args: vec![script.display().to_string()] };
    let instance = InstanceId::new(&clock::new_session_uuid()).unwrap();
    let mut settings = acp::Settings::new(acp::CODEX, launch, instance);
    settings.environment.extend(codex_variables(model, home.path()));
    let session = codex_history(&settings, home.path()).await;
    let (mut ours, mut own) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        own.push(own_load(&script, &settings, home.path(), &session).await);
        ours.push(our_load(&settings, home.path(), &session).await);
    }
    let (ours, own) = (quantile(&ours, 0.5), quantile(&own, 0.5));
    println!("\nCodex, loading a session of 20 turns, {RUNS} interleaved runs, medians in a warm process");
    println!("  the adapter's session/load alone {own:>7.1} ms");
    println!(
        "  through us, history in upserts   {ours:>7.1} ms  ({:+.0} %; aim: within 10 %)",
        (ours / own - 1.0) * 100.0
    );
}

async fn codex_history(settings: &acp::Settings, home: &Path) -> SessionId {
    let agent = AcpAgent::new(settings.clone());
    let (handle, mut outputs, _tasks) = start(&agent, home, None).await;
    for turn in 0..20 {
        handle.send(clock::new_turn_id(), format!("words:200 then:{turn}").into()).await.unwrap();
        while !matches!(outputs.recv().await, Some(Output::Turn(TurnEvent::TurnComplete { .. }))) {}
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

/// Milliseconds from the wish to the last output of the history.
async fn our_load(settings: &acp::Settings, home: &Path, session: &SessionId) -> f64 {
    let agent = AcpAgent::new(settings.clone());
    let (_warm, _outputs, _tasks) = start(&agent, home, None).await;
    let began = Instant::now();
    let (_handle, mut outputs, _tasks) = start(&agent, home, Some(session.clone())).await;
    for _ in 0..20 {
        while !matches!(outputs.recv().await, Some(Output::Turn(TurnEvent::TurnComplete { .. }))) {}
    }
    began.elapsed().as_secs_f64() * 1e3
}

async fn own_load(script: &Path, settings: &acp::Settings, home: &Path, session: &SessionId) -> f64 {
    let mut adapter = Adapter::start(script, settings.environment.clone(), home, &clock::new_session_uuid());
    adapter.ask(1, "initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}})).await;
    adapter.until(|line| line.get("id") == Some(&json!(1))).await;
    adapter.ask(2, "session/new", &json!({"cwd": home, "mcpServers": []})).await;
    adapter.until(|line| line.get("id") == Some(&json!(2))).await;
    let own = session.as_str().trim_start_matches("codex:");
    let began = Instant::now();
    adapter.ask(3, "session/load", &json!({"sessionId": own, "cwd": home, "mcpServers": []})).await;
    let answer = adapter.until(|line| line.get("id") == Some(&json!(3))).await;
    assert!(answer.get("result").is_some(), "{answer}");
    let elapsed = began.elapsed().as_secs_f64() * 1e3;
    adapter.transport.close(&StopLadder::at_once()).await;
    elapsed
}

fn codex_variables(model: &Running, home: &Path) -> Vec<(OsString, OsString)> {
    let provider =
        json!({"name": "Scripted", "base_url": format!("{}/v1", model.url()), "wire_api": "responses"});
    let config = json!({
        "model": "gpt-5.5",
        "model_provider": "scripted",
        "features": {"plugins": false},
        "model_providers": {"scripted": provider},
    });
    let codex_home = home.join("codex");
    std::fs::create_dir(&codex_home).unwrap();
    [
        ("CODEX_HOME", codex_home.into_os_string()),
        ("CODEX_CONFIG", config.to_string().into()),
        ("MODEL_PROVIDER", "scripted".into()),
        ("HOME", home.as_os_str().to_owned()),
    ]
    .map(|(name, value)| (name.into(), value))
    .into()
}

/// One start and one prompt.
#[derive(Debug, Clone, Copy)]
struct Run {
    ready: Duration,
    first_words: Duration,
    memory_kb: u64,
}

fn report(title: &str, runs: &[Run]) {
    if runs.is_empty() {
        println!("{title:<28} not installed; run ./x test once");
        return;
    }
    let milliseconds = |pick: fn(&Run) -> Duration| {
        let times: Vec<f64> = runs.iter().map(|run| pick(run).as_secs_f64() * 1e3).collect();
        format!("{:.0} / {:.0} ms", quantile(&times, 0.5), quantile(&times, 0.95))
    };
    let memory: Vec<f64> = runs.iter().map(|run| run.memory_kb as f64 / 1e3).collect();
    println!(
        "{title:<28}{:>22}{:>22}{:>18.0} MB",
        milliseconds(|run| run.ready),
        milliseconds(|run| run.first_words),
        quantile(&memory, 0.5)
    );
}

fn compare(direct: &[Run], adapted: &[Run]) {
    if adapted.is_empty() {
        return;
    }
    let whole = |runs: &[Run]| {
        let times: Vec<f64> =
            runs.iter().map(|run| (run.ready + run.first_words).as_secs_f64() * 1e3).collect();
        quantile(&times, 0.5)
    };
    let memory =
        |runs: &[Run]| quantile(&runs.iter().map(|run| run.memory_kb as f64 / 1e3).collect::<Vec<_>>(), 0.5);
    let (saved, ratio) = (whole(adapted) - whole(direct), whole(adapted) / whole(direct));
    println!(
        "\nspawn -> first words: the direct way is {saved:.0} ms faster ({ratio:.2}x) and {:.0} MB smaller",
        memory(adapted) - memory(direct)
    );
}

fn quantile(values: &[f64], quantile: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = (quantile * (sorted.len() - 1) as f64).ceil() as usize;
    sorted.get(index).copied().unwrap_or(f64::NAN)
}

async fn run_direct(model: &Running) -> Run {
    let home = tempfile::tempdir().unwrap();
    let instance = clock::new_session_uuid();
    let mut settings = Settings::new(InstanceId::new(&instance).unwrap());
    settings.program = Some(Pin::Old.program());
    settings.environment = variables(model, home.path());
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
    let first_words = asked.elapsed();
    drop(outputs);
    handle.kill().await;
    Run { ready, first_words, memory_kb }
}

fn is_answer(output: &Output) -> bool {
    matches!(output, Output::Upsert(Upsert { body: UpsertBody::Message(message), .. }) if message.origin == Origin::Agent)
}

async fn run_adapted(model: &Running, adapter: &Path) -> Run {
    let home = tempfile::tempdir().unwrap();
    let instance = clock::new_session_uuid();
    let began = Instant::now();
    let mut variables = variables(model, home.path());
    variables.push(("CLAUDE_CODE_EXECUTABLE".into(), Pin::Old.program().into()));
    // The adapter offers to skip permissions, which the program refuses to root outside a sandbox.
    variables.push(("IS_SANDBOX".into(), "1".into()));
    let mut adapter = Adapter::start(adapter, variables, home.path(), &instance);
    adapter.ask(1, "initialize", &json!({"protocolVersion": 1, "clientCapabilities": {}})).await;
    adapter.until(|line| line.get("id") == Some(&json!(1))).await;
    adapter.ask(2, "session/new", &json!({"cwd": home.path(), "mcpServers": []})).await;
    let session = adapter.until(|line| line.get("id") == Some(&json!(2))).await;
    let (ready, memory_kb) = (began.elapsed(), memory(&instance));
    let session = session.pointer("/result/sessionId").expect("a session").clone();
    let asked = Instant::now();
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": PROMPT}]});
    adapter.ask(3, "session/prompt", &prompt).await;
    let chunk = Some(&json!("agent_message_chunk"));
    adapter.until(|line| line.pointer("/params/update/sessionUpdate") == chunk).await;
    let first_words = asked.elapsed();
    adapter.transport.close(&StopLadder::at_once()).await;
    Run { ready, first_words, memory_kb }
}

struct Adapter {
    transport: StdioTransport,
    lines: std::collections::VecDeque<Value>,
}

impl Adapter {
    fn start(adapter: &Path, variables: Vec<(OsString, OsString)>, home: &Path, instance: &str) -> Self {
        let mut environment = Environment::inherited();
        for (name, value) in variables {
            environment = environment.with(name, value);
        }
        let process = AgentProcess::spawn(&ProcessSpec {
            program: "node".into(),
            args: vec![adapter.into()],
            wrapper: Wrapper::default(),
            cwd: home.to_owned(),
            environment,
            instance: InstanceId::new(instance).unwrap(),
            session: SessionTag::new("bench").unwrap(),
        });
        let transport = StdioTransport::new(process.unwrap(), &StdioLimits::default()).unwrap();
        Self { transport, lines: std::collections::VecDeque::new() }
    }

    async fn ask(&self, id: u32, method: &str, params: &Value) {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.transport.send(request.to_string().into_bytes()).await.unwrap();
    }

    async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            while let Some(line) = self.lines.pop_front() {
                if wanted(&line) {
                    return line;
                }
            }
            for frame in self.transport.recv_ready().await.expect("the adapter lives") {
                if let Frame::Line(line) = frame {
                    self.lines.extend(serde_json::from_slice(&line));
                }
            }
        }
    }
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

fn packages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/node_modules")
}

fn variables(model: &Running, home: &Path) -> Vec<(OsString, OsString)> {
    [
        ("ANTHROPIC_BASE_URL", OsString::from(model.url())),
        ("ANTHROPIC_API_KEY", "any".into()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
        ("CLAUDE_CONFIG_DIR", home.join("claude").into_os_string()),
        ("HOME", home.as_os_str().to_owned()),
    ]
    .map(|(name, value)| (name.into(), value))
    .into()
}
