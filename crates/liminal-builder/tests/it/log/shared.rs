use std::sync::Arc;

use bytes::Bytes;
use liminal_builder::clock::Clock;
use liminal_builder::log::redis::{RedisLog, Settings};
use liminal_builder::log::shared::SharedLog;
use liminal_builder::log::{Cursor, Delivery, Durability, EventLog, Limit, LogError, StreamLog};
use liminal_core::ids::SessionId;
use liminal_core::upsert::UpsertStatus;
use liminal_core::wire::Resume;
use tempfile::TempDir;

use super::conformance::{SESSIONS, conforms};
use super::laws::{holds, law};
use super::support::{
    append, close_open_turns, little_memory, message, next, open, subscribe, turn_complete, turn_started,
    update, whole,
};
use crate::redis_server::{AppendOnly, RedisServer};

/// A server's log: its own file, and what it shares.
pub(super) struct Member {
    pub(super) log: Arc<SharedLog>,
    pub(super) local: Arc<liminal_builder::log::sqlite::SqliteLog>,
    pub(super) _directory: TempDir,
}

impl Member {
    pub(super) async fn join(url: &str) -> Self {
        Self::join_with(url, Settings::default()).await
    }

    pub(super) async fn join_with(url: &str, settings: Settings) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let local = Arc::new(open(directory.path(), liminal_builder::log::sqlite::Settings::default()));
        let redis = RedisLog::open(url, settings).await.unwrap();
        let log = Arc::new(SharedLog::open(Arc::clone(&local), redis, Clock::start()));
        Self { log, local, _directory: directory }
    }

    pub(super) fn as_log(&self) -> Arc<dyn StreamLog> {
        Arc::clone(&self.log) as _
    }

    pub(super) async fn append(&self, session: &SessionId, item: &str, text: &str) -> Cursor {
        append(&*self.log, session, update(session, item, text)).await
    }
}

#[tokio::test]
async fn shared_conforms() {
    let server = RedisServer::start(AppendOnly::No);
    let member = Member::join(&server.url()).await;
    for session in SESSIONS {
        member.log.own(&session.into(), 1).await.unwrap();
    }
    conforms(member.as_log()).await;
    assert!(member.log.settled().await);
    for session in SESSIONS {
        let session = session.into();
        assert_eq!(
            whole(member.log.redis(), &session).await.entries,
            whole(&*member.log, &session).await.entries
        );
    }
}

#[test]
fn any_readers_of_a_shared_log_end_in_the_same_state() {
    let server = RedisServer::start(AppendOnly::No);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let member = runtime.block_on(async {
        let member = Member::join(&server.url()).await;
        for number in 0..24 {
            member.log.own(&law(number), 1).await.unwrap();
        }
        member
    });
    holds(&member.as_log(), 24);
    assert!(runtime.block_on(member.log.settled()));
    for number in 0..24 {
        let (here, there) = runtime.block_on(async {
            (whole(&*member.log, &law(number)).await, whole(member.log.redis(), &law(number)).await)
        });
        assert_eq!(here.entries, there.entries);
    }
}

#[tokio::test]
async fn a_session_of_somebody_else_is_read_and_not_written() {
    let server = RedisServer::start(AppendOnly::No);
    let (owner, other) = (Member::join(&server.url()).await, Member::join(&server.url()).await);
    let session = SessionId::from("read");
    owner.log.own(&session, 1).await.unwrap();
    let begun = owner.append(&session, "a", "1").await;
    assert!(owner.log.settled().await);
    let mut follower = subscribe(&other.as_log(), &session, Some(&begun)).await;
    assert_eq!(follower.resume(), Resume::Ok);
    let reached = owner.append(&session, "a", "2").await;
    let Delivery::Changes { entries, cursor } = next(&mut follower).await else { panic!("a reset") };
    assert_eq!((entries.len(), cursor), (1, reached));
    assert_eq!(entries, owner.log.read(&session, 1, Limit::NONE).await.unwrap().entries, "places and all");
    let key = &entries[0].key;
    assert_eq!(other.log.entry(&session, key).await.unwrap().as_ref(), Some(&entries[0]));
    let batch = || update(&session, "b", "1");
    for refused in [
        other.log.append(&session, batch(), Durability::Grouped).await.map(drop),
        other.log.trim(&session, 1).await,
        other.log.remove(&session).await,
        other.log.record(&session, vec![Bytes::from_static(b"{}")]).await,
    ] {
        assert_eq!(refused, Err(LogError::Fenced));
    }
    assert!(owner.log.is_ours(&session) && !other.log.is_ours(&session));
}

