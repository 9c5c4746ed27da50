use std::sync::Arc;

use bytes::Bytes;
use liminal_builder::log::redis::{Copied, CopiedEvents, Copy, RedisLog, Settings};
use liminal_builder::log::{Delivery, Durability, EventLog, Head, Limit, LogError, StreamLog};
use liminal_core::ids::SessionId;

use super::conformance::conforms;
use super::laws::{holds, law};
use super::support::{append, next, subscribe, update, whole};
use crate::redis_server::{AppendOnly, RedisServer};

pub(super) async fn connect(url: &str) -> RedisLog {
    RedisLog::open(url, Settings::default()).await.unwrap()
}

#[tokio::test]
async fn redis_conforms() {
    let server = RedisServer::start(AppendOnly::No);
    conforms(Arc::new(connect(&server.url()).await)).await;
}

#[test]
fn any_readers_of_redis_end_in_the_same_state() {
    let server = RedisServer::start(AppendOnly::No);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let log: Arc<dyn StreamLog> = Arc::new(runtime.block_on(connect(&server.url())));
    // Until something is appended, a log has a life only for those who watch it.
    let watched: Vec<_> = (0..24).map(|number| runtime.block_on(log.head(&law(number))).unwrap()).collect();
    holds(&log, 24);
    drop(watched);
}

#[tokio::test]
async fn nobody_answers_where_no_redis_is() {
    let mut server = RedisServer::start(AppendOnly::No);
    server.kill();
    let error = RedisLog::open(&server.url(), Settings::default()).await.unwrap_err();
    assert!(matches!(error, LogError::Unreachable(_)), "{error}");
    let error = RedisLog::open("http://127.0.0.1", Settings::default()).await.unwrap_err();
    assert!(error.to_string().contains("redis://"), "{error}");
}

#[tokio::test]
async fn it_is_known_whether_redis_survives_a_crash() {
    for (append_only, expected) in [(AppendOnly::Yes, true), (AppendOnly::No, false)] {
        let server = RedisServer::start(append_only);
        let log = connect(&server.url()).await;
        assert_eq!(log.link().report().await.unwrap().is_append_only, Some(expected));
        let () = server.ask(&["ACL", "SETUSER", "default", "-info"]);
        let report = log.link().report().await.unwrap();
        assert_eq!((report.version.as_deref(), report.is_append_only), (None, None), "nobody may ask");
        assert_eq!(report.fault(), None, "what is not known is no fault");
    }
}

#[tokio::test]
async fn followers_elsewhere_are_told_of_every_life() {
    let server = RedisServer::start(AppendOnly::No);
    let (here, there) = (connect(&server.url()).await, connect(&server.url()).await);
    let (here, there): (Arc<dyn StreamLog>, Arc<dyn StreamLog>) = (Arc::new(here), Arc::new(there));
    let session = SessionId::from("followed");
    let begun = append(&*here, &session, update(&session, "a", "1")).await;
    let mut follower = subscribe(&there, &session, Some(&begun)).await;
    for number in 0..20 {
        let reached = append(&*here, &session, update(&session, "a", &number.to_string())).await;
        let Delivery::Changes { entries, cursor } = next(&mut follower).await else { panic!("a reset") };
        assert_eq!((entries.len(), cursor), (1, reached));
    }
    here.remove(&session).await.unwrap();
    let Delivery::Reset { entries, .. } = next(&mut follower).await else { panic!("a silent end") };
    assert_eq!(entries.len(), 0);
    let again = append(&*here, &session, update(&session, "b", "2")).await;
    loop {
        let (Delivery::Reset { cursor, .. } | Delivery::Changes { cursor, .. }) = next(&mut follower).await;
        if cursor == again {
            break;
        }
    }
    assert_eq!(whole(&*there, &session).await, whole(&*here, &session).await);
}

/// Something else under a session's key is told to those who want this session, and to nobody else.
#[tokio::test]
async fn a_session_that_cannot_be_read_disturbs_no_other() {
    let server = RedisServer::start(AppendOnly::No);
    let log: Arc<dyn StreamLog> = Arc::new(connect(&server.url()).await);
    let (bad, good) = (SessionId::from("bad"), SessionId::from("good"));
    let begun = append(&*log, &good, update(&good, "a", "1")).await;
    let mut watched = log.head(&bad).await.unwrap();
    let mut follower = subscribe(&log, &good, Some(&begun)).await;
    let () = server.ask(&["SET", "liminal:{bad}:meta", "of somebody else"]);
    // Everything is joined and asked for again, this one too.
    let () = server.ask(&["CLIENT", "KILL", "TYPE", "pubsub"]);
    let reached = append(&*log, &good, update(&good, "a", "2")).await;
    let Delivery::Changes { cursor, .. } = next(&mut follower).await else { panic!("a reset") };
    assert_eq!(cursor, reached);
    let elsewhere = connect(&server.url()).await;
    elsewhere.append(&good, update(&good, "a", "3"), Durability::Grouped).await.unwrap();
    assert!(matches!(next(&mut follower).await, Delivery::Changes { .. }), "news still come");
    let problem = elsewhere.head(&bad).await.unwrap_err();
    assert!(matches!(problem, LogError::Failed(_)), "{problem}");
    assert_eq!(watched.borrow_and_update().seq, 0);
}

