//! What several servers share when Redis goes away, comes back without something, or is reached over a bad wire. The
//! owner goes on as if nothing were, and whoever reads elsewhere ends with the owner's state.

use std::time::{Duration, Instant};

use liminal_builder::log::redis::Settings;
use liminal_builder::log::{Cursor, Delivery, Durability, Limit, LogError, StreamLog, Subscription};
use liminal_core::ids::SessionId;
use liminal_core::wire::Resume;
use proptest::prelude::*;

use super::shared::Member;
use super::support::{Screen, append, next, subscribe, update, whole};
use crate::redis_server::proxy::Proxy;
use crate::redis_server::{AppendOnly, RedisServer};

/// Nothing here takes so long; only a test that hangs does.
const HANG: Duration = Duration::from_secs(60);

/// An owner and a reader on another server, both over a wire that can be made bad.
struct World {
    server: RedisServer,
    proxy: Proxy,
    owner: Member,
    other: Member,
    session: SessionId,
    reader: Subscription,
    screen: Screen,
    appended: usize,
}

impl World {
    async fn begin(append_only: AppendOnly, patience: Duration) -> Self {
        let server = RedisServer::start(append_only);
        let proxy = Proxy::start(server.port()).await;
        let settings = Settings { patience, ..Settings::default() };
        let owner = Member::join_with(&proxy.url(), settings.clone()).await;
        let other = Member::join_with(&proxy.url(), settings).await;
        let session = SessionId::from("s");
        owner.log.own(&session, 1).await.unwrap();
        let reader = subscribe(&other.as_log(), &session, None).await;
        let screen = Screen::default();
        let mut world = Self { server, proxy, owner, other, session, reader, screen, appended: 0 };
        world.append(30).await;
        world.converge().await;
        world
    }

    /// The owner appends; its own reader has each output before the next.
    async fn append(&mut self, count: usize) {
        let mut reader = subscribe(&self.owner.as_log(), &self.session, None).await;
        for _ in 0..count {
            self.appended += 1;
            let text = "text ".repeat(self.appended % 50);
            let reached = self.owner.append(&self.session, &format!("i{}", self.appended % 17), &text).await;
            while cursor(&next(&mut reader).await) != reached {}
        }
    }

    /// Waits until the reader on the other side shows what the owner has; tells how long that took.
    async fn converge(&mut self) -> Duration {
        let (expected, begun) = (whole(&*self.owner.log, &self.session).await, now());
        let following = async {
            while self.screen != expected {
                match self.reader.next().await {
                    Ok(delivery) => self.screen.apply(delivery),
                    Err(LogError::Unreachable(_)) => tokio::task::yield_now().await,
                    Err(problem) => panic!("{problem}"),
                }
            }
        };
        tokio::time::timeout(HANG, following).await.expect("the reader to catch up");
        let logs: [&dyn StreamLog; 2] = [self.owner.log.redis(), &*self.other.log];
        for log in logs {
            let same = async { while shown(log, &self.session).await.as_ref() != Some(&expected) {} };
            tokio::time::timeout(HANG, same).await.expect("Redis to have it too");
        }
        begun.elapsed()
    }

    /// Waits until it is noticed that Redis does not answer.
    async fn until_down(&self) {
        let mut status = self.owner.log.status();
        let down = tokio::time::timeout(HANG, status.wait_for(|status| !status.is_up)).await;
        assert!(down.unwrap().unwrap().problem.is_some());
    }
}

/// What an undisturbed reader sees, if Redis answers.
async fn shown(log: &dyn StreamLog, session: &SessionId) -> Option<Screen> {
    tokio::task::yield_now().await;
    match log.history(session, None, Limit::NONE).await {
        Err(LogError::Unreachable(_)) => None,
        page => {
            let (page, mut screen) = (page.unwrap(), Screen::default());
            let cursor = page.head.cursor();
            screen.apply(Delivery::Reset { entries: page.entries, before: None, cursor });
            Some(screen)
        }
    }
}

fn cursor(delivery: &Delivery) -> Cursor {
    let (Delivery::Reset { cursor, .. } | Delivery::Changes { cursor, .. }) = delivery;
    cursor.clone()
}

#[expect(clippy::disallowed_methods, reason = "figures are told, not asserted")]
fn now() -> Instant {
    Instant::now()
}

const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(2);

#[tokio::test]
async fn c31_the_owner_goes_on_without_redis_and_nothing_is_lost() {
    let mut world = World::begin(AppendOnly::Yes, SHORT).await;
    world.server.kill();
    world.append(1).await;
    world.until_down().await;
    world.append(500).await;
    assert_eq!(world.owner.log.waiting(), 1, "what waits is a session, however much was appended");
    let batch = update(&world.session, "synced", "x");
    world.owner.log.append(&world.session, batch, Durability::Synced).await.unwrap();
    assert!(!world.owner.log.settled().await);
    let refused = world.other.log.history(&world.session, None, Limit::NONE).await;
    assert!(matches!(refused, Err(LogError::Unreachable(_))), "{refused:?}");
    world.server.restart();
    let took = world.converge().await;
    assert!(world.owner.log.settled().await);
    println!("C31: {} outputs while Redis was away, 0 lost, at the reader {took:?} after it was back", 502);
}