#[tokio::test]
async fn what_was_synced_is_in_redis() {
    let server = RedisServer::start(AppendOnly::No);
    let owner = Member::join(&server.url()).await;
    let session = SessionId::from("synced");
    owner.log.own(&session, 1).await.unwrap();
    for number in 1..=20_u64 {
        let batch = update(&session, "a", &number.to_string());
        let cursor = owner.log.append(&session, batch, Durability::Synced).await.unwrap();
        let (stored, _) = owner.log.redis().stored(&session).await.unwrap().unwrap();
        assert_eq!(stored.cursor(), cursor);
    }
}

/// A session moves from one server to another and back, and nobody who follows it anywhere misses anything.
#[tokio::test]
async fn a_session_moves_and_its_readers_follow_it() {
    let server = RedisServer::start(AppendOnly::No);
    let members = [Member::join(&server.url()).await, Member::join(&server.url()).await];
    let session = SessionId::from("moving");
    members[0].log.own(&session, 1).await.unwrap();
    append(&*members[0].log, &session, turn_started(&session, "t1")).await;
    members[0].append(&session, "a", "0").await;
    members[0].log.record(&session, vec![Bytes::from_static(b"1")]).await.unwrap();
    assert!(members[0].log.settled().await);
    let logs = members.each_ref().map(Member::as_log);
    let mut readers = [subscribe(&logs[0], &session, None).await, subscribe(&logs[1], &session, None).await];
    let mut screens = [super::support::Screen::default(), super::support::Screen::default()];
    for round in 1..=6_u64 {
        let [from, to] = if round % 2 == 1 { [0, 1] } else { [1, 0] };
        assert!(members[from].log.settled().await);
        members[from].log.disown(&session);
        members[to].log.own(&session, round + 1).await.unwrap();
        let status = if round == 6 { UpsertStatus::Complete } else { UpsertStatus::Update };
        let batch =
            message(&session, &format!("i{}", round % 3), status, &"text ".repeat(round as usize * 400));
        append(&*members[to].log, &session, batch).await;
        members[to].log.record(&session, vec![Bytes::from((round + 1).to_string())]).await.unwrap();
        let reached = members[to].append(&session, "a", &round.to_string()).await;
        assert_eq!(reached.seq, 2 + round * 2, "one order over all servers");
        for (reader, screen) in readers.iter_mut().zip(&mut screens) {
            while screen.cursor.as_ref() != Some(&reached) {
                screen.apply(next(reader).await);
            }
        }
        assert_eq!(screens[0], screens[1]);
        assert_eq!(screens[0], whole(&*members[to].log, &session).await);
    }
    let numbers: Vec<_> = members[0].log.events(&session, 0, 99).await.unwrap();
    assert_eq!(numbers.iter().map(|(number, _)| *number).collect::<Vec<_>>(), (1..=7).collect::<Vec<_>>());
    assert_eq!(members[0].local.open_turns().await.unwrap(), [(session.clone(), "t1".into())]);
    append(&*members[0].log, &session, turn_complete(&session, "t1")).await;
    assert_eq!(members[0].local.open_turns().await.unwrap(), []);
}

