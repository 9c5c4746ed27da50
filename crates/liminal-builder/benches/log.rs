//! What the log costs: appending, reading, memory and disk. Prints figures and asserts nothing: they depend on the
//! machine and its disk.
#![expect(clippy::expect_used, reason = "a bench that cannot write its files has nothing to tell")]
#![expect(clippy::print_stdout, reason = "the figures are what a bench is for")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use liminal_builder::log::memory::MemoryLog;
use liminal_builder::log::sqlite::{Settings, SqliteLog};
use liminal_builder::log::{Batch, Durability, Encoder, EventLog, Limit, StreamLog, Subscription};
use liminal_core::event::Origin;
use liminal_core::ids::SessionId;
use liminal_core::upsert::{MessageBody, Upsert, UpsertBody, UpsertStatus};

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        println!("SQLite {}", rusqlite::version());
        appends("memory, grouped", Arc::new(MemoryLog::default()), Durability::Grouped, 5000).await;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let log = Arc::new(open(&directory.path().join("append.db"), Settings::default()));
        appends("SQLite, grouped", Arc::clone(&log) as _, Durability::Grouped, 5000).await;
        appends("SQLite, synced", Arc::clone(&log) as _, Durability::Synced, 500).await;
        beside_syncs(&log).await;
        many_streams(&log).await;
        log.close().await.expect("a closed log");
        history(directory.path()).await;
        idle_sessions(directory.path()).await;
        growing_item(directory.path()).await;
        events(directory.path()).await;
    });
}

fn open(path: &Path, settings: Settings) -> SqliteLog {
    SqliteLog::open(path, settings).expect("a new log").0
}

fn batch(session: &SessionId, item: &str, status: UpsertStatus, content: &str) -> Batch {
    let at = jiff::Timestamp::UNIX_EPOCH.into();
    let mut encoder = Encoder::default();
    let (turn, body) = (
        "0198c0de-0000-7000-8000-000000000000".into(),
        UpsertBody::Message(MessageBody::new(Origin::Agent, content.to_owned())),
    );
    let upsert = Upsert::finished(session.clone(), turn, item.into(), at, body);
    encoder.upsert(&Upsert { status, ..upsert });
    encoder.take()
}

#[expect(clippy::disallowed_methods, reason = "a bench measures time")]
fn now() -> Instant {
    Instant::now()
}

fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    format!("p50 {:?}, p99 {:?}, max {:?}", at(50), at(99), times.last().copied().unwrap_or_default())
}

/// One after another, as one session does it: 1 KB states, 20 per item. Delivery is until a subscriber has it.
async fn appends(name: &str, log: Arc<dyn StreamLog>, durability: Durability, count: usize) {
    let session = SessionId::from(format!("claude-code:{name}"));
    let content = "word ".repeat(200);
    let mut reader = Subscription::open(Arc::clone(&log), session.clone(), None).await.expect("a reader");
    reader.next().await.expect("a beginning");
    let (mut appended, mut delivered) = (Vec::new(), Vec::new());
    for number in 0..count {
        let batch = batch(&session, &format!("item-{}", number / 20), UpsertStatus::Update, &content);
        let start = now();
        log.append(&session, batch, durability).await.expect("an append");
        appended.push(start.elapsed());
        reader.next().await.expect("a delivery");
        delivered.push(start.elapsed());
    }
    println!("append, {name}: {}", percentiles(appended));
    println!("  until a subscriber has it: {}", percentiles(delivered));
}

/// What a stream feels of other sessions' syncs.
async fn beside_syncs(log: &Arc<SqliteLog>) {
    let other = Arc::clone(log);
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(async move {
        let session = SessionId::from("codex:syncing");
        loop {
            let batch = batch(&session, "item", UpsertStatus::Update, "x");
            other.append(&session, batch, Durability::Synced).await.expect("an append");
        }
    });
    appends(
        "SQLite, grouped, beside a session that syncs all the time",
        Arc::clone(log) as _,
        Durability::Grouped,
        3000,
    )
    .await;
    tasks.shutdown().await;
}

/// 200 sessions at once, as fast as they can.
async fn many_streams(log: &Arc<SqliteLog>) {
    const SESSIONS: usize = 200;
    const APPENDS: usize = 100;
    let start = now();
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..SESSIONS {
        let log = Arc::clone(log);
        tasks.spawn(async move {
            let session = SessionId::from(format!("claude-code:many-{number}"));
            let content = "word ".repeat(200);
            for _ in 0..APPENDS {
                let batch = batch(&session, "item", UpsertStatus::Update, &content);
                log.append(&session, batch, Durability::Grouped).await.expect("an append");
            }
        });
    }
    tasks.join_all().await;
    let rate = (SESSIONS * APPENDS) as f64 / start.elapsed().as_secs_f64();
    println!("{SESSIONS} sessions at once: {rate:.0} appends/s");
}

async fn history(directory: &Path) {
    const ITEMS: usize = 10_000;
    let path = directory.join("history.db");
    let session = SessionId::from("claude-code:history");
    let log = open(&path, Settings { session_bytes: 64 << 20, ..Settings::default() });
    let content = "word ".repeat(150);
    for number in 0..ITEMS {
        let batch = batch(&session, &format!("item-{number}"), UpsertStatus::Complete, &content);
        log.append(&session, batch, Durability::Grouped).await.expect("an append");
    }
    log.indexed().await.expect("an index");
    for from in ["memory", "disk"] {
        if from == "disk" {
            log.close().await.expect("a closed log");
        }
        let reopened = (from == "disk").then(|| timed_open(&path));
        let log = reopened.as_ref().unwrap_or(&log);
        for (what, limit) in
            [("first page (100)", Limit { entries: 100, ..Limit::NONE }), ("whole", Limit::NONE)]
        {
            let start = now();
            let page = log.history(&session, None, limit).await.expect("a page");
            let elapsed = start.elapsed();
            let bytes: usize = page.entries.iter().map(|entry| entry.bytes.len()).sum();
            println!("history of {ITEMS} items from {from}, {what}: {elapsed:?} ({bytes} bytes)");
            figure(&format!("history.{from}.{}", what.split(' ').next().unwrap_or_default()), elapsed);
        }
        if let Some(log) = reopened {
            let start = now();
            let hits = log.search("word", None, 20).await.expect("hits");
            println!("search that finds all of them, {} shown: {:?}", hits.len(), start.elapsed());
            log.close().await.expect("a closed log");
        }
    }
}

