//! Codex in trouble.

use std::time::Duration;

use liminal_builder::agents::Launch;
use liminal_core::event::Origin;
use liminal_core::session::Phase;

use super::world::AcpWorld;
use crate::chat::{PATIENCE, is_text};
use crate::world::{kill_process, wait_until};

#[tokio::test]
async fn an_error_of_the_api_ends_the_turn_and_the_next_one_works() {
    let mut codex = AcpWorld::codex().await;
    let mut chat = codex.create().await;
    let faults = [
        "status:400 the request is bad",
        "status:401 who are you",
        "status:429 not so fast",
        "status:500x9",
        "say:half an answer sse-errorx9",
        "say:half an answer drop:midx9",
    ];
    for fault in faults {
        chat.turn(fault).await;
    }
    chat.turn("say:fine again").await;
    let ends = chat.ends();
    assert_eq!(ends.len(), faults.len() + 1, "{ends:?}");
    let failed = ends.iter().filter(|end| *end != "completed" && *end != "cancelled").count();
    assert_eq!(failed, faults.len(), "{ends:?}");
    assert_eq!(ends.last().unwrap(), "completed");
    chat.assert_sound();
    codex.end().await;
}

#[tokio::test]
async fn the_death_of_the_process_ends_the_turns_of_its_sessions_and_the_next_use_restarts_it() {
    let mut codex = AcpWorld::codex().await;
    let (mut one, mut two, idle) = (codex.create().await, codex.create().await, codex.create().await);
    let first = one.send("words:5000 slow:10ms").await.unwrap();
    let second = two.send("words:5000 slow:10ms").await.unwrap();
    for chat in [&mut one, &mut two] {
        chat.until(|output| is_text(output, "word1 ") && !is_text(output, "slow:")).await;
    }
    kill_process(&codex.instance, "codex-acp/dist");
    one.end_of(&first).await;
    two.end_of(&second).await;
    assert_eq!(
        (one.ends(), two.ends()),
        (vec!["PROCESS_CRASH".to_owned()], vec!["PROCESS_CRASH".to_owned()])
    );
    idle.handle.reach(Phase::Closed).await;
    assert!(idle.ends().is_empty());
    assert_eq!(one.send("say:anybody").await.unwrap_err().info().code, "PROCESS_CRASH");
    wait_until(|| codex.processes().is_empty()).await;

    let mut again = codex.open(Some(one.handle.session_id().clone())).await.unwrap();
    again.turn("say:back again").await;
    assert!(again.said().contains(&"back again"));
    again.assert_sound();
    codex.end().await;
}

#[tokio::test]
async fn the_death_of_codex_itself_ends_the_turn_and_the_session_goes_on() {
    let mut codex = AcpWorld::codex().await;
    let mut chat = codex.create().await;
    let turn = chat.send("words:5000 slow:10ms").await.unwrap();
    chat.until(|output| is_text(output, "word1 ") && !is_text(output, "slow:")).await;
    kill_process(&codex.instance, "app-server");
    chat.end_of(&turn).await;
    assert_eq!(chat.ends().len(), 1);
    assert_ne!(chat.ends(), ["completed"]);
    chat.turn("say:back again").await;
    assert!(chat.said().contains(&"back again"));
    chat.assert_sound();
    codex.end().await;
}

#[tokio::test]
async fn a_process_that_nobody_uses_is_ended_and_comes_back_unnoticed() {
    let mut codex = AcpWorld::codex().await;
    codex.change(|settings| settings.idle_timeout = Duration::from_millis(50));
    let mut chat = codex.create().await;
    chat.turn("say:one").await;
    let session = chat.handle.session_id().clone();
    assert!(!codex.processes().is_empty(), "a session that waits for its user keeps the process");
    chat.kill().await;
    wait_until(|| codex.processes().is_empty()).await;
    let mut again = codex.open(Some(session.clone())).await.unwrap();
    again.turn("say:two").await;
    assert_eq!(*again.handle.session_id(), session);
    let told = again.messages().into_iter().filter(|message| message.origin != Origin::System);
    let told: Vec<&str> = told.map(|message| message.content.as_str()).collect();
    assert_eq!(told, ["say:one", "one", "say:two", "two"]);
    codex.end().await;
}

#[tokio::test]
async fn a_process_that_ends_while_a_session_is_opened_says_why() {
    let mut codex = AcpWorld::codex().await;
    let script = "read line; echo 'config.toml:2: unclosed array' >&2; exit 1";
    codex.change(|settings| {
        let arguments = vec!["-c".to_owned(), script.to_owned()];
        settings.launch = Launch { program: "/bin/sh".into(), args: arguments }.into();
    });
    let opened = tokio::time::timeout(PATIENCE, codex.open(None)).await.expect("it is told in bounded time");
    let error = opened.err().unwrap();
    assert_eq!(error.info().code, "SPAWN_FAILED");
    assert!(error.to_string().ends_with("config.toml:2: unclosed array"), "{error}");
    codex.end().await;
}

#[tokio::test]
async fn a_missing_login_has_its_own_code_and_the_command() {
    let mut codex = AcpWorld::codex().await;
    codex.change(|settings| {
        settings.environment.retain(|(name, _)| name != "CODEX_CONFIG" && name != "MODEL_PROVIDER");
    });
    let error = codex.open(None).await.err().unwrap();
    assert_eq!(error.info().code, "LOGIN_REQUIRED");
    let error = error.to_string();
    assert!(error.starts_with("not logged in; run `"), "{error}");
    assert!(error.contains("@openai/codex/bin/codex.js login`, then try again"), "{error}");
    codex.end().await;
}

#[tokio::test]
async fn what_is_missing_is_told_and_nothing_is_left_running() {
    let mut codex = AcpWorld::codex().await;
    codex.change(|settings| {
        settings.launch = Launch { program: "/no/such/node".into(), args: Vec::new() }.into();
    });
    let error = codex.open(None).await.err().unwrap();
    assert_eq!(error.info().code, "SPAWN_FAILED");
    assert!(error.to_string().contains("/no/such/node"), "{error}");
    codex.end().await;

    let mut codex = AcpWorld::codex().await;
    codex.project = codex.project.join("no-such-directory");
    let error = codex.open(None).await.err().unwrap();
    assert_eq!(error.info().code, "PROJECT_DIR_INVALID");
    assert!(codex.processes().is_empty());
    codex.end().await;

    let mut codex = AcpWorld::codex().await;
    let unknown = "codex:0190a1b2-0000-7000-8000-000000000000";
    let error = codex.open(Some(unknown.into())).await.err().unwrap();
    assert_eq!(error.info().code, "SESSION_NOT_FOUND", "{error}");
    codex.end().await;
}

#[tokio::test]
async fn a_broken_configuration_is_told_as_such_and_not_as_a_missing_login() {
    let mut codex = AcpWorld::codex().await;
    let config = codex.home.path().join("codex/config.toml");
    std::fs::write(&config, "model = \"gpt-5.5\"\nmodel_provider = [\n").unwrap();
    codex.change(|settings| {
        settings.environment.retain(|(name, _)| name != "CODEX_CONFIG" && name != "MODEL_PROVIDER");
    });
    let error = codex.open(None).await.err().unwrap();
    assert!(error.to_string().contains("config.toml"), "{error}");
    assert!(!error.to_string().contains("login"), "{error}");
    codex.end().await;
}
