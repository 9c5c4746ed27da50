//! Calls in the background, which the end of their turn leaves open: a server that is killed must find and end them, and
//! them alone.

use liminal_builder::log::sqlite::{Settings, SqliteLog};
use liminal_builder::log::{Encoder, Entry, Limit, StreamLog};
use liminal_core::event::{ToolArguments, ToolDetails};
use liminal_core::ids::SessionId;
use liminal_core::upsert::{ToolCallBody, Upsert, UpsertBody, UpsertStatus};

use super::support::{
    append as append_to, close_open_turns, little_memory, open, turn_complete, turn_started, upsert,
};

fn session() -> SessionId {
    SessionId::from("claude-code:s1")
}

fn call(item: &str, status: UpsertStatus, detached: bool) -> Upsert {
    let body = UpsertBody::ToolCall(ToolCallBody {
        tool_name: "Bash".to_owned(),
        tool_arguments: ToolArguments::default(),
        call_id: format!("call-{item}").into(),
        details: ToolDetails::default(),
        detached,
        tool_output_is_error: None,
        tool_output: None,
    });
    Upsert { body, ..upsert(&session(), item, status, "") }
}

async fn append(log: &SqliteLog, upserts: &[Upsert]) {
    let mut encoder = Encoder::default();
    upserts.iter().for_each(|upsert| encoder.upsert(upsert));
    append_to(log, &session(), encoder.take()).await;
}

async fn ends(log: &SqliteLog) -> Vec<(String, UpsertStatus, Option<String>)> {
    let page = log.history(&session(), None, Limit::NONE).await.unwrap();
    let item = |entry: &Entry| serde_json::from_slice::<Upsert>(&entry.bytes).ok();
    let items = page.entries.iter().filter_map(item);
    items.map(|item| (item.item_id.to_string(), item.status, item.error_code)).collect()
}

const ENDED: &str = "BACKGROUND_ENDED";

fn below(parent: &str, upsert: Upsert) -> Upsert {
    Upsert { parent_call_id: Some(format!("call-{parent}").into()), ..upsert }
}

#[tokio::test]
async fn a_killed_server_leaves_no_call_open_in_the_background() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path(), Settings::default());
    append_to(&log, &session(), turn_started(&session(), "t1")).await;
    append(&log, &[call("silent", UpsertStatus::Create, true), call("agent", UpsertStatus::Create, true)])
        .await;
    append(&log, &[below("agent", call("inner", UpsertStatus::Create, false))]).await;
    append(&log, &[call("given-up", UpsertStatus::Create, false), call("over", UpsertStatus::Create, true)])
        .await;
    append_to(&log, &session(), turn_complete(&session(), "t1")).await;
    append(&log, &[call("over", UpsertStatus::Complete, true)]).await;
    append(&log, &[below("agent", call("later", UpsertStatus::Create, true))]).await;
    log.close().await.unwrap();

    let log = open(directory.path(), Settings::default());
    assert_eq!(log.open_turns().await.unwrap(), [(session(), "t1".into())]);
    assert_eq!(close_open_turns(&log).await, [], "the turn itself has ended");
    let ended = |item: &str| (item.to_owned(), UpsertStatus::Error, Some(ENDED.to_owned()));
    let expected = [
        ended("silent"),
        ended("agent"),
        ended("inner"),
        ("given-up".to_owned(), UpsertStatus::Create, None),
        ("over".to_owned(), UpsertStatus::Complete, None),
        ended("later"),
    ];
    assert_eq!(ends(&log).await, expected);
    assert_eq!(log.open_turns().await.unwrap(), []);
}

#[tokio::test]
async fn a_turn_is_forgotten_when_the_last_call_of_it_has_ended() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path(), little_memory());
    append_to(&log, &session(), turn_started(&session(), "t1")).await;
    append(&log, &[call("a", UpsertStatus::Create, true), call("b", UpsertStatus::Create, true)]).await;
    append_to(&log, &session(), turn_complete(&session(), "t1")).await;
    // Other sessions push this one out of the memory of the writer.
    for other in 0..8 {
        let other = SessionId::from(format!("claude-code:other-{other}"));
        append_to(&log, &other, turn_started(&other, "t")).await;
        append_to(&log, &other, turn_complete(&other, "t")).await;
    }
    append(&log, &[call("a", UpsertStatus::Complete, true)]).await;
    assert_eq!(log.open_turns().await.unwrap(), [(session(), "t1".into())]);
    append(&log, &[call("b", UpsertStatus::Error, true)]).await;
    assert_eq!(log.open_turns().await.unwrap(), []);
}

#[tokio::test]
async fn what_runs_in_the_background_of_a_turn_that_is_cut_off_is_told_as_such() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path(), Settings::default());
    append_to(&log, &session(), turn_started(&session(), "t1")).await;
    append(&log, &[call("a", UpsertStatus::Create, true), call("b", UpsertStatus::Create, false)]).await;
    assert_eq!(close_open_turns(&log).await, [(session(), "t1".into())]);
    let codes: Vec<_> = ends(&log).await.into_iter().map(|(_, _, code)| code.unwrap()).collect();
    assert_eq!(codes, [ENDED, "SERVER_RESTART"]);
    assert_eq!(log.open_turns().await.unwrap(), []);
}
