//! The built-in demo agent, driven like any other: the real program, the provider and a session.

use std::path::PathBuf;

use liminal_builder::agents::{Detector, Launch, Machine};
use liminal_builder::config::Config;
use liminal_builder::process::{Environment, InstanceId};
use liminal_builder::provider::acp::{AcpAgent, Settings};
use liminal_builder::provider::{OpenError, OpenRequest, Provider, ProviderRegistry, SessionOptions};
use liminal_builder::session::{SessionHandle, Setup};
use liminal_builder::{clock, demo};
use liminal_core::event::PlanStatus;
use liminal_core::ids::SessionId;
use liminal_core::session::Phase;
use liminal_core::upsert::{Output, TurnEvent, Upsert, UpsertBody, UpsertStatus};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::chat::{Chat, is_text};
use crate::reliability::figures::{Stopwatch, Times};
use crate::support::run;
use crate::tap::tap;
use crate::world::{processes_of, wait_until};

struct Theatre {
    project: PathBuf,
    instance: String,
    settings: Settings,
    agent: AcpAgent,
    tasks: JoinSet<()>,
    _folder: tempfile::TempDir,
}

impl Theatre {
    /// One that plays at full speed.
    fn new() -> Self {
        Self::with(&["--pace", "0"])
    }

    fn with(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("project");
        std::fs::create_dir(&project).unwrap();
        let project = project.canonicalize().unwrap();
        let more: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let args = demo::arguments(&folder.path().join("state"), &more);
        let launch = Launch { program: env!("CARGO_BIN_EXE_liminal").into(), args };
        let instance = format!("test-{}", clock::new_session_uuid());
        let settings = Settings::new(demo::NAME, launch, InstanceId::new(&instance).unwrap());
        let agent = AcpAgent::new(settings.clone());
        Self { project, instance, settings, agent, tasks: JoinSet::new(), _folder: folder }
    }

    async fn create(&mut self) -> Chat {
        self.open(None, SessionOptions::default()).await.unwrap()
    }

    async fn open(&mut self, resume: Option<SessionId>, options: SessionOptions) -> Result<Chat, OpenError> {
        let request = OpenRequest { directory: self.project.clone(), resume, options, past: Vec::new() };
        let opened = self.agent.open(request).await?;
        let (outlet, outputs) = tap(64);
        let handle = SessionHandle::start(opened, Setup::default(), outlet, &mut self.tasks);
        Ok(Chat { handle, log: Vec::new(), outputs })
    }

    /// The same machine after our own end and a new start.
    async fn restart(&mut self) {
        self.agent = AcpAgent::new(self.settings.clone());
        self.assert_nothing_is_left().await;
    }

    async fn assert_nothing_is_left(&self) {
        wait_until(|| processes_of(&self.instance).is_empty()).await;
    }

    /// Ends everything; neither a process nor anything in the project is left.
    async fn close(mut self) {
        self.tasks.shutdown().await;
        self.restart().await;
        assert_eq!(std::fs::read_dir(&self.project).unwrap().count(), 0, "the demo only shows");
    }
}

/// The words of all messages that the agent finished.
fn words(chat: &Chat) -> String {
    chat.said().join("\n")
}

/// How many tasks of a plan are done.
fn plan_progress(upsert: &Upsert) -> Option<usize> {
    let UpsertBody::Plan(plan) = &upsert.body else { return None };
    Some(plan.entries.iter().filter(|entry| entry.status == PlanStatus::Completed).count())
}

async fn answered(prompt: &str, option: &str) -> Chat {
    let mut theatre = Theatre::new();
    let mut chat = theatre.create().await;
    let turn = chat.send(prompt).await.unwrap();
    let (item, asked) = chat.permission().await;
    let kinds: Vec<&str> = asked.request.options.iter().map(|option| option.kind.as_str()).collect();
    assert!(kinds.contains(&"allow_once") && kinds.contains(&"reject_once"), "{kinds:?}");
    chat.answer(item, option).await;
    chat.end_of(&turn).await;
    assert_eq!(chat.ends(), ["completed"]);
    chat.assert_sound();
    theatre.close().await;
    chat
}

#[test]
fn the_program_introduces_itself_and_ends_with_its_input() {
    let state = tempfile::tempdir().unwrap();
    let arguments = ["demo-agent", "--state", state.path().to_str().unwrap()];
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#;
    let output = run(&arguments, &format!("{hello}\nnot json\n"));
    assert_eq!(output.status.code(), Some(0));
    let lines: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    let [introduction, complaint] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!(introduction.pointer("/result/protocolVersion"), Some(&1.into()));
    for field in ["name", "title"] {
        let told = introduction.pointer(&format!("/result/agentInfo/{field}"));
        assert_eq!(told, Some(&"Demo (scripted)".into()));
    }
    assert_eq!(complaint.pointer("/error/code"), Some(&(-32700).into()));
}

