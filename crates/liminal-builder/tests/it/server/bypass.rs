//! Agents that act without asking: only where the server was started for it and a person says so.

use liminal_core::wire::rest::{SessionOpened, SessionState, SessionStatus};
use serde_json::json;

use super::client::eventually;
use super::machine::Machine;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(a_running_session_is_not_unguarded_without_a_word_and_takes_other_modes);

const MODE: &str = "bypassPermissions";

#[tokio::test]
async fn without_the_flag_nothing_runs_unguarded() {
    let machine = Machine::with_fake();
    let server = machine.start().await;
    for confirmed in [false, true] {
        let options = json!({ "permissionMode": MODE, "confirmUnguarded": confirmed });
        server.create_with("claude-code", options).await.assert_problem(403, "BYPASS_NOT_ALLOWED");
    }
    let id = server.create("claude-code").await;
    let wish = json!({ "permissionMode": MODE, "confirmUnguarded": true });
    let answer = server.post(&format!("/api/session/{id}/configure"), wish).await;
    answer.assert_problem(403, "BYPASS_NOT_ALLOWED");
    eventually(|| machine.starts().len() == 1).await;
    assert!(!machine.starts()[0].contains(MODE));
    server.stop().await;
}

#[tokio::test]
async fn with_the_flag_and_a_word_a_session_runs_unguarded_and_shows_it() {
    let mut machine = Machine::with_fake();
    machine.flags.push("--allow-bypass");
    let server = machine.start().await;
    let unconfirmed = server.create_with("claude-code", json!({ "permissionMode": MODE })).await;
    unconfirmed.assert_problem(403, "BYPASS_NOT_CONFIRMED");
    let options = json!({ "permissionMode": MODE, "confirmUnguarded": true });
    let opened: SessionOpened = server.create_with("claude-code", options).await.read(201);
    assert!(server.status(&opened.session_id).await.view.is_unguarded);
    eventually(|| machine.starts().len() == 1).await;
    assert!(machine.starts()[0].contains(&format!("--permission-mode={MODE}")), "{:?}", machine.starts());
    let guarded = server.create("claude-code").await;
    assert!(!server.status(&guarded).await.view.is_unguarded);
    server.stop().await;
}

#[tokio::test]
async fn an_agent_that_was_begun_guarded_is_begun_anew_once_it_rests() {
    let mut machine = Machine::with_fake();
    machine.flags.push("--allow-bypass");
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    server.turn(&id, "!say 1").await;
    let path = format!("/api/session/{id}/configure");
    let confirmed = json!({ "permissionMode": MODE, "confirmUnguarded": true });
    server.send(&id, "!say 1 !stall 60000").await;
    server.post(&path, confirmed.clone()).await.assert_problem(409, "WRONG_STATE");
    assert!(!server.status(&id).await.view.is_unguarded);
    server.act(&id, "cancel").await;
    server.until(&id, |status| status.view.state == SessionState::Idle).await;
    let status: SessionStatus = server.post(&path, confirmed).await.read(200);
    assert_eq!(status.view.agent.permission_mode.as_deref(), Some(MODE));
    assert!(status.view.is_unguarded && !status.view.is_alive);
    server.turn(&id, "!say 1").await;
    assert!(server.status(&id).await.view.is_unguarded);
    let starts = machine.starts();
    assert_eq!(starts.len(), 2, "{starts:?}");
    assert!(!starts[0].contains(MODE) && starts[1].contains(MODE), "{starts:?}");
    server.stop().await;
}

/// The real Codex offers its modes as an option, too.
#[tokio::test]
async fn an_option_is_no_way_around_the_flag() {
    let machine = Machine::with_codex().await;
    let server = machine.start().await;
    let id = server.create("codex").await;
    server.turn(&id, "say:hello").await;
    let agent = server.status(&id).await.view.agent;
    let option = agent.abilities.options.iter().find(|option| option.category.as_deref() == Some("mode"));
    let option = option.expect("modes are offered as an option");
    let unguarded = option.choices.iter().find(|choice| choice.id.contains("full-access")).unwrap();
    let path = format!("/api/session/{id}/configure");
    for confirmed in [false, true] {
        let wish = json!({ "options": { &option.id: unguarded.id }, "confirmUnguarded": confirmed });
        server.post(&path, wish).await.assert_problem(403, "BYPASS_NOT_ALLOWED");
    }
    assert_eq!(server.status(&id).await.view.agent.permission_mode, agent.permission_mode);
    let wish = json!({ "options": { &option.id: "read-only" } });
    let status: SessionStatus = server.post(&path, wish).await.read(200);
    assert_eq!(status.view.agent.permission_mode.as_deref(), Some("read-only"));
    server.stop().await;
}

/// With the real program, which was started guarded.
async fn a_running_session_is_not_unguarded_without_a_word_and_takes_other_modes(pin: Pin) {
    let mut machine = Machine::with_claude(pin).await;
    machine.flags.push("--allow-bypass");
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    server.turn(&id, "say:hello").await;
    let path = format!("/api/session/{id}/configure");
    let unconfirmed = server.post(&path, json!({ "permissionMode": MODE })).await;
    unconfirmed.assert_problem(403, "BYPASS_NOT_CONFIRMED");
    let status: SessionStatus =
        server.post(&path, json!({ "permissionMode": "acceptEdits" })).await.read(200);
    assert_eq!(
        (status.view.agent.permission_mode.as_deref(), status.view.is_unguarded),
        (Some("acceptEdits"), false)
    );
    server.post(&path, json!({ "permissionMode": "nonsense" })).await.assert_problem(400, "INVALID_REQUEST");
    server.stop().await;
}

async fn counts_only_with_the_flag(mut machine: Machine, cli_type: &str, modes: [&str; 2], prompt: &str) {
    let [unguarded, guarded] = modes;
    machine.flags.push("--allow-bypass");
    let server = machine.start().await;
    let id = server.create(cli_type).await;
    server.turn(&id, prompt).await;
    let path = format!("/api/session/{id}/configure");
    let wish = json!({ "permissionMode": unguarded, "confirmUnguarded": true });
    server.post(&path, wish).await.read::<SessionStatus>(200);
    server.turn(&id, prompt).await;
    assert!(server.status(&id).await.view.is_unguarded);
    server.stop().await;

    machine.flags.clear();
    let server = machine.start_bare().await;
    server.say(&id, prompt).await.assert_problem(403, "BYPASS_NOT_ALLOWED");
    assert!(!server.status(&id).await.view.is_alive);
    server.post(&path, json!({ "permissionMode": guarded })).await.read::<SessionStatus>(200);
    server.turn(&id, prompt).await;
    assert!(!server.status(&id).await.view.is_unguarded);
    server.stop().await;
}

#[tokio::test]
async fn a_word_counts_only_on_a_server_with_the_flag_with_codex() {
    let modes = ["agent-full-access", "read-only"];
    counts_only_with_the_flag(Machine::with_codex().await, "codex", modes, "say:hello").await;
}

#[tokio::test]
async fn a_word_counts_only_on_a_server_with_the_flag_with_claude_code() {
    counts_only_with_the_flag(Machine::with_fake(), "claude-code", [MODE, "default"], "!say 1").await;
}
