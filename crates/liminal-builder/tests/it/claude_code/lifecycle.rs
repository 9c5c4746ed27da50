//! Sessions that come back, and processes that go.

use liminal_builder::provider::OpenError;
use liminal_core::session::Phase;
use liminal_core::upsert::{Output, UpsertStatus};

use crate::chat::Chat;
use crate::pin::Pin;
use crate::world::{World, assert_knows, both_pins, kill_process, wait_until};

both_pins!(
    tc_3_1b_a_session_is_resumed_in_a_new_process_with_its_history,
    a_session_that_is_not_there_is_told_as_such,
    tc_3_4b_tc_3_4c_killing_ends_the_process_and_all_it_started,
    tc_3_2c_a_dead_process_takes_no_message,
    a_process_that_is_killed_in_its_turn_ends_it_with_an_error,
    dropping_the_last_handle_leaves_no_process
);

async fn tc_3_1b_a_session_is_resumed_in_a_new_process_with_its_history(pin: Pin) {
    let mut world = World::new(pin).await;
    let mut chat = world.create().await;
    chat.turn("say:remember the fox").await;
    chat.turn(r#"tool:Bash {"command":"echo out","description":"d"}"#).await;
    let session = chat.handle.session_id().clone();
    chat.kill().await;
    world.assert_no_process_is_left();

    let mut again = world.load(&session).await.unwrap();
    assert_eq!(*again.handle.session_id(), session);
    again.turn("say:and on").await;
    assert_eq!(again.said().first(), Some(&"say:remember the fox"));
    assert!(again.said().contains(&"remember the fox"));
    assert!(again.said().contains(&"and on"));
    let calls = again.calls();
    assert_eq!(calls.first().unwrap().1.tool_output.as_deref().map(str::trim), Some("out"));
    assert_knows(world.model(), "and on", "remember the fox");
    again.assert_sound();
}

async fn a_session_that_is_not_there_is_told_as_such(pin: Pin) {
    let mut world = World::new(pin).await;
    for id in [
        "claude-code:0f3c2a54-7d1e-4b8a-9c60-5e2f1a7b3d94",
        "claude-code:../../etc",
        "codex:1",
        "claude-code:",
    ] {
        let error = world.load(&id.into()).await.err().unwrap();
        assert!(matches!(error, OpenError::SessionNotFound(_)), "{id}: {error}");
    }
    world.assert_no_process_is_left();
}

async fn tc_3_4b_tc_3_4c_killing_ends_the_process_and_all_it_started(pin: Pin) {
    let mut world = World::new(pin).await;
    let mut chat = world.create().await;
    chat.handle.reach(Phase::Idle).await;
    assert!(chat.handle.is_alive());
    let prompt = r#"tool:Bash {"command":"setsid sleep 1000 & sleep 1000","description":"wait"}"#;
    let turn = chat.send(prompt).await.unwrap();
    let (item, _) = chat.permission().await;
    chat.answer(item, "allow_once").await;
    let sleeping =
        |world: &World| world.processes().iter().filter(|process| process.contains("sleep")).count();
    wait_until(|| sleeping(&world) >= 2).await;
    chat.kill().await;
    assert!(!chat.handle.is_alive());
    world.assert_no_process_is_left();
    assert_eq!(chat.ends(), ["cancelled"]);
    assert!(chat.log.iter().any(|output| matches!(output, Output::Turn(_))), "{turn}");
    chat.assert_sound();
}

async fn tc_3_2c_a_dead_process_takes_no_message(pin: Pin) {
    let mut world = World::new(pin).await;
    let mut chat = world.create().await;
    chat.handle.reach(Phase::Idle).await;
    chat.kill().await;
    let error = chat.send("say:anybody").await.unwrap_err();
    assert_eq!(error.info().code, "PROCESS_CRASH");
}

async fn a_process_that_is_killed_in_its_turn_ends_it_with_an_error(pin: Pin) {
    let mut world = World::new(pin).await;
    let mut chat = world.create().await;
    let turn = chat.send("words:5000 slow:10ms").await.unwrap();
    chat.until(|output| matches!(output, Output::Upsert(upsert) if upsert.status == UpsertStatus::Update))
        .await;
    kill_process(&world.instance, "stream-json");
    chat.end_of(&turn).await;
    assert_eq!(chat.ends(), ["PROCESS_CRASH"]);
    chat.handle.reach(Phase::Closed).await;
    assert_eq!(chat.send("say:anybody").await.unwrap_err().info().code, "PROCESS_CRASH");
    world.assert_no_process_is_left();
    chat.assert_sound();

    let mut again = world.load(chat.handle.session_id()).await.unwrap();
    again.turn("say:back again").await;
    assert!(again.said().contains(&"back again"));
}

async fn dropping_the_last_handle_leaves_no_process(pin: Pin) {
    let mut world = World::new(pin).await;
    let chat = world.create().await;
    chat.handle.reach(Phase::Idle).await;
    assert!(!world.processes().is_empty());
    let Chat { handle, .. } = chat;
    drop(handle);
    wait_until(|| world.processes().is_empty()).await;
}
