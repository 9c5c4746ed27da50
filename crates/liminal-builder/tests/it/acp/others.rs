//! Other agents: a new session, a prompt with a tool, a permission.

use liminal_builder::agents::{Detector, Machine};
use liminal_builder::config::{AgentConfig, Config};
use liminal_builder::process::{Environment, InstanceId};
use liminal_builder::provider::{OpenRequest, Provider as _, ProviderRegistry, SessionOptions};
use liminal_builder::session::{SessionHandle, Setup};
use liminal_core::ids::SessionId;
use serde_json::Value;
use tokio::task::JoinSet;

use super::world::{AcpWorld, codex_adapter};
use crate::chat::Chat;
use crate::tap::tap;
use crate::world::wait_until;

/// The command asks first; it runs when it is allowed, and what it says is shown.
async fn runs_a_tool_with_permission(mut world: AcpWorld, prompt: &str) {
    let mut chat = world.create().await;
    chat.turn("say:hello there").await;
    assert!(chat.said().iter().any(|text| text.trim() == "hello there"), "{:?}", chat.said());

    let turn = chat.send(&prompt.replace("PROJECT", &world.project.display().to_string())).await.unwrap();
    let (item, asked) = chat.permission().await;
    assert!(!world.project.join("made").exists());
    let allow = asked.request.options.iter().find(|option| option.kind.as_str() == "allow_once").unwrap();
    chat.answer(item, &allow.option_id).await;
    chat.end_of(&turn).await;
    assert!(world.project.join("made").exists());
    assert!(!chat.calls().is_empty());
    assert_eq!(chat.ends(), ["completed", "completed"]);
    chat.assert_sound();
    world.end().await;
}

#[tokio::test]
async fn gemini_runs_a_tool_with_permission() {
    let prompt = r#"tool:run_shell_command {"command":"touch PROJECT/made"}"#;
    runs_a_tool_with_permission(AcpWorld::gemini().await, prompt).await;
}

#[tokio::test]
async fn opencode_runs_a_tool_with_permission() {
    let prompt = r#"tool:bash {"command":"touch PROJECT/made","description":"make it"}"#;
    runs_a_tool_with_permission(AcpWorld::opencode().await, prompt).await;
}

#[tokio::test]
async fn the_other_adapter_of_codex_runs_a_tool_with_permission() {
    runs_a_tool_with_permission(
        AcpWorld::zed().await,
        r#"tool:exec_command {"cmd":"touch PROJECT/made","sandbox_permissions":"require_escalated","justification":"why"}"#,
    )
    .await;
}

/// A session of earlier, of which a new process is asked; tells whether it has a list.
async fn session_of_earlier(world: &mut AcpWorld) -> (SessionId, bool) {
    let mut chat = world.create().await;
    chat.turn("say:remember the fox").await;
    let session = chat.handle.session_id().clone();
    chat.kill().await;
    world.restart();
    let (agent, project) = (world.agent(), world.project.clone());
    assert!(agent.is_stale(&project) && agent.found(project.clone()).await.unwrap().sessions.is_empty());
    let has_list = agent.recall(project.clone()).await.unwrap();
    assert!(!agent.is_stale(&project));
    let found = agent.found(project).await.unwrap().sessions;
    let found: Vec<String> = found.iter().map(|found| format!("{}:{}", agent.cli_type(), found.id)).collect();
    assert_eq!(found, if has_list { vec![session.to_string()] } else { Vec::new() });
    (session, has_list)
}

#[tokio::test]
async fn opencode_lists_its_sessions_of_earlier_and_opens_them() {
    let mut world = AcpWorld::opencode().await;
    let (session, has_list) = session_of_earlier(&mut world).await;
    assert!(has_list);
    let mut again = world.open(Some(session)).await.unwrap();
    again.turn("say:and on").await;
    let said = again.said();
    for text in ["say:remember the fox", "remember the fox", "and on"] {
        assert_eq!(said.iter().filter(|said| said.trim() == text).count(), 1, "{text}: {said:?}");
    }
    again.assert_sound();
    world.end().await;
}