#[tokio::test]
async fn c31_a_failover_that_lost_the_tail_is_noticed_and_filled_up() {
    let mut world = World::begin(AppendOnly::No, SHORT).await;
    let replica = RedisServer::start(AppendOnly::No);
    replica.follow(&world.server);
    replica.promote();
    world.append(40).await;
    world.converge().await;
    let stale = whole(&*world.owner.log, &world.session).await;
    world.server.kill();
    world.proxy.lead_to(replica.port());
    let took = world.converge().await;
    assert_eq!(whole(&*world.owner.log, &world.session).await, stale, "nothing was appended meanwhile");
    println!("C31: a failover that lost 40 of 70 outputs was filled up in {took:?}");
}

/// Every place that cannot be read on from is said to be so.
#[tokio::test]
async fn c32_every_stale_cursor_is_told() {
    let world = World::begin(AppendOnly::No, LONG).await;
    let head = whole(&*world.owner.log, &world.session).await.cursor.unwrap();
    world.owner.log.trim(&world.session, 10).await.unwrap();
    assert!(world.owner.log.settled().await);
    let at = |seq| Cursor { seq, ..head.clone() };
    let log = world.other.as_log();
    let mut told = 0;
    for (stale, expected) in
        [(at(9), Resume::Reset), (at(0), Resume::Reset), (at(10), Resume::Ok), (at(31), Resume::Reset)]
    {
        let mut reader = subscribe(&log, &world.session, Some(&stale)).await;
        assert_eq!(reader.resume(), expected, "{stale}");
        if expected == Resume::Reset {
            assert!(matches!(next(&mut reader).await, Delivery::Reset { .. }), "{stale}");
            told += 1;
        }
    }
    let mut live = subscribe(&log, &world.session, Some(&head)).await;
    world.owner.log.remove(&world.session).await.unwrap();
    assert!(matches!(next(&mut live).await, Delivery::Reset { .. }), "the log began anew");
    append(&*world.owner.log, &world.session, update(&world.session, "a", "1")).await;
    assert!(world.owner.log.settled().await);
    assert_eq!(subscribe(&log, &world.session, Some(&head)).await.resume(), Resume::Reset);
    // Nobody is left to fill it again.
    let head = whole(&*world.owner.log, &world.session).await.cursor.unwrap();
    drop(world.owner);
    world.server.flush();
    let mut reader = subscribe(&log, &world.session, Some(&head)).await;
    assert_eq!(reader.resume(), Resume::Reset);
    assert!(matches!(next(&mut reader).await, Delivery::Reset { .. }));
    println!("C32: all of {} stale cursors were told", told + 3);
}

#[tokio::test]
async fn r23_stop() {
    let mut world = World::begin(AppendOnly::No, SHORT).await;
    world.server.freeze();
    world.append(100).await;
    world.until_down().await;
    world.server.thaw();
    let took = world.converge().await;
    println!("R23 stop: {took:?}");
}

#[tokio::test]
async fn r23_kill_9_with_appendonly() {
    let mut world = World::begin(AppendOnly::Yes, SHORT).await;
    world.append(20).await;
    world.server.restart();
    world.append(100).await;
    let took = world.converge().await;
    println!("R23 kill -9 with appendonly: {took:?}");
}

#[tokio::test]
async fn r23_kill_9_without_appendonly() {
    let mut world = World::begin(AppendOnly::No, SHORT).await;
    world.server.restart();
    let took = world.converge().await;
    println!("R23 kill -9 without appendonly: {took:?}");
}

/// Nothing is appended afterwards, and no connection breaks: it is noticed nevertheless.
#[tokio::test]
async fn r23_flushall() {
    let mut world = World::begin(AppendOnly::No, LONG).await;
    world.server.flush();
    let begun = now();
    let expected = whole(&*world.owner.log, &world.session).await;
    let redis = world.owner.log.redis();
    let refilled = async { while shown(redis, &world.session).await.as_ref() != Some(&expected) {} };
    tokio::time::timeout(HANG, refilled).await.expect("Redis to be filled again");
    let took = begun.elapsed();
    world.append(20).await;
    world.converge().await;
    println!("R23 FLUSHALL: {took:?}");
}

#[tokio::test]
async fn r23_maxlen_trim_of_the_streams_for_others() {
    let mut world = World::begin(AppendOnly::No, LONG).await;
    let trimmed: usize = world.server.ask(&["XTRIM", "liminal:{s}:out", "MAXLEN", "0"]);
    assert!(trimmed > 0);
    world.converge().await;
    world.append(20).await;
    world.converge().await;
    let length: usize = world.server.ask(&["XLEN", "liminal:{s}:out"]);
    assert!(length > 0, "others are told again");
}

