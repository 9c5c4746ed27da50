use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use liminal_builder::log::sqlite::{FOUND_END, FOUND_START, OLDEST_SQLITE, Settings, SqliteLog};
use liminal_builder::log::{Durability, Encoder, Entry, EventLog, Key, Limit, LogError, StreamLog};
use liminal_core::event::{ToolArguments, ToolDetails};
use liminal_core::ids::SessionId;
use liminal_core::upsert::{ToolCallBody, TurnEvent, Upsert, UpsertBody, UpsertStatus};
use liminal_core::wire::Resume;

use super::support::{
    append, close_open_turns, content, little_memory, message, open, subscribe, turn_complete, turn_started,
    update, upsert, whole,
};

fn session() -> SessionId {
    "claude-code:s1".into()
}

async fn reopen(log: SqliteLog, directory: &Path) -> SqliteLog {
    log.close().await.unwrap();
    open(directory, Settings::default())
}

#[test]
fn the_library_is_new_enough() {
    assert!(rusqlite::version_number() >= OLDEST_SQLITE, "{}", rusqlite::version());
}

#[tokio::test]
async fn a_closed_log_is_one_file_for_this_user_and_goes_on_where_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path(), Settings::default());
    append(&log, &session(), turn_started(&session(), "t1")).await;
    append(&log, &session(), update(&session(), "a", "Hello")).await;
    let before = whole(&log, &session()).await;
    let mode = |name: &str| fs::metadata(directory.path().join(name)).unwrap().mode() & 0o777;
    assert_eq!([mode("liminal.db"), mode("liminal.db-wal"), mode("liminal.db-shm")], [0o600; 3]);

    log.close().await.unwrap();
    let names: Vec<_> =
        fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["liminal.db"]);
    let closed = log.append(&session(), update(&session(), "a", "x"), Durability::Grouped).await;
    assert_eq!(closed, Err(LogError::Closed));

    let log = open(directory.path(), Settings::default());
    assert_eq!(whole(&log, &session()).await, before);
    let log: Arc<dyn StreamLog> = Arc::new(log);
    assert_eq!(subscribe(&log, &session(), before.cursor.as_ref()).await.resume(), Resume::Ok);
    assert_eq!(append(&*log, &session(), update(&session(), "a", "Hello you")).await.seq, 3);
    let page = log.history(&session(), None, Limit::NONE).await.unwrap();
    assert_eq!(page.entries[1].first_seq, 2, "an item keeps its place over a restart");
}

/// Every way in which a text can grow is read back from disk as it was.
#[tokio::test]
async fn a_large_growing_text_is_stored_in_parts_and_read_back() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path(), little_memory());
    let part = "Zeile \"n\" – ünïcödé 🎉\n".repeat(200);
    let mut text = String::new();
    for round in 0..40 {
        text.push_str(&part);
        append(&log, &session(), update(&session(), "a", &text)).await;
        if round % 8 == 3 {
            // Another item takes the memory, so that the next look has to go to the disk.
            append(&log, &session(), update(&session(), &format!("other{round}"), &part)).await;
            assert_eq!(read_item(&log, "a").await, text, "round {round}");
        }
    }
    append(&log, &session(), update(&session(), "a", "rewritten")).await;
    append(&log, &session(), update(&session(), "z", "")).await;
    assert_eq!(read_item(&log, "a").await, "rewritten");
    for status in [UpsertStatus::Update, UpsertStatus::Update, UpsertStatus::Complete] {
        append(&log, &session(), message(&session(), "a", status, &text)).await;
        append(&log, &session(), update(&session(), "z", &part)).await;
        assert_eq!(read_item(&log, "a").await, text);
    }
    let log = reopen(log, directory.path()).await;
    assert_eq!(read_item(&log, "a").await, text);
    append(&log, &session(), update(&session(), "a", "short again")).await;
    let log = reopen(log, directory.path()).await;
    assert_eq!(read_item(&log, "a").await, "short again");
}

