//! Agents that say nothing, or hear nothing.

use std::time::Duration;

use liminal_builder::process::StopLadder;
use liminal_core::session::Phase;
use liminal_core::upsert::{UpsertBody, UpsertStatus};

use super::ending::pieces;
use crate::chat::is_text;
use crate::world::{World, wait_until};

const SOON: Duration = Duration::from_millis(200);
/// Whoever waits for this does not come back within a test.
const NEVER: Duration = Duration::from_secs(3600);
const LARGE: usize = 2 * 1024 * 1024;

#[tokio::test]
async fn c04_a_turn_that_hangs_is_cancelled_by_ending_the_agent() {
    for prompt in ["!open 3 !hang", "!open 3 !linger !ignore-term !hang"] {
        let mut world = World::fake();
        world.patience.cancel = SOON;
        world.ladder = StopLadder { close_stdin: SOON, terminate: SOON, ..StopLadder::default() };
        let mut chat = world.create().await;
        chat.send(prompt).await.unwrap();
        chat.until(|output| is_text(output, "s1 ")).await;
        assert_eq!(chat.handle.phase(), Phase::Running);
        chat.handle.cancel().await.unwrap();
        chat.handle.cancel().await.unwrap();
        chat.end().await;
        assert_eq!(chat.ends(), ["cancelled"], "{prompt}");
        let shown = chat.shown();
        let [(_, _, UpsertBody::Message(message))] = shown.as_slice() else { panic!("{shown:?}") };
        assert_eq!(message.content, pieces(3), "what came before stays");
        world.assert_no_process_is_left();
        chat.assert_sound();
    }
}

#[tokio::test]
async fn c04_an_agent_that_hears_the_interrupt_is_not_ended() {
    let mut world = World::fake();
    let mut chat = world.create().await;
    let turn = chat.send("!open 3 !stall 3600000 !say 1").await.unwrap();
    chat.until(|output| is_text(output, "s1 ")).await;
    chat.handle.cancel().await.unwrap();
    chat.end_of(&turn).await;
    chat.turn("!say 1").await;
    assert_eq!(chat.ends(), ["cancelled", "completed"]);
    chat.assert_sound();
}

#[tokio::test]
async fn c04_an_agent_that_never_takes_its_prompt_is_given_up() {
    let mut world = World::fake();
    world.settings.patience.prompt_timeout = SOON;
    world.set("FAKE_AGENT_START", "!hang");
    let mut chat = world.create().await;
    assert_eq!(chat.send("!say 1").await.unwrap_err().info().code, "AGENT_NOT_READING");
    chat.end().await;
    assert_eq!(chat.ends(), ["AGENT_NOT_READING"]);
    world.assert_no_process_is_left();
}

#[tokio::test]
async fn c06_a_pause_is_no_end() {
    let mut world = World::fake();
    let mut chat = world.create().await;
    chat.turn("!open 3 !stall 300 !say 2").await;
    assert_eq!(chat.ends(), ["completed"]);
    assert_eq!(chat.said().last().unwrap().trim(), "s4 s5");
    chat.assert_sound();
}

#[tokio::test]
async fn c06_an_agent_that_closes_its_output_and_stays_fails_the_turn() {
    let mut world = World::fake();
    world.ladder = StopLadder { close_stdin: SOON, ..StopLadder::default() };
    let mut chat = world.create().await;
    chat.send("!open 3 !close-stdout !hang").await.unwrap();
    chat.end().await;
    assert_eq!(chat.ends(), ["PROCESS_CRASH"]);
    let shown = chat.shown();
    let [(UpsertStatus::Error, _, UpsertBody::Message(message))] = shown.as_slice() else {
        panic!("{shown:?}")
    };
    assert_eq!(message.content, pieces(3));
    world.assert_no_process_is_left();
    chat.assert_sound();
}

#[tokio::test]
async fn c13_a_prompt_that_is_not_read_is_refused_before_the_agent_is_gone() {
    let mut world = World::fake();
    world.settings.limits.send_patience = SOON;
    // The agent heeds nothing but the last step, and that does not come within the test.
    world.ladder = StopLadder { close_stdin: SOON, terminate: NEVER, ..StopLadder::default() };
    let mut chat = world.create().await;
    chat.turn("!noread !linger !ignore-term").await;
    let error = chat.send(&"x".repeat(LARGE)).await.unwrap_err();
    assert_eq!(error.info().code, "AGENT_NOT_READING");
}

#[tokio::test]
async fn c13_an_agent_that_does_not_read_is_ended() {
    let mut world = World::fake();
    world.settings.limits.send_patience = SOON;
    let mut chat = world.create().await;
    chat.turn("!noread").await;
    let error = chat.send(&"x".repeat(LARGE)).await.unwrap_err();
    assert_eq!(error.info().code, "AGENT_NOT_READING");
    chat.end().await;
    assert_eq!(chat.ends(), ["completed", "AGENT_NOT_READING"]);
    world.assert_no_process_is_left();
    chat.assert_sound();
}

#[tokio::test]
async fn c13_cancelling_works_while_the_agent_does_not_read() {
    let mut world = World::fake();
    world.settings.limits.send_patience = NEVER;
    world.patience.cancel = SOON;
    let mut chat = world.create().await;
    chat.turn("!noread").await;
    let large = "x".repeat(LARGE);
    let handle = chat.handle.clone();
    let cancel = async {
        handle.reach(Phase::Running).await;
        handle.cancel().await.unwrap();
    };
    let (sent, ()) = tokio::join!(chat.send(&large), cancel);
    sent.unwrap_err();
    chat.end().await;
    assert_eq!(chat.ends(), ["completed", "cancelled"]);
    world.assert_no_process_is_left();
    chat.assert_sound();
}

#[tokio::test]
async fn c13_killing_works_while_the_agent_does_not_read() {
    let mut world = World::fake();
    world.settings.limits.send_patience = NEVER;
    let mut chat = world.create().await;
    chat.turn("!noread").await;
    let large = "x".repeat(LARGE);
    let handle = chat.handle.clone();
    let kill = async {
        handle.reach(Phase::Running).await;
        handle.kill().await;
    };
    let (sent, ()) = tokio::join!(chat.send(&large), kill);
    sent.unwrap_err();
    world.assert_no_process_is_left();
    chat.end().await;
    assert_eq!(chat.ends(), ["completed", "cancelled"]);
    chat.assert_sound();
}

#[tokio::test]
async fn c04_silence_in_a_turn_is_told_and_the_turn_can_be_cancelled() {
    let mut world = World::fake();
    world.patience.stall = Duration::from_millis(300);
    let mut chat = world.create().await;
    chat.turn("!say 1").await;
    assert!(!chat.handle.diagnostics().is_stalled);
    let turn = chat.send("!open 3 !hang").await.unwrap();
    wait_until(|| chat.handle.diagnostics().is_stalled).await;
    chat.handle.cancel().await.unwrap();
    chat.end_of(&turn).await;
    assert_eq!(chat.ends(), ["completed", "cancelled"]);
}