/// What was taken over is sound on disk, can be searched and recovered, and survives a restart.
#[tokio::test]
async fn an_import_is_as_good_as_what_was_written_here() {
    let server = RedisServer::start(AppendOnly::No);
    let owner = Member::join(&server.url()).await;
    let session = SessionId::from("imported");
    owner.log.own(&session, 1).await.unwrap();
    append(&*owner.log, &session, turn_started(&session, "t1")).await;
    for number in 0..600 {
        let status = if number % 2 == 0 { UpsertStatus::Complete } else { UpsertStatus::Update };
        let batch = message(&session, &format!("i{number}"), status, &format!("needle{number}z in hay"));
        append(&*owner.log, &session, batch).await;
    }
    owner.log.trim(&session, 20).await.unwrap();
    assert!(owner.log.settled().await);
    let expected = whole(&*owner.log, &session).await;

    let directory = tempfile::tempdir().unwrap();
    let local = Arc::new(open(directory.path(), little_memory()));
    append(&*local, &session, update(&session, "stale", "of another life")).await;
    let log = SharedLog::open(Arc::clone(&local), super::redis::connect(&server.url()).await, Clock::start());
    log.own(&session, 2).await.unwrap();
    assert_eq!(whole(&*local, &session).await, expected);
    local.indexed().await.unwrap();
    assert_eq!(local.search("needle42z", None, 9).await.unwrap().len(), 1);
    assert_eq!(local.search("stale", None, 9).await.unwrap().len(), 0);
    drop(log);
    local.close().await.unwrap();
    let local = open(directory.path(), little_memory());
    assert_eq!(whole(&local, &session).await, expected, "nothing was found to be wrong with the file");
    assert_eq!(close_open_turns(&local).await, [(session.clone(), "t1".into())]);
    let page = local.history(&session, None, Limit::NONE).await.unwrap();
    assert!(page.entries.iter().all(|entry| !entry.is_open));
}

/// Two servers that both believe that the session is theirs: the one with the smaller token is stopped, and nothing of
/// what it wrote afterwards is between what the other wrote.
#[tokio::test]
async fn c33_of_two_owners_one_is_stopped_and_nothing_is_mixed() {
    let server = RedisServer::start(AppendOnly::No);
    let (old, new) = (Member::join(&server.url()).await, Member::join(&server.url()).await);
    let session = SessionId::from("stolen");
    old.log.own(&session, 1).await.unwrap();
    old.append(&session, "old", "1").await;
    assert!(old.log.settled().await);
    let mut lost = old.log.lost();
    let mut reader = subscribe(&old.as_log(), &session, None).await;
    let mut screen = super::support::Screen::default();
    new.log.own(&session, 2).await.unwrap();
    let (mut written, mut refused) = (0, None);
    for number in 0..200 {
        new.append(&session, "new", &number.to_string()).await;
        let batch = update(&session, &format!("late{number}"), "x");
        let durability = if number % 10 == 9 { Durability::Synced } else { Durability::Grouped };
        match old.log.append(&session, batch, durability).await {
            Ok(_) => written += 1,
            Err(error) => refused = Some(error),
        }
    }
    assert_eq!(refused, Some(LogError::Fenced));
    assert_eq!(old.log.own(&session, 1).await, Err(LogError::Fenced), "a right is not had twice");
    assert_eq!(lost.recv().await, Some(session.clone()));
    assert!(!old.log.is_ours(&session) && new.log.is_ours(&session));
    assert!(new.log.settled().await);
    let expected = whole(&*new.log, &session).await;
    let keys: Vec<_> = expected.entries.keys().map(ToString::to_string).collect();
    assert_eq!(keys, ["item:new", "item:old"], "0 of {written} late writes");
    assert_eq!(whole(&*old.log, &session).await, expected, "it reads what the other one wrote");
    while screen != expected {
        screen.apply(next(&mut reader).await);
    }
    println!("C33: {written} appends of the stopped owner went to its own file, 0 to Redis");
}