async fn read_item(log: &SqliteLog, item: &str) -> String {
    let page = log.history(&session(), None, Limit::NONE).await.unwrap();
    let key = Key::Item(item.into());
    content(page.entries.iter().find(|entry| entry.key == key).unwrap())
}

#[tokio::test]
async fn open_turns_end_once_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path(), Settings::default());
    append(&log, &session(), message(&session(), "user", UpsertStatus::Complete, "Do it")).await;
    append(&log, &session(), turn_started(&session(), "t1")).await;
    append(&log, &session(), update(&session(), "a", "I was about to")).await;
    // A cancelled turn leaves its items as they were.
    let mut cancelled = Encoder::default();
    cancelled
        .upsert(&Upsert { turn_id: "t0".into(), ..upsert(&session(), "c", UpsertStatus::Update, "cut") });
    append(&log, &session(), cancelled.take()).await;
    append(&log, &session(), turn_complete(&session(), "t0")).await;
    let finished = SessionId::from("claude-code:s2");
    append(&log, &finished, turn_started(&finished, "t1")).await;
    append(&log, &finished, turn_complete(&finished, "t1")).await;
    // Too late to open the turn again.
    append(&log, &finished, message(&finished, "late", UpsertStatus::Complete, "x")).await;

    let log = reopen(log, directory.path()).await;
    let expected = vec![(session(), "t1".into())];
    assert_eq!(log.open_turns().await.unwrap(), expected);
    assert_eq!(close_open_turns(&log).await, expected);
    assert_eq!(close_open_turns(&log).await, []);

    let page = log.history(&session(), None, Limit::NONE).await.unwrap();
    let items: Vec<_> =
        page.entries.iter().filter_map(item).map(|item| (item.status, item.error_code)).collect();
    let code = Some("SERVER_RESTART".to_owned());
    let expected =
        [(UpsertStatus::Complete, None), (UpsertStatus::Error, code), (UpsertStatus::Update, None)];
    assert_eq!(items, expected);
    assert_eq!(content(&page.entries[2]), "I was about to");
    let end: TurnEvent = serde_json::from_slice(&page.entries[5].bytes).unwrap();
    assert!(matches!(end, TurnEvent::TurnError { error_code, .. } if error_code == "SERVER_RESTART"));
    assert_eq!(whole(&log, &finished).await.entries.len(), 3);
}

fn item(entry: &Entry) -> Option<Upsert> {
    serde_json::from_slice(&entry.bytes).ok()
}

#[tokio::test]
async fn finished_items_of_all_sessions_are_found() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path(), Settings::default());
    let other = SessionId::from("codex:s2");
    append(&log, &session(), message(&session(), "a", UpsertStatus::Complete, "The café serves Wörter"))
        .await;
    append(&log, &other, message(&other, "b", UpsertStatus::Error, "no words \u{2}\u{0} here, \"quoted\""))
        .await;
    append(&log, &other, update(&other, "open", "a café that is not finished")).await;
    append(&log, &other, call(&other)).await;
    let long = format!("{} needle {}", "hay ".repeat(20_000), "stack ".repeat(20_000));
    append(&log, &session(), message(&session(), "long", UpsertStatus::Complete, &long)).await;
    log.indexed().await.unwrap();

    let found = |text: &str| format!("{FOUND_START}{text}{FOUND_END}");
    let cases: [(&str, &[&str], String); 6] = [
        ("cafe", &["a"], found("café")),
        ("wort", &["a"], found("Wörter")),
        ("needle", &["long"], found("needle")),
        ("\"quoted\"", &["b"], found("quoted")),
        ("grep fixme", &["c"], found("grep")),
        ("output", &["c"], found("output")),
    ];
    for (query, items, snippet) in cases {
        let hits = log.search(query, None, 10).await.unwrap();
        assert_eq!(hits.iter().map(|hit| hit.item_id.as_str()).collect::<Vec<_>>(), items, "{query}");
        assert!(hits[0].snippet.contains(&snippet), "{query}: {}", hits[0].snippet);
    }
    for query in ["nothing", "", "*", "\"", "AND", "NEAR(", "a\u{0}b", "text:", "-", "^", "col : x", "𝒳"] {
        assert_eq!(log.search(query, None, 10).await.unwrap(), [], "{query}");
    }
    assert_eq!(log.search("hay", None, 10).await.unwrap().len(), 1, "many parts of one item are one hit");

    log.remove(&session()).await.unwrap();
    assert_eq!(log.search("cafe", None, 10).await.unwrap(), []);
}

