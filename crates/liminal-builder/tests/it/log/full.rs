//! A disk that is full, at every write that needs more of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use liminal_builder::log::sqlite::{Settings, SqliteLog};
use liminal_builder::log::{Durability, EventLog, LogError, StreamLog};
use liminal_builder::store::{Delivery, Receipt, Store};
use liminal_core::ids::SessionId;
use liminal_core::upsert::UpsertStatus;
use liminal_core::wire::rest::QueuedMessage;
use serde_json::json;
use tokio::task::JoinSet;

use super::support::{message, open, update, whole};

const PAGE_BYTES: u64 = 4096;
const STEPS: usize = 12;
/// More room than all steps need.
const MOST_PAGES: u64 = 96;
/// Most of the time is spent waiting for the disk.
const PARTS: u64 = 8;

fn session() -> SessionId {
    "s".into()
}

/// Takes room that is given back when it is removed.
fn filler() -> SessionId {
    "filler".into()
}

/// So large that no step fits into what is there already, or into what the answer to a request leaves free.
fn text(step: usize) -> String {
    let bytes = if step.is_multiple_of(6) { 18_000 } else { 9000 };
    format!("step {step} {}", "x".repeat(bytes))
}

fn at(step: usize) -> jiff::Timestamp {
    jiff::Timestamp::from_second(i64::try_from(step).unwrap()).unwrap()
}

/// Writes something, in a different way with every step.
async fn write(log: &SqliteLog, store: &Store, step: usize) -> Result<(), LogError> {
    let (id, text) = (format!("id{step}"), text(step));
    match step % 6 {
        0 => {
            let batch = message(&session(), &id, UpsertStatus::Complete, &text);
            log.append(&session(), batch, Durability::Synced).await.map(drop)
        }
        1 => log.append(&session(), update(&session(), &id, &text), Durability::Grouped).await.map(drop),
        2 => log.record(&session(), vec![Bytes::from(text)]).await,
        3 => {
            let queued = QueuedMessage {
                id,
                message: text,
                client_message_id: None,
                attachments: Vec::new(),
                failure: None,
            };
            store.enqueue(&session(), queued, usize::MAX).await.map(|is_in| assert!(is_in))
        }
        4 => {
            let delivery = Delivery {
                turn_id: id.into(),
                session_id: session(),
                message: text,
                client_message_id: None,
                attachments: Vec::new(),
                at: at(step),
            };
            store.begin_delivery(delivery, None).await.map(|is_begun| assert!(is_begun))
        }
        _ => {
            let receipt = store.begin_receipt("scope", &id, &text, at(step)).await?;
            assert_eq!(receipt, Receipt::New);
            store.finish_receipt("scope", &id, Some(json!(text))).await
        }
    }
}

/// The steps of which there is something, each whole.
async fn stored(log: &SqliteLog, store: &Store) -> BTreeSet<usize> {
    let mut texts: Vec<String> = Vec::new();
    for (_, (_, bytes)) in whole(log, &session()).await.entries {
        let payload: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        texts.push(payload["content"].as_str().unwrap().to_owned());
    }
    let events = log.events(&session(), 0, usize::MAX).await.unwrap();
    texts.extend(events.into_iter().map(|(_, body)| String::from_utf8(body.to_vec()).unwrap()));
    texts.extend(store.queue(&session()).await.unwrap().into_iter().map(|queued| queued.message));
    let deliveries = store.unfinished_deliveries().await.unwrap();
    texts.extend(deliveries.into_iter().map(|delivery| delivery.message));
    let mut steps = BTreeSet::new();
    for found in texts {
        let step = found.split(' ').nth(1).unwrap().parse().unwrap();
        assert_eq!(found, text(step), "nothing is stored in part");
        assert!(steps.insert(step), "nothing is stored twice");
    }
    steps
}

fn opened(path: &Path, largest_bytes: Option<u64>) -> (Arc<SqliteLog>, Store) {
    let (log, moved_aside) =
        SqliteLog::open(path, Settings { largest_bytes, ..Settings::default() }).unwrap();
    assert_eq!(moved_aside, None, "a full disk damages nothing");
    let log = Arc::new(log);
    (Arc::clone(&log), Store::new(log))
}

