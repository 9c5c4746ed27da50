//! What goes wrong between us and an API.

use std::time::Duration;

use liminal_core::event::Origin;
use liminal_core::session::Phase;
use liminal_core::upsert::{Output, Upsert, UpsertBody, UpsertStatus};
use tokio::net::TcpListener;

use super::world::{ModelWorld, is_anthropic, scripted, vendors};
use crate::chat::{Chat, PATIENCE};

fn notes(chat: &Chat) -> Vec<&str> {
    let notes = chat.messages().into_iter().filter(|message| message.origin == Origin::System);
    notes.map(|note| note.content.as_str()).collect()
}

/// The first words of the model, and not the prompt that asks for them.
fn says_one(output: &Output) -> bool {
    let Output::Upsert(Upsert { body: UpsertBody::Message(message), .. }) = output else { return false };
    message.origin == Origin::Agent && message.content.starts_with("one")
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_as_long_as_it_says() {
    for vendor in vendors() {
        let (model, mut world) = scripted(vendor).await;
        let mut chat = world.create().await;
        chat.turn("status:429x1 retry-after:1 say:fine").await;
        let [note] = notes(&chat)[..] else { panic!("{:?}", notes(&chat)) };
        assert!(note.starts_with("The model's API failed (status 429, rate limit"), "{note}");
        assert!(note.ends_with("Retry 1 of 5 in 1.0 s."), "{note}");
        assert_eq!(chat.said().last(), Some(&"fine"));
        assert_eq!(chat.ends(), ["completed"]);
        assert_eq!(model.requests().len(), 2);
        chat.assert_sound();
    }
}

#[tokio::test]
async fn an_api_that_is_overloaded_or_hangs_up_is_asked_again() {
    for vendor in vendors() {
        for mishap in ["status:529x1", "status:503x1", "drop:startx1"] {
            let (model, mut world) = scripted(vendor).await;
            let mut chat = world.create().await;
            chat.turn(&format!("{mishap} say:fine")).await;
            assert_eq!(notes(&chat).len(), 1, "{mishap}: {:?}", notes(&chat));
            assert_eq!(chat.said().last(), Some(&"fine"));
            assert_eq!(model.requests().len(), 2);
        }
    }
}

#[tokio::test]
async fn an_error_that_stays_is_told_in_the_apis_own_words() {
    for vendor in vendors() {
        for (status, anthropic, openai) in [
            (401, "authentication_error", "invalid_api_key"),
            (400, "invalid_request_error", "invalid_request_error"),
            (404, "not_found_error", "invalid_request_error"),
        ] {
            let (model, mut world) = scripted(vendor).await;
            let mut chat = world.create().await;
            chat.turn(&format!("status:{status} this is why")).await;
            assert_eq!(chat.ends(), [if is_anthropic(vendor) { anthropic } else { openai }]);
            assert_eq!(model.requests().len(), 1);
            chat.turn("say:fine").await;
            assert_eq!(chat.said().last(), Some(&"fine"));
            chat.assert_sound();
        }
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_kept_as_far_as_it_came() {
    for vendor in vendors() {
        for mishap in ["drop:3", "drop:block"] {
            let (model, mut world) = scripted(vendor).await;
            let mut chat = world.create().await;
            chat.turn(&format!("say:one two three four five six\nsay:more {mishap}")).await;
            assert_eq!(chat.ends(), ["STREAM_ENDED"]);
            assert!(chat.log.iter().any(says_one), "{:#?}", chat.log);
            assert_eq!(model.requests().len(), 1);
            chat.assert_sound();
            chat.turn("say:fine").await;
            assert_eq!(chat.said().last(), Some(&"fine"));
        }
    }
}

#[tokio::test]
async fn an_error_inside_an_answer_is_kept_with_it() {
    for vendor in vendors() {
        let (_model, mut world) = scripted(vendor).await;
        let mut chat = world.create().await;
        chat.turn("say:one two three four sse-error:some_error").await;
        assert_eq!(chat.ends(), ["some_error"]);
        let (status, code, _) = *chat.shown().last().unwrap();
        assert_eq!((status, code), (UpsertStatus::Error, Some("some_error")));
        chat.assert_sound();
    }
}

#[tokio::test]
async fn a_silent_api_can_be_stopped_and_asked_again() {
    for vendor in vendors() {
        let (_model, mut world) = scripted(vendor).await;
        let mut chat = world.create().await;
        let turn = chat.send("say:one two three\nstall").await.unwrap();
        chat.until(says_one).await;
        chat.handle.cancel().await.unwrap();
        chat.end_of(&turn).await;
        assert_eq!(chat.ends(), ["cancelled"]);
        chat.handle.reach(Phase::Idle).await;
        chat.turn("say:fine").await;
        assert_eq!(chat.said().last(), Some(&"fine"));
        chat.assert_sound();
    }
}

#[tokio::test]
async fn an_api_that_stays_silent_is_given_up() {
    for vendor in vendors() {
        let (_model, mut world) = scripted(vendor).await;
        world.settings.patience.silence = Duration::from_secs(1);
        let mut chat = world.create().await;
        chat.turn("say:one two three\nstall").await;
        assert_eq!(chat.ends(), ["STREAM_ENDED"]);
        assert!(format!("{:?}", chat.log).contains("the API said nothing for 1 s"), "{:?}", chat.log);
    }
}

#[tokio::test]
async fn a_session_with_a_silent_api_ends_at_once() {
    for vendor in vendors() {
        let (_model, mut world) = scripted(vendor).await;
        let mut chat = world.create().await;
        chat.send("say:one two three\nstall").await.unwrap();
        chat.until(says_one).await;
        tokio::time::timeout(PATIENCE, chat.kill()).await.unwrap();
        assert_eq!(chat.ends(), ["cancelled"]);
    }
}

#[tokio::test]
async fn an_api_that_is_not_there_is_told_with_what_was_tried() {
    for vendor in vendors() {
        let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let mut world = ModelWorld::at(vendor, &format!("http://{address}"));
        world.settings.options.retry.most = 1;
        let mut chat = world.create().await;
        chat.turn("anybody there?").await;
        assert_eq!(chat.ends(), ["MODEL_UNREACHABLE"]);
        let [note] = notes(&chat)[..] else { panic!("{:?}", notes(&chat)) };
        assert!(
            note.contains("(no answer, cannot connect to 127.0.0.1: ") && note.contains("refused"),
            "{note}"
        );
    }
}
