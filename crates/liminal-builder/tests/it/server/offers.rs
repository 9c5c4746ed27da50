//! What can be chosen while no agent runs: after a restart, and before the first message.

use liminal_core::wire::rest::SessionStatus;
use serde_json::json;

use super::found::claude;
use super::machine::Machine;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(the_mode_of_claude_code_is_chosen_before_the_first_message);

#[tokio::test]
async fn model_mode_and_commands_are_kept_over_a_restart() {
    let machine = Machine::new();
    let server = machine.start().await;
    let id = server.create("demo").await;
    server.turn(&id, "hello").await;
    let path = format!("/api/session/{id}/configure");
    server.post(&path, json!({ "permissionMode": "auto" })).await.read::<SessionStatus>(200);
    let before = server.status(&id).await.view.agent;
    assert!(!before.abilities.commands.is_empty() && before.model.is_some(), "{before:?}");
    server.stop().await;

    let server = machine.start_bare().await;
    let after = server.status(&id).await.view;
    assert!(!after.is_alive);
    assert_eq!(after.agent.abilities.commands, before.abilities.commands);
    assert_eq!(after.agent.abilities.models, before.abilities.models);
    assert_eq!((&after.agent.model, after.agent.permission_mode.as_deref()), (&before.model, Some("auto")));
    let current = |category: &str| {
        let mut options = after.agent.abilities.options.iter();
        options.find(|option| option.category.as_deref() == Some(category)).unwrap().current.clone()
    };
    assert_eq!((current("mode").as_deref(), current("model")), (Some("auto"), before.model));
    // Another choice holds at once, and with the agent of the next message.
    let path = format!("/api/session/{id}/configure");
    let chosen = json!({ "options": { "mode": "ask", "model": "demo-slow" } });
    let status: SessionStatus = server.post(&path, chosen).await.read(200);
    assert_eq!(status.view.agent.permission_mode.as_deref(), Some("ask"));
    server.turn(&id, "hello").await;
    let agent = server.status(&id).await.view.agent;
    assert_eq!((agent.permission_mode.as_deref(), agent.model.as_deref()), (Some("ask"), Some("demo-slow")));
    server.stop().await;
}

#[tokio::test]
async fn a_session_that_was_never_run_here_offers_what_the_last_one_of_its_agent_did() {
    let machine = Machine::new();
    let server = machine.start().await;
    let (ran, other) = (server.create("demo").await, server.create("demo").await);
    server.turn(&ran, "hello").await;
    server.turn(&other, "hello").await;
    let offered = server.status(&ran).await.view.agent.abilities;
    // Only the agent remembers the other one now.
    assert_eq!(server.delete(&format!("/api/session/{other}")).await.status, 204);
    server.stop().await;
    let server = machine.start_bare().await;
    server.list().await;
    let view = server.until(&ran, |status| !status.view.agent.abilities.models.is_empty()).await.view;
    assert_eq!((view.is_alive, view.agent.abilities.models), (false, offered.models.clone()));
    let created = server.create("demo").await;
    let abilities = server.status(&created).await.view.agent.abilities;
    assert_eq!(abilities.permission_modes, offered.permission_modes);
    server.stop().await;
}

async fn the_mode_of_claude_code_is_chosen_before_the_first_message(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    claude(pin, &machine, &["-p", "say:from outside"]).await;
    let server = machine.start().await;
    let id = server.list().await.remove(0).session_id;
    let view = server.status(&id).await.view;
    let modes: Vec<_> = view.agent.abilities.permission_modes.iter().map(|mode| mode.id.as_str()).collect();
    assert!(!view.is_alive && modes.contains(&"default") && modes.contains(&"plan"), "{view:?}");
    assert_eq!(view.agent.permission_mode.as_deref(), Some("default"));
    let path = format!("/api/session/{id}/configure");
    let status: SessionStatus = server.post(&path, json!({ "permissionMode": "plan" })).await.read(200);
    assert!(!status.view.is_alive);
    server.turn(&id, "say:inside").await;
    let running = server.status(&id).await.view.agent;
    assert_eq!(running.permission_mode.as_deref(), Some("plan"));
    assert!(running.model.is_some() && !running.abilities.commands.is_empty(), "{running:?}");
    server.stop().await;

    let server = machine.start_bare().await;
    let kept = server.status(&id).await.view.agent;
    assert_eq!((kept.model, kept.permission_mode), (running.model, running.permission_mode));
    assert_eq!(kept.abilities.commands, running.abilities.commands);
    server.stop().await;
}