#[tokio::test]
async fn r23_latency_of_500_ms() {
    let mut world = World::begin(AppendOnly::No, LONG).await;
    world.proxy.delay(Duration::from_millis(500));
    world.append(100).await;
    let took = world.converge().await;
    assert!(world.owner.log.status().borrow().is_up, "slow is not down");
    println!("R23 latency 500 ms: {took:?}");
}

#[tokio::test]
async fn r23_partial_replies() {
    let mut world = World::begin(AppendOnly::No, SHORT).await;
    world.proxy.split(3);
    world.append(20).await;
    world.converge().await;
    world.proxy.split(usize::MAX);
    for bytes in [0, 1, 5, 40, 300] {
        world.proxy.cut_answers_after(bytes);
        world.append(20).await;
        world.until_down().await;
        world.proxy.heal();
        world.converge().await;
    }
}

#[tokio::test]
async fn r23_a_wire_that_is_cut_and_stalls() {
    let mut world = World::begin(AppendOnly::No, SHORT).await;
    for _ in 0..5 {
        world.proxy.cut();
        world.append(20).await;
    }
    world.converge().await;
    world.proxy.stall();
    world.append(20).await;
    world.until_down().await;
    world.proxy.heal();
    world.converge().await;
    world.proxy.refuse();
    world.append(20).await;
    world.until_down().await;
    world.proxy.heal();
    let took = world.converge().await;
    println!("R23 refused: {took:?}");
}

#[derive(Debug, Clone)]
enum Step {
    Append { item: u8, bytes: usize },
    Record,
    Trim { back: u64 },
    Remove,
    Flush,
    Delete { part: &'static str },
    Cut,
    Refuse,
    CutAnswers { after: u64 },
    Heal,
}

fn step() -> impl Strategy<Value = Step> {
    let part = prop::sample::select(vec!["items", "seqs", "firsts", "meta", "out", "events"]);
    prop_oneof![
        8 => (0..6_u8, 0..3000_usize).prop_map(|(item, bytes)| Step::Append { item, bytes }),
        2 => Just(Step::Record),
        1 => (0..9_u64).prop_map(|back| Step::Trim { back }),
        1 => Just(Step::Remove),
        1 => Just(Step::Flush),
        2 => part.prop_map(|part| Step::Delete { part }),
        2 => Just(Step::Cut),
        1 => Just(Step::Refuse),
        1 => (0..200_u64).prop_map(|after| Step::CutAnswers { after }),
        3 => Just(Step::Heal),
    ]
}

async fn take(step: &Step, owner: &Member, proxy: &Proxy, server: &RedisServer, session: &SessionId) {
    match step {
        Step::Append { item, bytes } => {
            owner.append(session, &format!("i{item}"), &"x".repeat(*bytes)).await;
        }
        Step::Record => {
            use liminal_builder::log::EventLog;
            owner.log.record(session, vec!["{}".into()]).await.unwrap();
        }
        Step::Trim { back } => {
            let head = owner.log.head(session).await.unwrap().borrow().seq;
            owner.log.trim(session, head.saturating_sub(*back)).await.unwrap();
        }
        Step::Remove => owner.log.remove(session).await.unwrap(),
        Step::Flush => server.flush(),
        Step::Delete { part } => {
            let () = server.ask(&["DEL", &format!("liminal:{{{session}}}:{part}")]);
        }
        Step::Cut => proxy.cut(),
        Step::Refuse => proxy.refuse(),
        Step::CutAnswers { after } => proxy.cut_answers_after(*after),
        Step::Heal => proxy.heal(),
    }
}

/// Whatever happens to Redis and to the wire, once both are well and something is appended Redis has what the owner
/// has.
#[test]
fn c31_any_faults_end_with_the_state_of_the_owner() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let server = RedisServer::start(AppendOnly::No);
    let (proxy, owner) = runtime.block_on(async {
        let proxy = Proxy::start(server.port()).await;
        let settings = Settings { patience: SHORT, ..Settings::default() };
        let owner = Member::join_with(&proxy.url(), settings).await;
        (proxy, owner)
    });
    let number = std::sync::atomic::AtomicUsize::new(0);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(20));
    let result = runner.run(&prop::collection::vec(step(), 0..25), |steps| {
        let number = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let session = SessionId::from(format!("any-{number}"));
        let (here, there) = runtime.block_on(async {
            owner.log.own(&session, 1).await.unwrap();
            for step in &steps {
                take(step, &owner, &proxy, &server, &session).await;
            }
            proxy.heal();
            owner.append(&session, "last", "x").await;
            tokio::time::timeout(HANG, settled(&owner)).await.expect("Redis to have everything");
            (whole(&*owner.log, &session).await, whole(owner.log.redis(), &session).await)
        });
        prop_assert_eq!(here, there);
        Ok(())
    });
    result.unwrap();
}

async fn settled(owner: &Member) {
    let mut status = owner.log.status();
    loop {
        status.wait_for(|status| status.is_up).await.unwrap();
        if owner.log.settled().await {
            return;
        }
    }
}