/// An index as the version before wrote it: with escape sequences.
fn with_old_index(path: &Path) {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.execute("DELETE FROM meta WHERE name = 'index'", []).unwrap();
    connection.execute("DELETE FROM words", []).unwrap();
    let texts = [(1, "older"), (2, "\u{1b}[31mcoloured\u{1b}[0m older"), (3, "newer")];
    for (id, text) in texts {
        connection
            .execute("INSERT INTO words (rowid, text) VALUES (?1, ?2)", rusqlite::params![id, text])
            .unwrap();
    }
    connection.close().unwrap();
}

#[tokio::test]
async fn an_older_index_is_made_again_in_the_same_order() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("liminal.db");
    let log = open(directory.path(), Settings::default());
    for (item, text) in [("a", "older"), ("b", "\u{1b}[31mcoloured\u{1b}[0m older"), ("c", "newer")] {
        append(&log, &session(), message(&session(), item, UpsertStatus::Complete, text)).await;
        log.indexed().await.unwrap();
    }
    log.close().await.unwrap();
    with_old_index(&path);

    let (log, hands) = SqliteLog::by_hand(&path, Settings::default()).unwrap();
    assert_eq!(log.search("coloured", None, 5).await.unwrap(), [], "a start indexes nothing");
    drop((log, hands));
    let log = open(directory.path(), Settings::default());
    log.indexed().await.unwrap();
    let found = async |query: &str| -> Vec<String> {
        let hits = log.search(query, None, 5).await.unwrap();
        hits.into_iter().map(|hit| hit.item_id.to_string()).collect()
    };
    assert_eq!(found("coloured").await, ["b"]);
    assert_eq!(found("older").await, ["b", "a"], "the newest first");
    assert_eq!(log.not_indexed(None).await.unwrap(), 0);
    log.close().await.unwrap();
}

fn call(session: &SessionId) -> liminal_builder::log::Batch {
    let arguments = serde_json::from_str::<ToolArguments>(r#"{"command":"grep -r fixme","toolOutput":"x"}"#);
    let body = UpsertBody::ToolCall(ToolCallBody {
        tool_name: "Bash".to_owned(),
        tool_arguments: arguments.unwrap(),
        call_id: "call".into(),
        details: ToolDetails::default(),
        detached: false,
        tool_output_is_error: None,
        tool_output: Some("some output".to_owned()),
    });
    let mut encoder = Encoder::default();
    encoder.upsert(&Upsert { body, ..upsert(session, "c", UpsertStatus::Complete, "") });
    encoder.take()
}

#[tokio::test]
async fn canonical_events_are_kept_within_their_limits() {
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings { event_rows: 5, event_bytes: 40, ..Settings::default() };
    let log = open(directory.path(), settings);
    let numbers =
        |events: Vec<(u64, Bytes)>| events.into_iter().map(|(number, _)| number).collect::<Vec<_>>();
    let events: Vec<_> = (0..8).map(|number| Bytes::from(format!("{{{number}}}"))).collect();
    for chunk in events.chunks(3) {
        log.record(&session(), chunk.to_vec()).await.unwrap();
    }
    assert_eq!(numbers(log.events(&session(), 0, 100).await.unwrap()), [4, 5, 6, 7, 8]);
    assert_eq!(log.events(&session(), 6, 1).await.unwrap(), [(7, Bytes::from("{6}"))]);
    log.record(&session(), vec![Bytes::from("x".repeat(36))]).await.unwrap();
    assert_eq!(numbers(log.events(&session(), 0, 100).await.unwrap()), [8, 9]);
    assert_eq!(log.events(&"unknown".into(), 0, 100).await.unwrap(), []);
}

#[tokio::test]
async fn a_full_disk_is_told_and_harms_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings { largest_bytes: Some(400 << 10), ..Settings::default() };
    let log = open(directory.path(), settings);
    let text = "x".repeat(20_000);
    let mut stored = 0;
    let refused = loop {
        let batch = message(&session(), &format!("i{stored}"), UpsertStatus::Complete, &text);
        match log.append(&session(), batch, Durability::Synced).await {
            Ok(cursor) => stored = cursor.seq,
            Err(error) => break error,
        }
        assert!(stored < 100, "the limit was never reached");
    };
    assert_eq!(refused, LogError::Full);
    assert!(refused.to_string().contains("free some space"), "{refused}");
    let before = whole(&log, &session()).await;
    assert_eq!((before.seq(), before.entries.len() as u64), (stored, stored));

    let log = reopen(log, directory.path()).await;
    let batch = message(&session(), "after", UpsertStatus::Complete, &text);
    let cursor = log.append(&session(), batch, Durability::Synced).await.unwrap();
    assert_eq!(cursor.seq, stored + 1, "what was refused took no place");
    assert_eq!(cursor.epoch, before.cursor.unwrap().epoch);
    assert_eq!(whole(&log, &session()).await.entries.len() as u64, stored + 1);
}

