//! What sharing sessions through Redis costs: until a follower on another server has an output, and how much several
//! servers tell at once; of the logs alone, and over the wire. Needs `redis-server`. Prints figures and asserts nothing:
//! they depend on the machine.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    dead_code,
    reason = "a benchmark prints, reads the clock and fails by panicking, and needs only a part of what tests do"
)]

#[path = "../tests/it/reliability/client.rs"]
mod client;
#[path = "../tests/it/reliability/figures.rs"]
mod figures;
#[path = "../tests/it/reliability/reader.rs"]
mod reader;
#[path = "../tests/it/redis_server.rs"]
mod redis_server;
#[path = "../tests/it/reliability/shown.rs"]
mod shown;
#[path = "../tests/it/reliability/socket.rs"]
mod socket;
#[path = "../tests/it/support.rs"]
mod support;
#[path = "cluster/wire.rs"]
mod wire;
#[path = "../tests/it/reliability/world.rs"]
mod world;

use std::sync::Arc;
use std::time::{Duration, Instant};

use liminal_builder::clock::Clock;
use liminal_builder::log::redis::RedisLog;
use liminal_builder::log::shared::SharedLog;
use liminal_builder::log::sqlite::{Settings, SqliteLog};
use liminal_builder::log::{Batch, Delivery, Durability, Encoder, StreamLog, Subscription};
use liminal_core::event::Origin;
use liminal_core::ids::SessionId;
use liminal_core::upsert::{MessageBody, Upsert, UpsertBody, UpsertStatus};
use redis_server::{AppendOnly, RedisServer};
use tempfile::TempDir;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let server = RedisServer::start(AppendOnly::No);
        fan_out(&server).await;
        for members in [1, 2, 4] {
            throughput(&server, members).await;
        }
    });
    let server = RedisServer::start(AppendOnly::No);
    wire::fan_out(&server);
    wire::throughput(&server);
}

/// A server's log.
struct Member {
    log: Arc<SharedLog>,
    _directory: TempDir,
}

impl Member {
    async fn join(server: &RedisServer) -> Self {
        let (local, directory) = embedded();
        let redis = RedisLog::open(&server.url(), liminal_builder::log::redis::Settings::default()).await;
        let log = Arc::new(SharedLog::open(local, redis.expect("a log in Redis"), Clock::start()));
        Self { log, _directory: directory }
    }
}

fn embedded() -> (Arc<SqliteLog>, TempDir) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let opened = SqliteLog::open(&directory.path().join("liminal.db"), Settings::default());
    (Arc::new(opened.expect("a new log").0), directory)
}

fn batch(session: &SessionId, item: &str, content: &str) -> Batch {
    let at = jiff::Timestamp::UNIX_EPOCH.into();
    let mut encoder = Encoder::default();
    let (turn, body) = (
        "0198c0de-0000-7000-8000-000000000000".into(),
        UpsertBody::Message(MessageBody::new(Origin::Agent, content.to_owned())),
    );
    let upsert = Upsert::finished(session.clone(), turn, item.into(), at, body);
    encoder.upsert(&Upsert { status: UpsertStatus::Update, ..upsert });
    encoder.take()
}

fn now() -> Instant {
    Instant::now()
}

fn percentiles(mut times: Vec<Duration>) -> [Duration; 2] {
    times.sort_unstable();
    [50, 99].map(|share| times.get(times.len() * share / 100).copied().unwrap_or_default())
}

/// The same outputs, to a follower of the same server and to one of another.
async fn fan_out(server: &RedisServer) {
    let (local, _directory) = embedded();
    let embedded = follow(&*local, Arc::clone(&local) as _).await;
    let (owner, other) = (Member::join(server).await, Member::join(server).await);
    owner.log.own(&followed(), 1).await.expect("a session of its own");
    let here = follow(&*owner.log, Arc::clone(&owner.log) as _).await;
    let there = follow(&*owner.log, Arc::clone(&other.log) as _).await;
    for (name, [p50, p99]) in
        [("embedded", embedded), ("shared, same server", here), ("shared, another server", there)]
    {
        let [half, most] = [(p50, embedded[0]), (p99, embedded[1])]
            .map(|(time, base)| time.as_secs_f64() / base.as_secs_f64());
        println!(
            "append until a follower has it, {name}: p50 {p50:?} ({half:.1} x), p99 {p99:?} ({most:.1} x)"
        );
    }
}

fn followed() -> SessionId {
    "claude-code:followed".into()
}

/// 1 KB states, 20 per item, one after another.
async fn follow(owner: &dyn StreamLog, reader: Arc<dyn StreamLog>) -> [Duration; 2] {
    const COUNT: usize = 3000;
    let (session, content) = (followed(), "word ".repeat(200));
    let mut reader = Subscription::open(reader, session.clone(), None).await.expect("a reader");
    reader.next().await.expect("a beginning");
    let mut times = Vec::with_capacity(COUNT);
    for number in 0..COUNT {
        let batch = batch(&session, &format!("item-{}", number / 20), &content);
        let start = now();
        let reached = owner.append(&session, batch, Durability::Grouped).await.expect("an append");
        loop {
            let delivery = reader.next().await.expect("a delivery");
            let (Delivery::Reset { cursor, .. } | Delivery::Changes { cursor, .. }) = delivery;
            if cursor == reached {
                break;
            }
        }
        times.push(start.elapsed());
    }
    percentiles(times)
}

/// Every server appends different items of its own sessions as fast as it can; until Redis has them all.
async fn throughput(server: &RedisServer, members: usize) {
    const SESSIONS: usize = 20;
    const APPENDS: usize = 250;
    server.flush();
    let mut joined = Vec::new();
    for number in 0..members {
        let member = Member::join(server).await;
        for session in 0..SESSIONS {
            member.log.own(&numbered(number, session), 1).await.expect("a session of its own");
        }
        joined.push(member);
    }
    let start = now();
    let mut tasks = tokio::task::JoinSet::new();
    for (number, member) in joined.iter().enumerate() {
        for session in 0..SESSIONS {
            let (log, session) = (Arc::clone(&member.log), numbered(number, session));
            tasks.spawn(async move {
                let content = "word ".repeat(200);
                for item in 0..APPENDS {
                    let batch = batch(&session, &format!("item-{item}"), &content);
                    log.append(&session, batch, Durability::Grouped).await.expect("an append");
                }
            });
        }
    }
    tasks.join_all().await;
    let appended = start.elapsed();
    for member in &joined {
        assert!(member.log.settled().await, "Redis answers");
    }
    let rate = |time: Duration| (members * SESSIONS * APPENDS) as f64 / time.as_secs_f64();
    println!(
        "{members} servers on one Redis, {SESSIONS} sessions each: {:.0} appends/s, {:.0} outputs/s in Redis",
        rate(appended),
        rate(start.elapsed())
    );
}

fn numbered(member: usize, session: usize) -> SessionId {
    format!("claude-code:member-{member}-{session}").into()
}
