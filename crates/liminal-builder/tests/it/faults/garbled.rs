//! Bytes that no sound agent writes.

use liminal_core::upsert::UpsertBody;

use super::ending::pieces;
use super::load::{alone, grown_since, peak_memory};
use crate::chat::Chat;
use crate::world::World;

/// A directive that writes these bytes.
pub(super) fn raw(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("!raw {digits}")
}

/// A whole message, with this between the quotes.
fn message(text: &[u8]) -> Vec<u8> {
    let start: &[u8] = br#"{"type":"assistant","message":{"id":"raw","content":[{"type":"text","text":""#;
    [start, text, b"\"}]}}\n"].concat()
}

async fn after(prompt: &str) -> Chat {
    let mut world = World::fake();
    let mut chat = world.create().await;
    chat.turn(prompt).await;
    chat.assert_sound();
    chat
}

#[tokio::test]
async fn c07_garbage_between_lines_costs_nothing_but_itself() {
    let chat = after("!garbage 10000").await;
    assert_eq!(chat.ends(), ["completed"]);
    assert_eq!(chat.said().last().unwrap(), &pieces(10_000));
    assert_eq!(chat.shown().len(), 1, "garbage is not shown");
    let diagnostics = chat.handle.diagnostics();
    // Some of it is blank, which is nothing to wonder about.
    assert!(diagnostics.counts.values().sum::<u64>() > 8_000, "it is counted: {:?}", diagnostics.counts);
    assert!(diagnostics.samples.iter().map(String::len).sum::<usize>() <= 64 * 1024);
}

#[tokio::test]
async fn c07_a_banner_and_a_byte_order_mark_before_the_first_line_are_no_harm() {
    let banner = b"Welcome!\n\x1b[2J\nlast login: never\n";
    for prelude in [banner.as_slice(), b"\xef\xbb\xbf", b"\r\n\r\n", b"\n"] {
        let mut world = World::fake();
        world.set("FAKE_AGENT_PRELUDE", raw(prelude).trim_start_matches("!raw "));
        let mut chat = world.create().await;
        chat.turn("!say 2").await;
        assert_eq!(chat.said(), ["!say 2", "s1 s2 "]);
    }
}

#[tokio::test]
async fn c08_a_line_of_100_mb_fails_its_turn_in_bounded_memory_and_the_next_one_works() {
    let _alone = alone().await;
    let mut world = World::fake();
    let mut chat = world.create().await;
    chat.turn("!say 1").await;
    let before = peak_memory();
    chat.turn("!open 2 !line 100M !say 1").await;
    chat.turn("!say 1").await;
    assert_eq!(chat.ends(), ["completed", "LINE_TOO_LONG", "completed"]);
    let grown = grown_since(before);
    assert!(grown <= 32 * 1024, "{grown} KiB more");
    chat.assert_sound();
}

#[tokio::test]
async fn c08_a_line_just_short_enough_is_read() {
    let mut world = World::fake();
    world.settings.limits.line_bytes = 1024 * 1024;
    let mut chat = world.create().await;
    chat.turn("!line 1000K").await;
    assert_eq!(chat.ends(), ["completed"]);
    assert_eq!(chat.said().last().unwrap().len(), 1000 * 1024);
}

#[tokio::test]
async fn c09_bytes_that_are_no_text_cost_at_most_their_line() {
    for (bytes, shown) in [
        (message(b"a \xff\xfe b"), Some("a \u{fffd}\u{fffd} b")),
        (message(b"cut \xe2\x82"), Some("cut \u{fffd}")),
        (message(br"cut \ud83d"), Some("cut \u{fffd}")),
        (message(br"\ude00\ud83d\ude00"), Some("\u{fffd}\u{1f600}")),
        (message(br"nul \u0000 nul"), Some("nul \0 nul")),
        (message(b"nul \0 nul"), None),
        (b"\0\0\0\n\xff\n".to_vec(), None),
        (b"\r\n \r\n".to_vec(), None),
    ] {
        let chat = after(&format!("!say 1 {} !say 1", raw(&bytes))).await;
        let expected: Vec<&str> = ["s1 "].into_iter().chain(shown).chain(["s2 "]).collect();
        assert_eq!(chat.said()[1..], expected, "{}", String::from_utf8_lossy(&bytes));
        assert_eq!(chat.ends(), ["completed"]);
    }
}

#[tokio::test]
async fn c09_half_a_character_in_a_piece_of_a_text_is_mended_with_the_text() {
    let event = |event: &str| format!("{{\"type\":\"stream_event\",\"event\":{event}}}\n").into_bytes();
    let lines = [
        event(r#"{"type":"message_start","message":{"id":"raw"}}"#),
        event(r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#),
        event(r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x\ud83d"}}"#),
        event(r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ude00y"}}"#),
        message(br"x\ud83d\ude00y"),
    ];
    let chat = after(&raw(&lines.concat())).await;
    assert_eq!(chat.said().last().unwrap(), &"x\u{1f600}y");
}

#[tokio::test]
async fn c09_line_endings_of_windows_are_no_part_of_lines() {
    let chat = after("!crlf !say 3 !tool Bash {}").await;
    assert_eq!(chat.ends(), ["completed"]);
    assert_eq!(chat.said()[1], pieces(3));
}

#[tokio::test]
async fn c10_where_the_bytes_are_split_does_not_matter() {
    let turn = r#"!say 3 !think 2 !tool Bash {"command":"ls"} !say 1"#;
    let whole = after(turn).await;
    let cuts = (1..=40).chain([100, 1000]).map(|bytes| format!("!chunk {bytes} {turn}"));
    for cut in cuts.chain([format!("!split 5 {turn}")]) {
        let chat = after(&cut).await;
        assert_eq!(chat.shown(), whole.shown(), "{cut}");
        assert_eq!(chat.ends(), whole.ends());
    }
}

#[tokio::test]
async fn c10_a_last_line_without_its_end_is_read_once() {
    let result = br#"{"type":"result","subtype":"success","is_error":false}"#;
    let mut world = World::fake();
    let mut chat = world.create().await;
    chat.send(&format!("!say 1 !no-result {} !exit 0", raw(result))).await.unwrap();
    chat.end().await;
    assert_eq!(chat.ends(), ["completed"]);
    chat.assert_sound();
}

#[tokio::test]
async fn c12_deep_and_wide_lines_are_skipped() {
    let _alone = alone().await;
    let chat = after("!say 1 !deep 127 !deep 200 !deep 1000000 !keys 1000000 !say 1").await;
    assert_eq!(chat.ends(), ["completed"]);
    assert_eq!(chat.said()[1..], ["s1 ", "s2 "]);
    assert!(chat.shown().iter().all(|(_, _, body)| matches!(body, UpsertBody::Message(_))));
}