#[tokio::test]
async fn a_trimmed_log_is_sound_and_stays_trimmed() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path(), Settings::default());
    for item in ["a", "b", "c"] {
        append(&log, &session(), message(&session(), item, UpsertStatus::Complete, "word")).await;
    }
    log.indexed().await.unwrap();
    log.trim(&session(), 2).await.unwrap();
    let before = whole(&log, &session()).await;
    assert_eq!(before.entries.keys().collect::<Vec<_>>(), [&Key::Item("c".into())]);
    let log = reopen(log, directory.path()).await;
    assert_eq!(whole(&log, &session()).await, before);
    assert_eq!(log.search("word", None, 10).await.unwrap().len(), 1);
    log.trim(&session(), 3).await.unwrap();
    let log = reopen(log, directory.path()).await;
    assert_eq!(append(&log, &session(), update(&session(), "a", "again")).await.seq, 4);
}

#[test]
fn a_file_that_cannot_be_used_is_told_with_its_path() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("liminal.db");
    fs::create_dir(&path).unwrap();
    for path in [path.as_path(), Path::new("/proc/liminal.db"), &directory.path().join("missing/liminal.db")]
    {
        let error = SqliteLog::open(path, Settings::default()).unwrap_err();
        assert!(matches!(error, LogError::Inaccessible { .. }), "{error}");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_not_touched() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("liminal.db");
    open(directory.path(), Settings::default()).close().await.unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let before = fs::read(&path).unwrap();
    let error = SqliteLog::open(&path, Settings::default()).unwrap_err();
    assert!(matches!(error, LogError::Newer { found: 99, .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn cursors_from_before_a_power_failure_are_of_no_use() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("liminal.db");
    let log = open(directory.path(), Settings::default());
    let before = append(&log, &session(), update(&session(), "a", "1")).await;
    let log = reopen(log, directory.path()).await;
    let log = Arc::new(reopen(log, directory.path()).await);
    let shared: Arc<dyn StreamLog> = Arc::clone(&log) as _;
    assert_eq!(subscribe(&shared, &session(), Some(&before)).await.resume(), Resume::Ok);
    log.close().await.unwrap();
    // As a machine that went down leaves it.
    let connection = rusqlite::Connection::open(&path).unwrap();
    let set = "UPDATE meta SET value = ?2 WHERE name = ?1";
    for (name, value) in [("left", "0"), ("boot", "an earlier life of the machine")] {
        connection.execute(set, [name, value]).unwrap();
    }
    drop(connection);
    let log: Arc<dyn StreamLog> = Arc::new(open(directory.path(), Settings::default()));
    assert_eq!(subscribe(&log, &session(), Some(&before)).await.resume(), Resume::Reset);
}