/// Whoever had the right to write before writes nothing any more, by whichever way.
#[tokio::test]
async fn c33_a_smaller_token_is_refused() {
    let server = RedisServer::start(AppendOnly::No);
    let log = connect(&server.url()).await;
    let session = SessionId::from("fenced");
    let head = Head { epoch: "e".into(), seq: 0, floor: 0 };
    let copy = |token| Copy { token, head: &head, base: 0, starts_over: token == 2, entries: &[] };
    assert_eq!(log.copy(&session, &copy(2)).await, Ok(Copied::Done));
    assert_eq!(log.copy(&session, &copy(1)).await, Err(LogError::Fenced));
    let event = vec![(1, Bytes::from_static(b"{}"))];
    assert_eq!(log.copy_events(&session, 1, Some(0), &event).await, Err(LogError::Fenced));
    assert_eq!(log.remove_as(&session, 1).await, Err(LogError::Fenced));
    let batch = || update(&session, "a", "1");
    assert_eq!(log.append_as(&session, 1, batch()).await, Err(LogError::Fenced));
    assert_eq!(log.append(&session, batch(), Durability::Synced).await, Err(LogError::Fenced));
    assert_eq!(log.trim(&session, 1).await, Err(LogError::Fenced));
    assert_eq!(log.append_as(&session, 2, batch()).await.unwrap().seq, 1);
    log.remove_as(&session, 2).await.unwrap();
    assert_eq!(log.append_as(&session, 1, batch()).await, Err(LogError::Fenced), "nor brings it back");
}

#[tokio::test]
async fn a_copier_is_told_where_the_log_stands() {
    let server = RedisServer::start(AppendOnly::No);
    let log = connect(&server.url()).await;
    let session = SessionId::from("copied");
    let at = |seq| Head { epoch: "e".into(), seq, floor: 0 };
    let head = at(0);
    let copy = |base, starts_over| Copy { token: 1, head: &head, base, starts_over, entries: &[] };
    assert_eq!(log.copy(&session, &copy(0, false)).await, Ok(Copied::Elsewhere(None)));
    assert_eq!(log.copy(&session, &copy(0, true)).await, Ok(Copied::Done));
    assert_eq!(log.copy(&session, &copy(0, false)).await, Ok(Copied::Done), "twice is as good as once");
    log.append_as(&session, 1, update(&session, "a", "1")).await.unwrap();
    assert_eq!(log.copy(&session, &copy(0, false)).await, Ok(Copied::Elsewhere(Some(at(1)))));
    for part in ["items", "seqs", "firsts"] {
        log.remove_as(&session, 1).await.unwrap();
        log.append_as(&session, 1, update(&session, "a", "1")).await.unwrap();
        let () = server.ask(&["DEL", &format!("liminal:{{copied}}:{part}")]);
        assert_eq!(log.stored(&session).await, Ok(None), "{part} is gone");
        assert_eq!(log.copy(&session, &copy(1, false)).await, Ok(Copied::Elsewhere(None)), "{part}");
    }
    let events = [(7, Bytes::from_static(b"7")), (8, Bytes::from_static(b"8"))];
    let elsewhere = log.copy_events(&session, 1, Some(3), &events).await;
    assert_eq!(elsewhere, Ok(CopiedEvents::Elsewhere(0)));
    assert_eq!(log.copy_events(&session, 1, None, &events).await, Ok(CopiedEvents::Done));
    assert_eq!(log.events(&session, 0, 10).await.unwrap(), events);
    assert_eq!(log.events(&session, 7, 10).await.unwrap(), events[1..]);
}

#[tokio::test]
async fn events_are_numbered_and_followed() {
    let server = RedisServer::start(AppendOnly::No);
    let (here, there) = (connect(&server.url()).await, connect(&server.url()).await);
    let session = SessionId::from("events");
    let mut more = there.follow(&session);
    for number in 1..=5_u64 {
        here.record(&session, vec![Bytes::from(number.to_string())]).await.unwrap();
        while there.events(&session, number - 1, 10).await.unwrap().is_empty() {
            more.changed().await.unwrap();
        }
    }
    let found = there.events(&session, 2, 2).await.unwrap();
    assert_eq!(found, [(3, Bytes::from_static(b"3")), (4, Bytes::from_static(b"4"))]);
}

/// Other programs' stream holds little, however large its values are; ours is not read from it.
#[tokio::test]
async fn the_stream_for_others_is_bounded_in_size() {
    let server = RedisServer::start(AppendOnly::No);
    let settings = Settings { out_bytes: 1 << 20, ..Settings::default() };
    let log = RedisLog::open(&server.url(), settings).await.unwrap();
    let session = SessionId::from("large");
    let text = "x".repeat(100_000);
    for item in 0..100 {
        append(&log, &session, update(&session, &format!("i{item}"), &text)).await;
    }
    let length: usize = server.ask(&["XLEN", "liminal:{large}:out"]);
    assert!((16..=24).contains(&length), "{length}");
    assert_eq!(log.history(&session, None, Limit::NONE).await.unwrap().entries.len(), 100);
}
