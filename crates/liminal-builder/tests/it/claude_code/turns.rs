//! Turns of plain words.

use liminal_core::event::Origin;
use liminal_core::session::Phase;
use liminal_core::upsert::{Output, TurnEvent, UpsertStatus};

use crate::chat::{is_text, turn_of};
use crate::pin::Pin;
use crate::world::{World, both_pins};

both_pins!(
    tc_3_1a_tc_2_1b_a_new_session_is_a_process_that_stays,
    tc_3_2a_a_message_is_taken_before_its_turn_ends,
    tc_3_2b_two_messages_go_to_one_process_in_order,
    tc_3_3a_tc_3_3f_a_long_text_grows_in_place_and_the_turn_tells_its_model_and_cost,
    tc_3_3d_thoughts_are_shown,
    tc_3_4a_a_cancelled_turn_ends_and_the_next_one_works
);

async fn tc_3_1a_tc_2_1b_a_new_session_is_a_process_that_stays(pin: Pin) {
    let mut world = World::new(pin).await;
    let chat = world.create().await;
    chat.handle.reach(Phase::Idle).await;
    assert!(chat.handle.is_alive());
    assert!(chat.handle.session_id().as_str().starts_with("claude-code:"));
    assert!(!world.processes().is_empty());
}

async fn tc_3_2a_a_message_is_taken_before_its_turn_ends(pin: Pin) {
    let mut world = World::new(pin).await;
    let mut chat = world.create().await;
    let turn = chat.send("say:hello there stall").await.unwrap();
    assert_eq!(chat.handle.phase(), Phase::Running);
    let busy = chat.send("say:again").await.unwrap_err();
    assert_eq!(busy.info().code, "TURN_IN_PROGRESS");
    chat.handle.cancel().await.unwrap();
    chat.end_of(&turn).await;
    assert!(chat.log.iter().all(|output| *turn_of(output) == turn));
    chat.assert_sound();
}

async fn tc_3_2b_two_messages_go_to_one_process_in_order(pin: Pin) {
    let mut world = World::new(pin).await;
    let mut chat = world.create().await;
    let first = chat.turn("say:one").await;
    let processes = world.processes();
    let second = chat.turn("say:two").await;
    assert_eq!(world.processes(), processes);
    assert_ne!(first, second);
    assert_eq!(chat.said(), ["say:one", "one", "say:two", "two"]);
    assert_eq!(chat.ends(), ["completed", "completed"]);
    let origins: Vec<Origin> = chat.messages().iter().map(|message| message.origin).collect();
    assert_eq!(origins, [Origin::User, Origin::Agent, Origin::User, Origin::Agent]);
    chat.assert_sound();
}

async fn tc_3_3a_tc_3_3f_a_long_text_grows_in_place_and_the_turn_tells_its_model_and_cost(pin: Pin) {
    let mut world = World::new(pin).await;
    let mut chat = world.create().await;
    chat.turn("words:400").await;
    let growing = chat.upserts().filter(|upsert| upsert.status == UpsertStatus::Update).count();
    assert!(growing >= 2, "{growing} updates");
    let started = |output: &&Output| matches!(output, Output::Turn(TurnEvent::TurnStarted { model_id, .. }) if model_id.contains("claude"));
    assert_eq!(chat.log.iter().filter(started).count(), 1);
    let costs = |output: &&Output| matches!(output, Output::Turn(TurnEvent::TurnComplete { usage: Some(usage), .. }) if usage.output_tokens > 0);
    assert_eq!(chat.log.iter().filter(costs).count(), 1);
    chat.assert_sound();
}

async fn tc_3_3d_thoughts_are_shown(pin: Pin) {
    let mut world = World::new(pin).await;
    let mut chat = world.create().await;
    chat.turn("think:let me see\nsay:done").await;
    assert_eq!(chat.thoughts(), ["let me see"]);
    assert!(chat.said().contains(&"done"));
    chat.assert_sound();
}

async fn tc_3_4a_a_cancelled_turn_ends_and_the_next_one_works(pin: Pin) {
    let mut world = World::new(pin).await;
    let mut chat = world.create().await;
    let turn = chat.send("words:2000 slow:20ms").await.unwrap();
    chat.until(|output| is_text(output, " ") && !is_text(output, "slow:")).await;
    chat.handle.cancel().await.unwrap();
    chat.handle.cancel().await.unwrap();
    chat.end_of(&turn).await;
    assert_eq!(chat.ends(), ["cancelled"]);
    chat.turn("say:still here").await;
    assert!(chat.said().contains(&"still here"));
    assert_eq!(chat.ends(), ["cancelled", "completed"]);
    chat.assert_sound();
}
