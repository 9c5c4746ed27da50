//! Turns as they should go.

use liminal_builder::provider::SessionOptions;
use liminal_builder::provider::model_api::Vendor;
use liminal_core::event::Origin;
use liminal_core::session::Phase;
use liminal_core::upsert::{Output, TurnEvent, UpsertStatus};
use serde_json::{Value, json};

use super::raw::{RawServer, stream};
use super::streams::answer;
use super::world::{ModelWorld, is_anthropic, scripted, vendors};

#[tokio::test]
async fn words_come_as_from_any_agent() {
    for vendor in vendors() {
        let (model, mut world) = scripted(vendor).await;
        let mut chat = world.create().await;
        chat.handle.reach(Phase::Idle).await;
        assert!(chat.handle.session_id().as_str().starts_with(&format!("{}:", vendor.cli_type)));
        chat.turn("words:400").await;
        let growing = chat.upserts().filter(|upsert| upsert.status == UpsertStatus::Update).count();
        assert!(growing >= 2, "{growing} updates");
        let started = |output: &&Output| matches!(output, Output::Turn(TurnEvent::TurnStarted { model_id, .. }) if model_id == vendor.default_model);
        assert_eq!(chat.log.iter().filter(started).count(), 1);
        let costs = |output: &&Output| matches!(output, Output::Turn(TurnEvent::TurnComplete { usage: Some(usage), .. }) if usage.output_tokens > 0 && usage.input_tokens > 0);
        assert_eq!(chat.log.iter().filter(costs).count(), 1);
        assert!(chat.said()[1].ends_with("word400"));
        chat.assert_sound();
        assert_eq!(model.requests().len(), 1);
    }
}

#[tokio::test]
async fn thoughts_come_before_words() {
    for vendor in vendors() {
        let (_model, mut world) = scripted(vendor).await;
        let mut chat = world.create().await;
        chat.turn("think:let me see\nsay:so it is").await;
        assert_eq!(chat.thoughts(), ["let me see"]);
        assert_eq!(chat.said().last(), Some(&"so it is"));
        chat.assert_sound();
    }
}

#[tokio::test]
async fn a_tool_call_is_shown_and_not_run() {
    for vendor in vendors() {
        let (model, mut world) = scripted(vendor).await;
        let mut chat = world.create().await;
        chat.turn("say:looking\ntool:look {\"path\":\"a.txt\"}").await;
        let (_, call) = chat.calls()[0];
        assert_eq!(call.tool_name, "look");
        assert_eq!(call.tool_arguments.get("path"), Some(&json!("a.txt")));
        assert_eq!(
            call.tool_output.as_deref(),
            Some("This provider does not run tools, so the call was not carried out.")
        );
        assert_eq!(call.tool_output_is_error, Some(true));
        assert_eq!(chat.ends(), ["completed"]);
        assert_eq!(model.requests().len(), 1, "nobody tells the model of a result");
        chat.assert_sound();
    }
}

/// An API that answers "one" and then "two".
async fn two_answers(vendor: &'static Vendor) -> (RawServer, ModelWorld) {
    let answers = ["one", "two"].map(|words| stream(&answer(vendor, words)));
    let server = RawServer::start(answers.into()).await;
    let world = ModelWorld::at(vendor, &server.url);
    (server, world)
}

fn assert_told_the_first_turn(vendor: &Vendor, body: &Value) {
    let list = if is_anthropic(vendor) { "messages" } else { "input" };
    let said = [("user", "first"), ("assistant", "one"), ("user", "second")];
    assert_eq!(body[list], json!(said.map(|(role, content)| json!({"role": role, "content": content}))));
}

#[tokio::test]
async fn each_request_carries_the_whole_conversation_and_the_key() {
    for vendor in vendors() {
        let (server, mut world) = two_answers(vendor).await;
        let mut chat = world.create().await;
        chat.turn("first").await;
        chat.turn("second").await;
        let asked = server.asked();
        let (path, key) = match is_anthropic(vendor) {
            true => ("post /v1/messages http/1.1", "x-api-key: sk-test-7d1f0c"),
            false => ("post /v1/responses http/1.1", "authorization: bearer sk-test-7d1f0c"),
        };
        for request in &asked {
            let lines: Vec<&str> = request.head.lines().collect();
            assert!(lines.contains(&path) && lines.contains(&key), "{lines:?}");
            assert_eq!(request.head.contains("anthropic-version: 2023-06-01"), is_anthropic(vendor));
            assert_eq!(request.body["stream"], true);
            assert_eq!(request.body["model"], vendor.default_model);
        }
        assert_told_the_first_turn(vendor, &asked[1].body);
        assert_eq!(chat.said(), ["first", "one", "second", "two"]);
    }
}

#[tokio::test]
async fn a_session_goes_on_where_it_ended() {
    for vendor in vendors() {
        let (server, mut world) = two_answers(vendor).await;
        let mut chat = world.create().await;
        chat.turn("first").await;
        let session_id = chat.handle.session_id().clone();
        chat.kill().await;
        let past = world.events();

        let mut chat = world.open(Some(session_id.clone()), SessionOptions::default(), past).await.unwrap();
        assert_eq!(*chat.handle.session_id(), session_id);
        chat.turn("second").await;
        assert_eq!(chat.said(), ["first", "one", "second", "two"], "what was said before is told again");
        assert_told_the_first_turn(vendor, &server.asked()[1].body);
    }
}

#[tokio::test]
async fn a_session_may_choose_its_model() {
    for vendor in vendors() {
        let (model, mut world) = scripted(vendor).await;
        let options = SessionOptions { model: Some("another".to_owned()), ..SessionOptions::default() };
        let mut chat = world.open(None, options, Vec::new()).await.unwrap();
        chat.turn("say:hello").await;
        assert_eq!(model.requests()[0].model, "another");
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_short_says_so() {
    for vendor in vendors() {
        let (_model, mut world) = scripted(vendor).await;
        let mut chat = world.create().await;
        chat.turn("say:some of it stop:max_tokens").await;
        assert_eq!(chat.ends(), ["completed"]);
        let notes: Vec<_> =
            chat.messages().into_iter().filter(|message| message.origin == Origin::System).collect();
        assert!(notes[0].content.starts_with("The answer is incomplete: max"), "{notes:?}");
    }
}

#[tokio::test]
async fn a_refusal_is_shown() {
    for vendor in vendors().filter(|vendor| is_anthropic(vendor)) {
        let (_model, mut world) = scripted(vendor).await;
        let mut chat = world.create().await;
        chat.turn("say:no stop:refusal").await;
        assert_eq!(chat.said()[1..], ["no", "The model refused to answer."]);
        assert_eq!(chat.ends(), ["completed"]);
    }
}
