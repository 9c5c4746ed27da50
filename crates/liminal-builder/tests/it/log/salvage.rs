use std::fs;
use std::path::Path;
use std::sync::Arc;

use liminal_builder::log::sqlite::{MovedAside, Settings, SqliteLog};
use liminal_builder::log::{Key, Limit, LogError, StreamLog};
use liminal_builder::store::Store;
use liminal_core::ids::SessionId;
use liminal_core::upsert::UpsertStatus;
use rusqlite::Connection;

use super::support::{append, content, message, open, turn_started, update};

fn session() -> SessionId {
    "claude-code:s1".into()
}

/// Changes a closed database behind its back.
fn tamper(directory: &Path, sql: &str) {
    let connection = Connection::open(directory.join("liminal.db")).unwrap();
    assert_eq!(connection.execute(sql, []).unwrap(), 1, "{sql}");
}

fn reopen(directory: &Path) -> (SqliteLog, MovedAside) {
    let (log, moved_aside) = SqliteLog::open(&directory.join("liminal.db"), Settings::default()).unwrap();
    (log, moved_aside.expect("the damage to be found"))
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A log with finished and open items, one of them large.
async fn sample(directory: &Path) -> u64 {
    let log = open(directory, Settings::default());
    append(&log, &session(), turn_started(&session(), "t1")).await;
    append(&log, &session(), message(&session(), "a", UpsertStatus::Complete, "findable words")).await;
    for round in 1..4 {
        append(&log, &session(), update(&session(), "open", &"growing ".repeat(2000 * round))).await;
    }
    let seq = append(&log, &session(), message(&session(), "z", UpsertStatus::Complete, "last")).await.seq;
    log.close().await.unwrap();
    seq
}

#[tokio::test]
async fn what_is_sound_goes_on_where_it_was_in_a_new_life() {
    let directory = tempfile::tempdir().unwrap();
    let seq = sample(directory.path()).await;
    let old = {
        let log = open(directory.path(), Settings::default());
        let head = log.head(&session()).await.unwrap().borrow().clone();
        log.close().await.unwrap();
        head
    };
    tamper(directory.path(), "UPDATE entry SET payload = CAST(payload || ' ' AS BLOB) WHERE key = 'item:z'");
    let (log, aside) = reopen(directory.path());
    let salvaged = aside.salvaged;
    assert_eq!((salvaged.entries.kept, salvaged.entries.lost), (3, 1));
    assert_eq!(salvaged.cut_sessions.iter().collect::<Vec<_>>(), [&session()]);
    assert!(!salvaged.is_complete() && !salvaged.may_miss_more);

    let page = log.history(&session(), None, Limit::NONE).await.unwrap();
    assert_eq!(page.entries.iter().map(|entry| entry.first_seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(content(&page.entries[2]), "growing ".repeat(6000));
    assert_ne!(page.head.epoch, old.epoch, "nobody may rely on places of the old life");
    assert_eq!(page.head.seq, seq - 1);
    log.indexed().await.unwrap();
    assert_eq!(log.search("findable", None, 5).await.unwrap().len(), 1, "it can be found again");
    assert_eq!(log.open_turns().await.unwrap(), [(session(), "t1".into())]);
    assert_eq!(append(&log, &session(), update(&session(), "open", "goes on")).await.seq, seq);
    log.close().await.unwrap();
    open(directory.path(), Settings::default()).close().await.unwrap();
}

/// The row of a session is lost, but each of its outputs tells where it belongs.
#[tokio::test]
async fn a_session_is_found_by_its_outputs() {
    for damage in
        ["UPDATE session SET name = 'claude-code:s7'", "DELETE FROM session", "UPDATE session SET head = 99"]
    {
        let directory = tempfile::tempdir().unwrap();
        sample(directory.path()).await;
        tamper(directory.path(), damage);
        // Without its row, nothing but the sums of its entries speaks for it.
        if damage.starts_with("DELETE") {
            tamper(
                directory.path(),
                "UPDATE entry SET payload = CAST(payload || ' ' AS BLOB) WHERE key = 'item:a'",
            );
        }
        let (log, aside) = reopen(directory.path());
        let page = log.history(&session(), None, Limit::NONE).await.unwrap();
        let has_last = page.entries.iter().any(|entry| entry.key == Key::Item("z".into()));
        assert!(has_last, "{damage}: {aside:?}");
        log.close().await.unwrap();
    }
}

#[tokio::test]
async fn records_are_salvaged_one_by_one() {
    let directory = tempfile::tempdir().unwrap();
    sample(directory.path()).await;
    let log = Arc::new(open(directory.path(), Settings::default()));
    let store = Store::new(Arc::clone(&log));
    store.set_ui_state("kept".to_owned()).await.unwrap();
    for key in ["a", "b", "c"] {
        store.begin_receipt("s", key, "digest", jiff::Timestamp::UNIX_EPOCH).await.unwrap();
    }
    log.close().await.unwrap();
    tamper(directory.path(), "UPDATE receipt SET is_done = 1 WHERE key = 'b'");
    let (log, aside) = reopen(directory.path());
    let store = Store::new(Arc::new(log));
    assert_eq!((aside.salvaged.records.kept, aside.salvaged.records.lost), (3, 1));
    assert_eq!(aside.salvaged.whole_sessions, 1);
    assert_eq!(store.ui_state().await.unwrap().as_deref(), Some("kept"));
    let keys = store.unfinished_receipts().await.unwrap().into_iter().map(|(_, key)| key);
    assert_eq!(keys.collect::<Vec<_>>(), ["a", "c"]);
}

/// A killed server leaves its newest outputs in the write-ahead log; they are salvaged too.
#[tokio::test]
async fn the_write_ahead_log_is_salvaged_too() {
    let (source, target) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    sample(source.path()).await;
    let log = open(source.path(), Settings::default());
    append(&log, &session(), message(&session(), "late", UpsertStatus::Complete, "only in the log")).await;
    let other = Connection::open(source.path().join("liminal.db")).unwrap();
    let damage = "UPDATE entry SET payload = CAST(payload || ' ' AS BLOB) WHERE key = 'item:a'";
    assert_eq!(other.execute(damage, []).unwrap(), 1);
    for ending in ["", "-wal"] {
        let name = format!("liminal.db{ending}");
        fs::copy(source.path().join(&name), target.path().join(&name)).unwrap();
    }
    let wal = fs::read(target.path().join("liminal.db-wal")).unwrap();
    let (copy, aside) = reopen(target.path());
    let page = copy.history(&session(), None, Limit::NONE).await.unwrap();
    assert_eq!(content(page.entries.last().unwrap()), "only in the log");
    assert_eq!(fs::read(format!("{}-wal", aside.path.display())).unwrap(), wal, "it is kept as it was");
    copy.close().await.unwrap();
    log.close().await.unwrap();
}

#[tokio::test]
async fn a_file_that_cannot_be_salvaged_now_stays_where_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("liminal.db");
    sample(directory.path()).await;
    tamper(directory.path(), "UPDATE entry SET seq = seq + 50 WHERE key = 'item:z'");
    let damaged = fs::read(&path).unwrap();
    // As on a disk without room for a copy.
    fs::create_dir(directory.path().join("liminal.db.salvaging")).unwrap();
    let error = SqliteLog::open(&path, Settings::default()).unwrap_err();
    assert!(matches!(error, LogError::Inaccessible { .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), damaged);
    fs::remove_dir(directory.path().join("liminal.db.salvaging")).unwrap();
    let (log, aside) = reopen(directory.path());
    assert_eq!((aside.salvaged.entries.kept, aside.salvaged.entries.lost), (3, 1));
    assert_eq!(fs::read(&aside.path).unwrap(), damaged);
    log.close().await.unwrap();
    let names = names(directory.path());
    assert!(!names.iter().any(|name| name.contains("salvag")), "{names:?}");
}

/// A server may be killed between moving the old file aside and putting the new one in its place.
#[tokio::test]
async fn a_rebuilt_file_finds_its_place_at_the_next_start() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("liminal.db");
    sample(directory.path()).await;
    fs::rename(&path, directory.path().join("liminal.db.salvaged")).unwrap();
    let log = open(directory.path(), Settings::default());
    assert_eq!(log.history(&session(), None, Limit::NONE).await.unwrap().entries.len(), 4);
    log.close().await.unwrap();
    assert_eq!(names(directory.path()), ["liminal.db"]);
}
