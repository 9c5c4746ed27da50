//! What is packed reads as it was written, and takes less room.

use std::path::Path;

use bytes::Bytes;
use liminal_builder::log::sqlite::{Settings, SqliteLog};
use liminal_builder::log::{EventLog, Limit, StreamLog};
use liminal_core::ids::SessionId;
use liminal_core::upsert::UpsertStatus;
use rusqlite::Connection;

use super::support::{append, content, message, open, update};

fn session() -> SessionId {
    "claude-code:s1".into()
}

fn event(number: usize, bytes: usize) -> Bytes {
    Bytes::from(format!("{{\"number\":{number},\"text\":\"{}\"}}", "word ".repeat(bytes / 5)))
}

/// What SQLite says about the file.
fn count(directory: &Path, sql: &str) -> i64 {
    let connection = Connection::open(directory.join("liminal.db")).unwrap();
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

async fn read(log: &SqliteLog, after: u64, limit: usize) -> Vec<(u64, Bytes)> {
    log.events(&session(), after, limit).await.unwrap()
}

#[tokio::test]
async fn events_read_as_they_came_however_they_lie() {
    let directory = tempfile::tempdir().unwrap();
    let mut log = open(directory.path(), Settings::default());
    let size = |number: usize| {
        if number == 777 { 300_000 } else { [10, 400, 900, 40_000, 0, 5_000, 70][number % 7] }
    };
    let events: Vec<Bytes> = (0..2_000).map(|number| event(number, size(number))).collect();
    for (index, chunk) in events.chunks(13).enumerate() {
        log.record(&session(), chunk.to_vec()).await.unwrap();
        if index % 10 == 0 {
            log.indexed().await.unwrap();
        }
    }
    log.indexed().await.unwrap();
    let expected: Vec<(u64, Bytes)> = (1..).zip(events.iter().cloned()).collect();
    assert_eq!(read(&log, 0, usize::MAX).await, expected);
    for _ in 0..2 {
        for (after, limit) in
            [(1_000, 1), (1_234, 77), (1_500, 400), (1_999, 5), (2_000, 5), (9_000, 5), (1_700, 0)]
        {
            let end = (after + limit).min(expected.len());
            let wanted = expected.get(after..end).unwrap_or_default();
            assert_eq!(read(&log, after as u64, limit).await, wanted, "{limit} after {after}");
        }
        log.close().await.unwrap();
        assert!(count(directory.path(), "SELECT count(*) FROM event WHERE count > 1") > 20);
        log = open(directory.path(), Settings::default());
    }
    log.record(&session(), vec![event(9, 10)]).await.unwrap();
    assert_eq!(read(&log, 2_000, 5).await, [(2_001, event(9, 10))]);
}

#[tokio::test]
async fn exactly_as_many_events_are_kept_as_without_packing() {
    for settings in [
        Settings { event_rows: 300, ..Settings::default() },
        Settings { event_bytes: 150_000, ..Settings::default() },
    ] {
        let directory = tempfile::tempdir().unwrap();
        let log = open(directory.path(), settings);
        let events: Vec<Bytes> = (0..1_500).map(|number| event(number, number % 900)).collect();
        for chunk in events.chunks(50) {
            log.record(&session(), chunk.to_vec()).await.unwrap();
            log.indexed().await.unwrap();
        }
        let mut bytes = 0;
        let kept = events.iter().rev().take(settings.event_rows).take_while(|event| {
            bytes += event.len();
            bytes <= settings.event_bytes
        });
        let kept: Vec<&Bytes> = kept.collect();
        let found = read(&log, 0, usize::MAX).await;
        assert_eq!(found.iter().rev().map(|(_, event)| event).collect::<Vec<_>>(), kept);
        assert_eq!(found.last().unwrap().0, 1_500);
    }
}

#[tokio::test]
async fn a_finished_text_takes_less_room_and_reads_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let mut log = open(directory.path(), Settings { session_bytes: 1, ..Settings::default() });
    let text: String = (0..50_000).map(|number| format!("\"word {number}\"\n")).collect();
    for end in (0..text.len()).step_by(3_000).skip(1) {
        append(&log, &session(), update(&session(), "a", &text[..end])).await;
    }
    append(&log, &session(), message(&session(), "a", UpsertStatus::Complete, &text)).await;
    log.indexed().await.unwrap();
    for _ in 0..2 {
        let page = log.history(&session(), None, Limit::NONE).await.unwrap();
        assert_eq!(page.entries.len(), 1);
        assert_eq!(content(&page.entries[0]), text);
        assert_eq!(log.search("49999", None, 5).await.unwrap().len(), 1);
        log.close().await.unwrap();
        log = open(directory.path(), Settings { session_bytes: 1, ..Settings::default() });
    }
    assert_eq!(count(directory.path(), "SELECT count(*) FROM growth WHERE unpacked IS NULL"), 0);
    let stored = count(directory.path(), "SELECT sum(length(text)) FROM growth");
    assert!(stored < text.len() as i64 / 2, "{stored} of {}", text.len());
}

#[tokio::test]
async fn words_are_found_together_only_where_they_stand_together() {
    let directory = tempfile::tempdir().unwrap();
    let log = open(directory.path(), Settings::default());
    for (item, text) in [
        ("path", "look into src/main.rs for it"),
        ("apart", "the main part is not in rs or src"),
        ("newer", "main.rs once more"),
    ] {
        append(&log, &session(), message(&session(), item, UpsertStatus::Complete, text)).await;
    }
    log.indexed().await.unwrap();
    for (query, items) in [
        ("main.rs", &["newer", "path"][..]),
        ("src/ma", &["path"]),
        ("main rs", &["newer", "apart", "path"]),
        ("rs.main", &[]),
    ] {
        let hits = log.search(query, None, 10).await.unwrap();
        let found: Vec<&str> = hits.iter().map(|hit| hit.item_id.as_str()).collect();
        assert_eq!(found, items, "{query}");
    }
}