fn is_receipt(step: usize) -> bool {
    step % 6 == 5
}

/// Receipts are looked for by key, all others are listed.
async fn check(log: &SqliteLog, store: &Store, done: &BTreeSet<usize>, begun: &BTreeSet<usize>) {
    let listed: BTreeSet<_> = done.iter().copied().filter(|step| !is_receipt(*step)).collect();
    assert_eq!(stored(log, store).await, listed);
    let unfinished: Vec<_> =
        store.unfinished_receipts().await.unwrap().into_iter().map(|(_, key)| key).collect();
    assert_eq!(unfinished, begun.iter().map(|step| format!("id{step}")).collect::<Vec<_>>());
    for step in done.iter().copied().filter(|step| is_receipt(*step)) {
        let known = store.begin_receipt("scope", &format!("id{step}"), &text(step), at(0)).await.unwrap();
        assert_eq!(known, Receipt::Done(json!(text(step))));
    }
}

/// A database with some room taken.
async fn template(directory: &Path) -> (Vec<u8>, u64) {
    let log = open(directory, Settings::default());
    for item in 0..30 {
        let batch = update(&filler(), &format!("i{item}"), &text(item));
        log.append(&filler(), batch, Durability::Grouped).await.unwrap();
    }
    log.close().await.unwrap();
    let bytes = fs::read(directory.join("liminal.db")).unwrap();
    let pages = bytes.len() as u64 / PAGE_BYTES;
    (bytes, pages)
}

/// Where room comes from.
enum Room {
    /// Something is removed, while the server runs.
    Removed,
    /// The server is started again on a larger disk.
    Reopened,
}

/// Fills the database to a limit, then makes room. Tells which write failed first.
async fn fill(path: &Path, limit: u64, room: Room) -> Option<usize> {
    let (mut log, mut store) = opened(path, Some(limit * PAGE_BYTES));
    let (mut done, mut begun, mut refused) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for step in 0..STEPS {
        match write(&log, &store, step).await {
            Ok(()) => drop(done.insert(step)),
            Err(error) => {
                assert_eq!(error, LogError::Full, "step {step} at {limit} pages");
                refused.push(step);
            }
        }
    }
    for (_, key) in store.unfinished_receipts().await.unwrap() {
        begun.insert(key.trim_start_matches("id").parse().unwrap());
    }
    check(&log, &store, &done, &begun).await;
    match room {
        Room::Removed => log.remove(&filler()).await.unwrap(),
        Room::Reopened => {
            log.close().await.unwrap();
            (log, store) = opened(path, None);
        }
    }
    check(&log, &store, &done, &begun).await;
    for step in refused.iter().copied().filter(|step| !begun.contains(step)).take(3) {
        write(&log, &store, step).await.unwrap();
        done.insert(step);
    }
    check(&log, &store, &done, &begun).await;
    log.close().await.unwrap();
    // Opening checks the whole file.
    let (log, store) = opened(path, None);
    check(&log, &store, &done, &begun).await;
    log.close().await.unwrap();
    refused.first().copied()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_write_may_find_the_disk_full_and_harms_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let (sound, pages) = template(directory.path()).await;
    let sound = Arc::new(sound);
    let mut tasks = JoinSet::new();
    for part in 0..PARTS {
        let (sound, path) = (Arc::clone(&sound), directory.path().join(format!("{part}.db")));
        tasks.spawn(async move {
            let mut first_refused = BTreeSet::new();
            for more in (part..MOST_PAGES).step_by(PARTS as usize) {
                fs::write(&path, &*sound).unwrap();
                let room = if (more / PARTS).is_multiple_of(2) { Room::Removed } else { Room::Reopened };
                first_refused.insert(fill(&path, pages + more, room).await);
                fs::remove_file(&path).unwrap();
            }
            first_refused
        });
    }
    let first_refused: BTreeSet<_> = tasks.join_all().await.into_iter().flatten().collect();
    let each_and_none: BTreeSet<_> = std::iter::once(None).chain((0..STEPS).map(Some)).collect();
    assert_eq!(first_refused, each_and_none, "each write was the first to be refused once");
}
