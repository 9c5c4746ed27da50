//! A key is seen by its API and by nobody else.

use serde_json::json;

use super::raw::{RawServer, plain, stream};
use super::streams::answer;
use super::world::{KEY, ModelWorld, vendors};

#[tokio::test]
async fn a_key_that_is_sent_back_is_hidden_everywhere() {
    for vendor in vendors() {
        let error = json!({"error": {"type": "authentication_error", "message": format!("wrong key {KEY}")}});
        let refusal = plain("401 Unauthorized", "content-type: application/json\r\n", &error.to_string());
        let echo = stream(&answer(vendor, &format!("your key is {KEY}!")));
        let server = RawServer::start(vec![refusal, echo]).await;
        let mut world = ModelWorld::at(vendor, &server.url);
        let mut chat = world.create().await;
        chat.turn("first").await;
        chat.turn("second").await;
        assert_eq!(chat.ends().len(), 2);
        let shown = format!("{:?} {:?}", chat.log, chat.handle);
        chat.kill().await;
        for text in [shown, world.recording(), format!("{:?}", world.settings)] {
            assert!(!text.contains(KEY), "{text}");
        }
        assert!(world.recording().contains("[key]"));
        assert!(server.asked().iter().all(|asked| asked.head.contains(KEY)), "the API itself gets it");
    }
}

#[tokio::test]
async fn a_key_does_not_follow_a_redirect() {
    for vendor in vendors() {
        let elsewhere = RawServer::start(vec![stream(&answer(vendor, "caught"))]).await;
        let location = format!("location: {}/v1/messages\r\n", elsewhere.url);
        let server = RawServer::start(vec![plain("307 Temporary Redirect", &location, "")]).await;
        let mut world = ModelWorld::at(vendor, &server.url);
        let mut chat = world.create().await;
        chat.turn("go").await;
        assert_eq!(chat.ends(), ["RESPONSE_ERROR"]);
        assert!(elsewhere.asked().is_empty());
    }
}