#[tokio::test]
async fn every_machine_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let (config, environment) = (Config::default(), Environment::inherited().with("PATH", folder.path()));
    let (managed, data) = (folder.path().to_owned(), folder.path().to_owned());
    let (detector, detection) = Detector::start(Machine { config, environment, managed, data });
    let registry = ProviderRegistry::of(&detector, &InstanceId::new("test").unwrap());
    assert_eq!(registry.get(demo::NAME).unwrap().cli_type(), "demo");
    assert!(registry.get("gemini").is_ok(), "it may be installed later");
    assert!(registry.get("unheard-of").is_err());
    detection.close().await;
}

#[tokio::test]
async fn a_new_session_says_what_it_is_and_what_can_be_tried() {
    let mut theatre = Theatre::new();
    let mut chat = theatre.create().await;
    assert!(chat.handle.session_id().as_str().starts_with("demo:"));
    chat.turn("good morning").await;
    let said = chat.said();
    let [prompt, label, help] = said.as_slice() else { panic!("{said:?}") };
    assert_eq!(*prompt, "good morning");
    assert!(label.contains("No model is involved"), "{label}");
    assert!(help.contains("`/tour`") && help.contains("`/crash`"), "{help}");
    chat.turn("think").await;
    assert_eq!(chat.thoughts().len(), 2);
    assert_eq!(chat.ends(), ["completed", "completed"]);
    chat.assert_sound();
    theatre.close().await;
}

#[tokio::test]
async fn every_scene_that_ends_well_does_so_in_one_session() {
    let mut theatre = Theatre::new();
    let options = SessionOptions { permission_mode: Some("auto".to_owned()), ..SessionOptions::default() };
    let mut chat = theatre.open(None, options).await.unwrap();
    let prompts = ["tour", "markdown", "words 2000", "research", "tools 50", "permission", "help"];
    for prompt in prompts {
        chat.turn(prompt).await;
    }
    assert_eq!(chat.ends(), vec!["completed"; prompts.len()]);
    assert!(chat.calls().len() > 55);
    assert!(chat.handle.diagnostics().counts.is_empty(), "{:?}", chat.handle.diagnostics());
    assert!(theatre.agent.diagnostics().counts.is_empty(), "{:?}", theatre.agent.diagnostics());
    chat.assert_sound();
    theatre.close().await;
}

#[tokio::test]
async fn what_is_allowed_is_shown_as_done() {
    let chat = answered("permission", "allow-once").await;
    assert!(words(&chat).contains("It was allowed, so"), "{}", words(&chat));
    let calls = chat.calls();
    let (_, call) = calls.first().unwrap();
    assert!(call.tool_output.as_deref().unwrap().contains("removed directory"));
    assert_eq!(call.tool_output_is_error, Some(false));
}

#[tokio::test]
async fn what_is_rejected_is_shown_as_not_done() {
    let chat = answered("permission", "reject-once").await;
    assert!(words(&chat).contains("It was rejected"), "{}", words(&chat));
    let calls = chat.calls();
    let (_, call) = calls.first().unwrap();
    assert!(call.tool_output.as_deref().unwrap().contains("was not done"), "{call:?}");
    assert_eq!(call.tool_output_is_error, Some(true));
}

#[tokio::test]
async fn a_question_goes_on_with_the_answer() {
    let chat = answered("question", "briefly").await;
    assert!(words(&chat).contains("You chose **Briefly**"), "{}", words(&chat));
}

#[tokio::test]
async fn a_cancelled_scene_ends_at_once_and_the_next_one_works() {
    let mut theatre = Theatre::with(&["--pace", "5"]);
    let mut chat = theatre.create().await;
    let mut times = Times::default();
    for prompt in ["words 50000", "hang"] {
        let turn = chat.send(prompt).await.unwrap();
        chat.until(|output| is_text(output, "Demo text of") || is_text(output, "nothing more now")).await;
        let asked = Stopwatch::start();
        chat.handle.cancel().await.unwrap();
        chat.end_of(&turn).await;
        times.add(asked.elapsed());
    }
    // A hundredth of what is left of the scenes; a tenth of a second on a machine that does nothing else.
    times.gate("demo.cancel-to-end");
    chat.turn("think").await;
    assert_eq!(chat.ends(), ["cancelled", "cancelled", "completed"]);
    chat.assert_sound();
    theatre.close().await;
}

#[tokio::test]
async fn a_session_is_loaded_in_a_new_process_with_its_history() {
    let mut theatre = Theatre::new();
    let mut chat = theatre.create().await;
    for prompt in ["think", "run", "diff", "plan"] {
        chat.turn(prompt).await;
    }
    let session = chat.handle.session_id().clone();
    chat.kill().await;
    theatre.restart().await;

    let mut again = theatre.open(Some(session.clone()), SessionOptions::default()).await.unwrap();
    assert_eq!(*again.handle.session_id(), session);
    assert_eq!(again.ends(), Vec::<String>::new());
    again.turn("help").await;
    assert_eq!(again.ends(), vec!["completed"; 5]);
    assert!(words(&again).starts_with(&words(&chat)), "{}", words(&again));
    assert_eq!(again.thoughts().concat(), chat.thoughts().concat());
    let printed = |chat: &Chat| -> Vec<Option<String>> {
        chat.calls().iter().map(|(_, call)| call.tool_output.clone()).collect()
    };
    assert_eq!(printed(&again), printed(&chat));
    assert!(again.upserts().any(|upsert| plan_progress(upsert) == Some(4)));
    again.assert_sound();
    theatre.close().await;
}

