//! The edges of server-sent events, over a real connection.

use liminal_builder::provider::model_api::Vendor;
use liminal_core::upsert::Output;
use serde_json::{Value, json};

use super::raw::{RawServer, head, plain, stream};
use super::world::{ModelWorld, is_anthropic, vendors};
use crate::chat::Chat;
use crate::faults::load::alone;

/// The payloads of a short answer.
fn payloads(vendor: &Vendor, text: &str) -> Vec<Value> {
    if is_anthropic(vendor) {
        return vec![
            json!({"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 1, "output_tokens": 1}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}),
            json!({"type": "message_stop"}),
        ];
    }
    vec![
        json!({"type": "response.created", "response": {"model": "m"}}),
        json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text}),
        json!({"type": "response.output_text.done", "output_index": 0, "content_index": 0, "text": text}),
        json!({"type": "response.completed", "response": {"status": "completed", "usage": {"input_tokens": 1, "output_tokens": 2}}}),
    ]
}

pub(super) fn answer(vendor: &Vendor, text: &str) -> Vec<u8> {
    written(vendor, text, "\n")
}

/// With every liberty that the format allows.
fn written(vendor: &Vendor, text: &str, newline: &str) -> Vec<u8> {
    let mut bytes = format!("\u{feff}: a comment{newline}{newline}retry: 5{newline}id: 1{newline}");
    for payload in payloads(vendor, text) {
        let data = payload.to_string().replacen(',', &format!(",{newline}data:"), 1);
        bytes.push_str(&format!("event: any{newline}data: {data}{newline}{newline}:{newline}"));
    }
    bytes.into_bytes()
}

async fn heard(vendor: &'static Vendor, answers: Vec<Vec<Vec<u8>>>) -> Chat {
    let server = RawServer::start(answers).await;
    let mut world = ModelWorld::at(vendor, &server.url);
    world.settings.options.retry.most = 0;
    let mut chat = world.create().await;
    chat.turn("go").await;
    chat.assert_sound();
    chat
}

#[tokio::test]
async fn a_stream_may_end_its_lines_as_it_likes_and_come_byte_by_byte() {
    for vendor in vendors() {
        for newline in ["\n", "\r\n", "\r"] {
            let bytes = written(vendor, "wörds, and more", newline);
            let mut pieces = vec![head("200 OK", "content-type: text/event-stream; charset=utf-8\r\n")];
            pieces.extend(bytes.chunks(1).map(<[u8]>::to_vec));
            for answer in [stream(&bytes), pieces] {
                let chat = heard(vendor, vec![answer]).await;
                assert_eq!(chat.said(), ["go", "wörds, and more"], "{newline:?}");
                assert_eq!(chat.ends(), ["completed"]);
            }
        }
    }
}

#[tokio::test]
async fn a_last_event_without_its_empty_line_is_not_believed() {
    for vendor in vendors() {
        let mut bytes = answer(vendor, "words");
        bytes.truncate(bytes.len() - 3);
        assert!(bytes.ends_with(b"}\n"));
        let chat = heard(vendor, vec![stream(&bytes)]).await;
        assert_eq!(chat.ends(), ["STREAM_ENDED"]);
        assert!(format!("{:?}", chat.log).contains("words"));
    }
}

#[tokio::test]
async fn noise_between_events_does_no_harm() {
    for vendor in vendors() {
        let mut bytes = b"data: no json\n\ndata\n\ndata: [1]\n\ndata: {\"type\":\"new\"}\n\n".to_vec();
        bytes.extend(answer(vendor, "words").strip_prefix("\u{feff}".as_bytes()).unwrap());
        bytes.extend(b"data: [DONE]\n\n");
        let chat = heard(vendor, vec![stream(&bytes)]).await;
        assert_eq!(chat.said(), ["go", "words"]);
        assert!(chat.handle.diagnostics().counts.values().sum::<u64>() >= 3);
    }
}

#[tokio::test]
async fn a_page_instead_of_a_stream_is_told() {
    for vendor in vendors() {
        let page = plain("200 OK", "content-type: text/html\r\n", "<h1>Welcome</h1>");
        let chat = heard(vendor, vec![page]).await;
        assert_eq!(chat.ends(), ["RESPONSE_ERROR"]);
        let shown = format!("{:?}", chat.log);
        assert!(shown.contains("check its base URL") && shown.contains("Welcome"), "{shown}");
    }
}

#[tokio::test]
async fn an_event_that_is_too_long_ends_the_turn() {
    let _alone = alone().await;
    for vendor in vendors() {
        let mut bytes = b"data: ".to_vec();
        bytes.resize(17 * 1024 * 1024, b'x');
        bytes.extend(b"\n\n");
        bytes.extend(answer(vendor, "words"));
        let chat = heard(vendor, vec![stream(&bytes)]).await;
        assert_eq!(chat.ends(), ["LINE_TOO_LONG"]);
        assert!(!chat.log.iter().any(
            |output| matches!(output, Output::Upsert(upsert) if format!("{upsert:?}").contains("words"))
        ));
    }
}