/// A line that `./x bench` compares.
fn figure(name: &str, time: Duration) {
    let samples = [time.as_secs_f64() * 1e3];
    println!("{}", serde_json::json!({ "figure": name, "unit": "ms", "samples": samples }));
}

fn timed_open(path: &Path) -> SqliteLog {
    let start = now();
    let log = open(path, Settings::default());
    let bytes = std::fs::metadata(path).expect("a file").len();
    println!("open and check {bytes} bytes: {:?}", start.elapsed());
    log
}

/// The process grows by what the idle sessions hold.
async fn idle_sessions(directory: &Path) {
    const SESSIONS: usize = 1000;
    let path = directory.join("idle.db");
    let log = open(&path, Settings::default());
    let content = "word ".repeat(200);
    for number in 0..SESSIONS {
        let session = SessionId::from(format!("claude-code:idle-{number}"));
        for item in 0..100 {
            let batch = batch(&session, &format!("item-{item}"), UpsertStatus::Complete, &content);
            log.append(&session, batch, Durability::Grouped).await.expect("an append");
        }
    }
    log.close().await.expect("a closed log");
    let before = resident();
    let log = timed_open(&path);
    let mut watched = Vec::new();
    for number in 0..SESSIONS {
        let session = SessionId::from(format!("claude-code:idle-{number}"));
        watched.push(log.head(&session).await.expect("a head"));
    }
    let grown = resident().saturating_sub(before);
    println!("{SESSIONS} idle sessions of 100 items, each watched: {} bytes each", grown / watched.len());
    log.close().await.expect("a closed log");
}

fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").expect("a process");
    let pages: usize = status.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number");
    pages * 4096
}

/// A message of 1 MB in updates of 120 words, as a long answer comes.
async fn growing_item(directory: &Path) {
    const BYTES: usize = 1_000_000;
    let path = directory.join("growing.db");
    let log = open(&path, Settings::default());
    let session = SessionId::from("claude-code:growing");
    let text: String = (0..)
        .map(|number| format!("word{} ", number % 5000))
        .scan(0, |length, word| {
            *length += word.len();
            (*length <= BYTES).then_some(word)
        })
        .collect();
    let (start, before, mut end, mut largest) = (now(), written(), 0, 0);
    while end < text.len() {
        end = (end + 120 * 6).min(text.len());
        let status = if end < text.len() { UpsertStatus::Update } else { UpsertStatus::Complete };
        let batch = batch(&session, "item", status, text.get(..end).unwrap_or_default());
        log.append(&session, batch, Durability::Grouped).await.expect("an append");
        largest = largest.max(size(&path, ""));
    }
    let elapsed = start.elapsed();
    let wal = size(&path, "-wal");
    log.indexed().await.expect("an index");
    log.close().await.expect("a closed log");
    let ratio = |bytes: u64| bytes as f64 / text.len() as f64;
    println!(
        "1 MB growing item: {elapsed:?}, database {:.2} x its size with the index (log {wal} bytes while open), written {:.1} x",
        ratio(size(&path, "")),
        ratio(written() - before)
    );
}

/// A message of 1 MB as canonical events: each part, then the whole once more.
async fn events(directory: &Path) {
    const PARTS: usize = 2000;
    let path = directory.join("events.db");
    let log = open(&path, Settings::default());
    let session = SessionId::from("claude-code:events");
    let event = |kind: &str, text: &str| {
        let ids = "0198c0de-0000-7000-8000-000000000000";
        Bytes::from(format!(
            r#"{{"eventId":"{ids}","timestamp":"2026-01-01T00:00:00.000Z","turnId":"{ids}","sessionId":"claude-code:{ids}","type":"{kind}","payload":{{"type":"{kind}","itemId":"{ids}/1","text":"{text}"}}}}"#
        ))
    };
    let part = |number: usize| (0..70).map(|word| format!("word{} ", (number * 70 + word) % 5000)).collect();
    let parts: Vec<String> = (0..PARTS).map(part).collect();
    let mut times = Vec::new();
    for part in
        parts.iter().map(|part| event("item_delta", part)).chain([event("item_done", &parts.concat())])
    {
        let start = now();
        log.record(&session, vec![part]).await.expect("a record");
        times.push(start.elapsed());
    }
    println!("record of an event: {}", percentiles(times));
    let start = now();
    let kept = log.events(&session, 0, usize::MAX).await.expect("events").len();
    println!("  {kept} events read in {:?}", start.elapsed());
    log.close().await.expect("a closed log");
    let ratio = size(&path, "") as f64 / parts.concat().len() as f64;
    println!("  1 MB message as events: database {ratio:.2} x its size");
}

fn size(path: &Path, ending: &str) -> u64 {
    std::fs::metadata(format!("{}{ending}", path.display())).map_or(0, |metadata| metadata.len())
}

/// What this process has given to the system to write.
fn written() -> u64 {
    let counters = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
    let line = counters.lines().find_map(|line| line.strip_prefix("wchar: "));
    line.and_then(|count| count.parse().ok()).unwrap_or_default()
}
