//! Files of earlier versions: what is in them is there after an update.

use std::path::Path;

use bytes::Bytes;
use liminal_core::ids::SessionId;
use rusqlite::{Connection, params};

use super::super::text::Text;
use super::super::{Entry, EventLog, Head, Key, Limit, StreamLog};
use super::{Settings, SqliteLog, checksum, indexing, opening, rows, tracked};

const BEFORE_TEXT: &str = r#"{"type":"message","content":""#;
const EVENTS: [&str; 2] = [r#"{"first":1}"#, r#"{"second":2}"#];

fn state(seq: u64, is_open: bool, text: &str) -> Entry {
    Entry {
        seq,
        first_seq: 1,
        key: Key::Item("a".into()),
        is_open,
        bytes: Bytes::from(format!("{BEFORE_TEXT}{text}\"}}")),
        text: Some(Text { start: BEFORE_TEXT.len(), units: text.len() as u64, since: 1 }),
    }
}

/// A file of the second schema with a large text in parts, two events, and an index of where words stand.
fn second_schema(path: &Path, session: &SessionId, text: &str) {
    let connection = opening::of_schema(path, 2).unwrap();
    let id = tracked::insert(&connection, session, Head::begin()).unwrap().id;
    let mut stored = None;
    for (seq, share) in [(1, 3), (2, 2), (3, 1)] {
        let part = text.get(..text.len() / share).unwrap();
        stored = Some(rows::write(&connection, id, &state(seq, share > 1, part), stored).unwrap());
    }
    for (number, event) in (1_i64..).zip(EVENTS) {
        let sum = checksum::sum(&[&id.to_le_bytes(), &number.to_le_bytes(), event.as_bytes()]);
        let sql = "INSERT INTO event (session, number, body, checksum) VALUES (?1, ?2, ?3, ?4)";
        connection.execute(sql, params![id, number, event.as_bytes(), sum]).unwrap();
    }
    let sql = "UPDATE session SET head = 3, next_event = 3, event_bytes = 23 WHERE id = ?1";
    connection.execute(sql, [id]).unwrap();
    indexing::note(&connection, rows::place(id, 1)).unwrap();
    connection.close().unwrap();
}

#[tokio::test]
async fn what_the_second_schema_holds_is_there_after_an_update() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("liminal.db");
    let session = SessionId::from("claude-code:s");
    let text: String = (0..30_000).map(|number| format!("word{number} ")).collect();
    second_schema(&path, &session, &text);
    let (log, moved) = SqliteLog::open(&path, Settings::default()).unwrap();
    assert_eq!(moved, None);
    for _ in 0..2 {
        let page = log.history(&session, None, Limit::NONE).await.unwrap();
        assert_eq!(page.entries.first().unwrap().bytes, state(3, false, &text).bytes);
        log.indexed().await.unwrap();
    }
    assert_eq!(log.search("word29999", None, 5).await.unwrap().len(), 1);
    log.record(&session, vec![Bytes::from_static(b"{}")]).await.unwrap();
    let events = log.events(&session, 0, 10).await.unwrap();
    let found: Vec<&[u8]> = events.iter().map(|(_, event)| &event[..]).collect();
    assert_eq!(found, [EVENTS[0].as_bytes(), EVENTS[1].as_bytes(), b"{}"]);
    log.close().await.unwrap();
    let copy = Connection::open(opening::with_ending(&path, ".before-3")).unwrap();
    let schema: u32 = copy.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(schema, 2, "a copy is left as it was");
}

#[tokio::test]
async fn what_can_be_read_of_a_damaged_file_of_the_second_schema_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("liminal.db");
    let session = SessionId::from("claude-code:s");
    let text = "word ".repeat(30_000);
    second_schema(&path, &session, &text);
    let connection = Connection::open(&path).unwrap();
    connection.execute("UPDATE event SET body = x'00' WHERE number = 2", []).unwrap();
    connection.close().unwrap();
    let (log, moved) = SqliteLog::open(&path, Settings::default()).unwrap();
    let events = moved.unwrap().salvaged.events;
    assert_eq!((events.kept, events.lost), (1, 1));
    let events = log.events(&session, 0, 10).await.unwrap();
    assert_eq!(events, [(1, Bytes::from(EVENTS[0]))]);
    log.close().await.unwrap();
}
