//! Models that fail and machines that lack something.

use liminal_builder::provider::{OpenError, SessionOptions};
use liminal_core::event::Origin;

use crate::pin::Pin;
use crate::world::{World, both_pins};

both_pins!(
    an_error_of_the_api_ends_the_turn_and_the_next_one_works,
    a_stream_that_breaks_is_asked_again_and_nothing_shows_twice
);

async fn an_error_of_the_api_ends_the_turn_and_the_next_one_works(pin: Pin) {
    let mut world = World::new(pin).await;
    let mut chat = world.create().await;
    chat.turn("status:400 the request is bad").await;
    chat.turn("status:529x5").await;
    chat.turn("say:fine again").await;
    let ends = chat.ends();
    assert_eq!(ends.len(), 3, "{ends:?}");
    assert!(ends.iter().take(2).all(|end| end != "completed" && end != "cancelled"), "{ends:?}");
    assert_eq!(ends.last().unwrap(), "completed");
    let retries = |message: &&&liminal_core::upsert::MessageBody| message.origin == Origin::System;
    assert!(chat.messages().iter().filter(retries).count() >= 1, "a retry is told: {:?}", chat.said());
    chat.assert_sound();
}

async fn a_stream_that_breaks_is_asked_again_and_nothing_shows_twice(pin: Pin) {
    let mut world = World::new(pin).await;
    let mut chat = world.create().await;
    chat.turn("say:the whole answer drop:midx1").await;
    let answers = chat.said().iter().filter(|text| text.trim() == "the whole answer").count();
    assert_eq!(answers, 1, "{:?}", chat.said());
    assert_eq!(chat.ends(), ["completed"]);
    chat.assert_sound();
}

#[tokio::test]
async fn tc_3_1c_what_is_missing_is_told_and_nothing_is_left_running() {
    let mut world = World::new(Pin::Old).await;
    world.project = world.project.join("no-such-directory");
    let error = world.open(None, SessionOptions::default()).await.err().unwrap();
    assert_eq!(error.info().code, "PROJECT_DIR_INVALID");
    assert!(error.to_string().contains("no-such-directory"), "{error}");

    let mut world = World::new(Pin::Old).await;
    world.settings.program = Some(world.project.join("no-such-claude"));
    let error = world.open(None, SessionOptions::default()).await.err().unwrap();
    assert_eq!(error.info().code, "SPAWN_FAILED");
    assert!(error.to_string().contains("no-such-claude"), "{error}");

    world.settings.program = None;
    world.set("PATH", "/no-such-directory");
    let error = world.open(None, SessionOptions::default()).await.err().unwrap();
    assert!(error.to_string().contains("npm install"), "{error}");
    world.assert_no_process_is_left();
}

#[tokio::test]
async fn a_program_that_is_something_else_is_refused() {
    let mut world = World::new(Pin::Old).await;
    world.settings.program = Some("/bin/echo".into());
    let error = world.open(None, SessionOptions::default()).await.err().unwrap();
    assert!(matches!(error, OpenError::Unusable(_)), "{error}");
    assert!(error.to_string().contains("is not Claude Code"), "{error}");
}

#[tokio::test]
async fn options_that_the_program_would_misread_are_refused() {
    let mut world = World::new(Pin::Old).await;
    let options = SessionOptions { permission_mode: Some("bogus".into()), ..SessionOptions::default() };
    let error = world.open(None, options).await.err().unwrap();
    assert_eq!(error.info().code, "INVALID_REQUEST");
    world.assert_no_process_is_left();
}