#[tokio::test]
async fn the_agent_lists_the_sessions_that_it_remembers() {
    let mut theatre = Theatre::new();
    let mut ids = Vec::new();
    for number in 0..27 {
        let mut chat = theatre.create().await;
        chat.turn(&format!("help {number}")).await;
        ids.push(chat.handle.session_id().to_string());
    }
    theatre.restart().await;
    let listed = theatre.agent.list(&theatre.project).await.unwrap().unwrap();
    let mut found: Vec<String> =
        listed.iter().map(|session| format!("demo:{}", session.session_id)).collect();
    found.sort();
    ids.sort();
    assert_eq!(found, ids, "more than one page");
    assert!(
        listed.iter().all(|session| session.title.as_deref().unwrap().starts_with("Demo (scripted): help"))
    );
    theatre.close().await;
}

#[tokio::test]
async fn an_unknown_session_is_not_found() {
    let mut theatre = Theatre::new();
    let unknown = SessionId::from("demo:00000000-0000-4000-8000-000000000000");
    let error = theatre.open(Some(unknown), SessionOptions::default()).await.err().unwrap();
    assert_eq!(error.info().code, "SESSION_NOT_FOUND");
    theatre.close().await;
}

#[tokio::test]
async fn a_crash_fails_the_turn_and_the_session_can_be_opened_again() {
    let mut theatre = Theatre::new();
    let mut chat = theatre.create().await;
    chat.send("/crash").await.unwrap();
    chat.end().await;
    assert_eq!(chat.ends(), ["PROCESS_CRASH"]);
    let told = chat.log.iter().find_map(|output| match output {
        Output::Turn(TurnEvent::TurnError { error_message, .. }) => Some(error_message),
        _ => None,
    });
    assert!(told.unwrap().contains("exit code 137"), "{told:?}");
    assert_eq!(chat.handle.phase(), Phase::Closed);
    theatre.assert_nothing_is_left().await;

    let session = chat.handle.session_id().clone();
    let mut again = theatre.open(Some(session), SessionOptions::default()).await.unwrap();
    again.turn("help").await;
    assert!(
        words(&again).contains("/crash") && words(&again).contains("is going to die"),
        "{}",
        words(&again)
    );
    again.assert_sound();
    theatre.close().await;
}

#[tokio::test]
async fn a_turn_that_fails_tells_why_and_the_next_one_works() {
    let mut theatre = Theatre::new();
    let mut chat = theatre.create().await;
    chat.turn("/fail").await;
    chat.turn("help").await;
    assert_eq!(chat.ends(), ["-32603", "completed"]);
    chat.assert_sound();
    theatre.close().await;
}

#[tokio::test]
async fn a_plan_is_seen_to_progress() {
    let mut theatre = Theatre::with(&["--pace", "1"]);
    let mut chat = theatre.create().await;
    chat.turn("plan").await;
    let mut seen: Vec<usize> = chat.upserts().filter_map(plan_progress).collect();
    seen.dedup();
    assert_eq!(seen, [0, 1, 2, 3, 4]);
    chat.assert_sound();
    theatre.close().await;
}

#[tokio::test]
async fn an_edit_shows_its_diff() {
    let mut theatre = Theatre::new();
    let mut chat = theatre.create().await;
    chat.turn("diff").await;
    let calls = chat.calls();
    let diffs: Vec<_> = calls.iter().flat_map(|(_, call)| &call.details.diffs).collect();
    let [edit, new] = diffs.as_slice() else { panic!("{diffs:?}") };
    assert!(
        edit.old_text.as_deref().unwrap().contains("Hello {}") && edit.new_text.contains("whoever you are")
    );
    assert!(edit.path.starts_with(theatre.project.to_str().unwrap()));
    assert_eq!(new.old_text, None);
    chat.assert_sound();
    theatre.close().await;
}

#[tokio::test]
async fn a_commands_output_is_seen_while_it_runs() {
    let mut theatre = Theatre::with(&["--pace", "20"]);
    let mut chat = theatre.create().await;
    let turn = chat.send("run").await.unwrap();
    let is_live = |output: &Output| match output {
        Output::Upsert(Upsert { body: UpsertBody::ToolCall(call), status: UpsertStatus::Update, .. }) => {
            call.tool_output.as_deref().is_some_and(|output| output.contains("Compiling"))
        }
        _ => false,
    };
    let Output::Upsert(Upsert { body: UpsertBody::ToolCall(live), .. }) = chat.until(is_live).await else {
        panic!()
    };
    assert!(!live.tool_output.unwrap().contains("to rerun"), "it is not over");
    chat.end_of(&turn).await;
    let calls = chat.calls();
    let (_, call) = calls.first().unwrap();
    assert!(call.tool_output.as_deref().unwrap().contains("\u{1b}[31mFAILED\u{1b}[0m"));
    assert_eq!(call.tool_output_is_error, Some(true));
    chat.assert_sound();
    theatre.close().await;
}
