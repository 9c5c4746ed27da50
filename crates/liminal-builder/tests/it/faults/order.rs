//! Lines that come twice, in the wrong order, or from nowhere.

use liminal_core::upsert::UpsertBody;

use super::garbled::raw;
use crate::chat::Chat;
use crate::world::World;

const TURN: &str = r#"!say 3 !think 2 !tool Bash {"command":"ls"} !say 2"#;

async fn after(prompts: &[&str]) -> Chat {
    let mut world = World::fake();
    let mut chat = world.create().await;
    for prompt in prompts {
        chat.turn(prompt).await;
    }
    chat.assert_sound();
    chat
}

#[tokio::test]
async fn c15_lines_that_come_twice_count_once() {
    let once = after(&[TURN, "!say 1"]).await;
    for twice in [format!("!dup {TURN}"), format!("{TURN} !replay"), format!("!dup {TURN} !replay")] {
        let chat = after(&[&twice, "!say 1"]).await;
        assert_eq!(chat.shown(), once.shown(), "{twice}");
        assert_eq!(chat.ends(), ["completed", "completed"]);
    }
}

#[tokio::test]
async fn c15_a_question_that_comes_twice_is_asked_once() {
    let mut world = World::fake();
    let mut chat = world.create().await;
    let turn = chat.send("!dup !perm ls").await.unwrap();
    let (item, _) = chat.permission().await;
    chat.answer(item, "allow_once").await;
    chat.end_of(&turn).await;
    let asked =
        chat.shown().into_iter().filter(|(_, _, body)| matches!(body, UpsertBody::Permission(_))).count();
    assert_eq!(asked, 1);
    assert_eq!(chat.calls().first().unwrap().1.tool_output.as_deref(), Some("allow: ls"));
    assert_eq!(chat.ends(), ["completed"]);
    chat.assert_sound();
}

#[tokio::test]
async fn c15_an_old_result_does_not_end_a_new_turn() {
    let result = br#"{"type":"result","subtype":"success","is_error":false,"uuid":"0f3c2a54-7d1e-4b8a-9c60-5e2f1a7b3d94"}"#;
    let result = [result.as_slice(), b"\n"].concat();
    let mut world = World::fake();
    let mut chat = world.create().await;
    chat.turn(&format!("!say 1 {} !no-result", raw(&result))).await;
    chat.turn(&format!("{} !say 1", raw(&result))).await;
    assert_eq!(chat.ends(), ["completed", "completed"]);
    assert_eq!(chat.said().last().unwrap(), &"s2 ");
    chat.assert_sound();
}

#[tokio::test]
async fn c16_lines_in_the_wrong_order_lose_nothing() {
    let chat = after(&["!reorder !say 1", "!say 1"]).await;
    assert_eq!(chat.ends(), ["completed", "completed"]);
    assert!(chat.said().contains(&"s1 "), "{:?}", chat.said());
    assert_eq!(chat.said().last().unwrap(), &"s4 ");
}

#[tokio::test]
async fn c16_lines_of_unknown_kinds_and_items_are_no_harm() {
    let chat = after(&["!unknown-delta !say 2 !unknown-delta", "!say 1"]).await;
    assert_eq!(chat.ends(), ["completed", "completed"]);
    assert_eq!(chat.said(), ["!unknown-delta !say 2 !unknown-delta", "s1 s2 ", "!say 1", "s3 "]);
}