/// The lines of Gemini's own file of a session.
fn gemini_file(world: &AcpWorld, session: &SessionId) -> Vec<Value> {
    let id = session.as_str().strip_prefix("gemini:").unwrap();
    let chats = world.home.path().join(".gemini/tmp/project/chats");
    let files = std::fs::read_dir(chats).unwrap().map(|entry| entry.unwrap().path());
    let texts = files.map(|file| std::fs::read_to_string(file).unwrap());
    let text = texts.into_iter().find(|text| text.contains(id)).unwrap();
    // The last line may just be written.
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Gemini announces no list. As it loads a session, one part of it empties the messages in the session's file while
/// another reads them. Usually the file is emptied first, and the session cannot be opened; the error says why.
#[tokio::test]
async fn gemini_lists_no_session_of_earlier_and_says_why_it_opens_none() {
    let mut world = AcpWorld::gemini().await;
    let (session, has_list) = session_of_earlier(&mut world).await;
    assert!(!has_list);
    let before = gemini_file(&world, &session);
    assert!(before.iter().any(|line| line["content"] == "remember the fox"), "{before:?}");
    match world.open(Some(session.clone())).await {
        Err(error) => assert_gemini_forgot(&world, &session, &before, &error.to_string()).await,
        Ok(mut again) => {
            again.turn("say:and on").await;
            assert!(again.said().iter().any(|said| said.trim() == "and on"), "{:?}", again.said());
            again.assert_sound();
        }
    }
    world.end().await;
}

async fn assert_gemini_forgot(world: &AcpWorld, session: &SessionId, before: &[Value], error: &str) {
    assert!(error.contains("No previous sessions found"), "{error}");
    let messages = |lines: &[Value]| -> Vec<Value> {
        lines.iter().filter_map(|line| line.pointer("/$set/messages").cloned()).collect()
    };
    // It writes that whenever it comes to it.
    wait_until(|| !messages(&gemini_file(world, session)[before.len()..]).is_empty()).await;
    let after = gemini_file(world, session);
    let (kept, added) = after.split_at(before.len());
    assert_eq!(kept, before);
    assert!(!format!("{:?}", messages(added)).contains("remember the fox"), "{added:?}");
}

/// Codex under another name, as if it were an agent that nobody knows.
#[tokio::test]
async fn any_agent_can_be_set_in_the_configuration() {
    let world = AcpWorld::codex().await;
    let text = |value: &std::ffi::OsString| value.to_str().unwrap().to_owned();
    let variables = world.settings.environment.iter().map(|(name, value)| (text(name), text(value)));
    let agent = AgentConfig {
        command: Some("node".into()),
        args: codex_adapter().args,
        env: variables.collect(),
        idle_seconds: Some(0),
        ..AgentConfig::default()
    };
    let config = Config { agents: [("my-agent".to_owned(), agent)].into(), ..Config::default() };
    let environment = Environment::inherited();
    let (managed, data) = (world.home.path().to_owned(), world.home.path().to_owned());
    let (detector, detection) = Detector::start(Machine { config, environment, managed, data });
    let registry = ProviderRegistry::of(&detector, &InstanceId::new(&world.instance).unwrap());
    let (directory, options) = (world.project.clone(), SessionOptions::default());
    let request = OpenRequest { directory, resume: None, options, past: Vec::new() };
    let opened = registry.get("my-agent").unwrap().open(request).await.unwrap();
    let (outlet, outputs) = tap(64);
    let mut tasks = JoinSet::new();
    let handle = SessionHandle::start(opened, Setup::default(), outlet, &mut tasks);
    let mut chat = Chat { handle, log: Vec::new(), outputs };
    assert!(chat.handle.session_id().as_str().starts_with("my-agent:"));
    chat.turn("say:hello there").await;
    assert!(chat.said().contains(&"hello there"));
    chat.kill().await;
    wait_until(|| world.processes().is_empty()).await;
    drop(registry);
    detection.close().await;
    world.end().await;
}
