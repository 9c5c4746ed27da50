use std::sync::Arc;

use liminal_builder::log::memory::MemoryLog;
use liminal_builder::log::{Cursor, Delivery, Durability, Encoder, Key, Kind, Limit, StreamLog};
use liminal_core::ids::SessionId;
use liminal_core::upsert::UpsertStatus;
use liminal_core::wire::Resume;
use tokio::task::JoinSet;

use super::support::{
    Screen, append, content, little_memory, message, next, open, subscribe, turn_complete, turn_started,
    update, upsert, whole,
};

/// Whose logs the suite uses.
pub(super) const SESSIONS: [&str; 12] = [
    "dense-1",
    "dense-2",
    "compacted",
    "pages",
    "changes",
    "verdicts",
    "coming",
    "trimmed",
    "removed",
    "first",
    "growing",
    "seam",
];

/// What holds for every log.
pub(super) async fn conforms(log: Arc<dyn StreamLog>) {
    places_are_dense(&*log).await;
    states_are_compacted_by_key(&*log).await;
    history_is_read_in_pages(&*log).await;
    changes_are_read_in_pages(&log).await;
    every_cursor_has_a_verdict(&log).await;
    a_place_that_is_on_its_way_is_waited_for(&log).await;
    a_trimmed_log_resets_those_behind(&log).await;
    a_removed_log_begins_a_new_life(&log).await;
    a_subscriber_may_come_first(&log).await;
    a_growing_text_tells_what_was_added(&*log).await;
    there_is_no_seam(&log).await;
}

#[tokio::test]
async fn memory_conforms() {
    conforms(Arc::new(MemoryLog::default())).await;
}

#[tokio::test]
async fn sqlite_conforms() {
    let directory = tempfile::tempdir().unwrap();
    conforms(Arc::new(open(directory.path(), liminal_builder::log::sqlite::Settings::default()))).await;
}

#[tokio::test]
async fn sqlite_conforms_with_little_memory() {
    let directory = tempfile::tempdir().unwrap();
    conforms(Arc::new(open(directory.path(), little_memory()))).await;
}

async fn places_are_dense(log: &dyn StreamLog) {
    let (one, other) = (SessionId::from("dense-1"), SessionId::from("dense-2"));
    let mut encoder = Encoder::default();
    for item in ["a", "b", "a"] {
        encoder.upsert(&upsert(&one, item, UpsertStatus::Update, "x"));
    }
    assert_eq!(append(log, &one, encoder.take()).await.seq, 3);
    assert_eq!(append(log, &other, update(&other, "a", "x")).await.seq, 1);
    assert_eq!(append(log, &one, Encoder::default().take()).await.seq, 3, "an empty batch takes no place");
    assert_eq!(append(log, &one, update(&one, "c", "x")).await.seq, 4);
    let page = log.read(&one, 0, Limit::NONE).await.unwrap();
    assert_eq!(page.entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [2, 3, 4]);
    assert_eq!((page.through, page.head.seq), (4, 4));
}

async fn states_are_compacted_by_key(log: &dyn StreamLog) {
    let session = SessionId::from("compacted");
    append(log, &session, turn_started(&session, "t1")).await;
    append(log, &session, message(&session, "a", UpsertStatus::Create, "1")).await;
    append(log, &session, message(&session, "b", UpsertStatus::Complete, "2")).await;
    append(log, &session, message(&session, "a", UpsertStatus::Complete, "3")).await;
    log.append(&session, turn_complete(&session, "t1"), Durability::Synced).await.unwrap();
    let page = log.history(&session, None, Limit::NONE).await.unwrap();
    let found: Vec<_> =
        page.entries.iter().map(|entry| (entry.key.clone(), entry.first_seq, entry.seq)).collect();
    let expected = [
        (Key::TurnStarted("t1".into()), 1, 1),
        (Key::Item("a".into()), 2, 4),
        (Key::Item("b".into()), 3, 3),
        (Key::TurnEnded("t1".into()), 5, 5),
    ];
    assert_eq!(found, expected);
    assert_eq!(content(&page.entries[1]), "3");
    assert_eq!(page.entries[0].kind(), Kind::Turn);
    assert!(page.entries.iter().all(|entry| !entry.is_open));
}

async fn history_is_read_in_pages(log: &dyn StreamLog) {
    let session = SessionId::from("pages");
    for item in 0..10 {
        append(log, &session, update(&session, &format!("i{item}"), "x")).await;
    }
    // Moves to the end of the changes, and stays where it was in the history.
    append(log, &session, update(&session, "i0", "xy")).await;
    let limit = Limit { entries: 4, ..Limit::NONE };
    let (mut before, mut pages) = (None, Vec::new());
    loop {
        let page = log.history(&session, before, limit).await.unwrap();
        let Some(first) = page.entries.first() else { break };
        before = Some(first.first_seq);
        pages.push(page.entries.iter().map(|entry| entry.first_seq).collect::<Vec<_>>());
    }
    assert_eq!(pages, [vec![7, 8, 9, 10], vec![3, 4, 5, 6], vec![1, 2]]);
    let small = log.history(&session, None, Limit { bytes: 1, ..Limit::NONE }).await.unwrap();
    assert_eq!(small.entries.len(), 1, "one entry is given, however large");
    let (mut after, mut pages) = (2, Vec::new());
    loop {
        let page = log.later(&session, after, limit).await.unwrap();
        pages.push(page.entries.iter().map(|entry| entry.first_seq).collect::<Vec<_>>());
        after = page.through;
        if after == page.head.seq {
            break;
        }
    }
    assert_eq!(pages, [vec![3, 4, 5, 6], vec![7, 8, 9, 10]], "forward, and no more than there are");
    let small = log.later(&session, 0, Limit { bytes: 1, ..Limit::NONE }).await.unwrap();
    assert_eq!((small.entries.len(), small.through), (1, 1));
    assert!(log.later(&session, 11, limit).await.unwrap().entries.is_empty());
}

async fn changes_are_read_in_pages(log: &Arc<dyn StreamLog>) {
    let session = SessionId::from("changes");
    let start = append(&**log, &session, update(&session, "i0", "x")).await;
    for item in 1..=10 {
        append(&**log, &session, update(&session, &format!("i{item}"), "x")).await;
    }
    let limit = Limit { entries: 4, ..Limit::NONE };
    let mut subscription = subscribe(log, &session, Some(&start)).await.with_limit(limit);
    assert_eq!(subscription.resume(), Resume::Ok);
    let mut sizes = Vec::new();
    let mut screen = Screen { cursor: Some(start), ..Screen::default() };
    while screen.seq() < 11 {
        let delivery = next(&mut subscription).await;
        let Delivery::Changes { entries, .. } = &delivery else { panic!("{delivery:?}") };
        sizes.push(entries.len());
        screen.apply(delivery);
    }
    assert_eq!(sizes, [4, 4, 2]);
}

async fn every_cursor_has_a_verdict(log: &Arc<dyn StreamLog>) {
    let session = SessionId::from("verdicts");
    append(&**log, &session, update(&session, "a", "1")).await;
    let head = append(&**log, &session, update(&session, "b", "2")).await;
    let epoch = &head.epoch;
    let cases = [
        (Some(format!("{epoch}.0")), Resume::Ok),
        (Some(format!("{epoch}.1")), Resume::Ok),
        (Some(format!("{epoch}.2")), Resume::Ok),
        (Some(format!("{epoch}.3")), Resume::Reset),
        (Some("other.1".to_owned()), Resume::Reset),
        (Some("1".to_owned()), Resume::Reset),
        (Some("garbage \u{0}".to_owned()), Resume::Reset),
        (None, Resume::Reset),
    ];
    for (after, expected) in cases {
        let opened =
            liminal_builder::log::Subscription::open(Arc::clone(log), session.clone(), after.as_deref());
        let mut subscription = opened.await.unwrap();
        assert_eq!(subscription.resume(), expected, "{after:?}");
        if expected == Resume::Reset {
            let Delivery::Reset { entries, cursor, .. } = next(&mut subscription).await else {
                panic!("{after:?}")
            };
            assert_eq!((entries.len(), cursor), (2, head.clone()), "{after:?}");
        }
    }
}

/// As a reader that comes from another server, which has shown it more.
async fn a_place_that_is_on_its_way_is_waited_for(log: &Arc<dyn StreamLog>) {
    let session = SessionId::from("coming");
    let first = append(&**log, &session, update(&session, "a", "1")).await;
    let shown = Cursor { seq: first.seq + 2, ..first };
    let arriving = async {
        append(&**log, &session, update(&session, "b", "2")).await;
        append(&**log, &session, update(&session, "c", "3")).await
    };
    let (mut reader, arrived) = tokio::join!(subscribe(log, &session, Some(&shown)), arriving);
    assert_eq!((reader.resume(), arrived), (Resume::Ok, shown.clone()));
    append(&**log, &session, update(&session, "d", "4")).await;
    let Delivery::Changes { entries, .. } = next(&mut reader).await else { panic!("a reset") };
    assert_eq!(entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [shown.seq + 1]);
}

async fn a_trimmed_log_resets_those_behind(log: &Arc<dyn StreamLog>) {
    let session = SessionId::from("trimmed");
    let first = append(&**log, &session, update(&session, "a", "1")).await;
    let second = append(&**log, &session, update(&session, "b", "2")).await;
    append(&**log, &session, update(&session, "c", "3")).await;
    let mut behind = subscribe(log, &session, Some(&first)).await;
    log.trim(&session, second.seq).await.unwrap();
    let Delivery::Reset { entries, .. } = next(&mut behind).await else { panic!("a silent gap") };
    assert_eq!(entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [3]);
    assert_eq!(subscribe(log, &session, Some(&first)).await.resume(), Resume::Reset);
    assert_eq!(subscribe(log, &session, Some(&second)).await.resume(), Resume::Ok);
    let again = append(&**log, &session, update(&session, "a", "4")).await;
    assert_eq!((again.seq, again.epoch), (4, first.epoch));
    assert_eq!(whole(&**log, &session).await.entries[&Key::Item("a".into())].0, 4);
}

async fn a_removed_log_begins_a_new_life(log: &Arc<dyn StreamLog>) {
    let session = SessionId::from("removed");
    let before = append(&**log, &session, update(&session, "a", "1")).await;
    let mut follower = subscribe(log, &session, Some(&before)).await;
    log.remove(&session).await.unwrap();
    let Delivery::Reset { entries, cursor, .. } = next(&mut follower).await else { panic!("a silent end") };
    assert_eq!((entries.len(), cursor.seq), (0, 0));
    let after = append(&**log, &session, update(&session, "b", "2")).await;
    assert_eq!(after.seq, 1);
    assert_ne!(after.epoch, before.epoch);
    assert_eq!(after.epoch, cursor.epoch);
    assert!(matches!(next(&mut follower).await, Delivery::Changes { .. }));
    assert_eq!(subscribe(log, &session, Some(&before)).await.resume(), Resume::Reset);
}

async fn a_subscriber_may_come_first(log: &Arc<dyn StreamLog>) {
    let session = SessionId::from("first");
    let mut subscription = subscribe(log, &session, None).await;
    let Delivery::Reset { entries, cursor, .. } = next(&mut subscription).await else { panic!("no state") };
    assert_eq!((entries.len(), cursor.seq), (0, 0));
    let head = append(&**log, &session, update(&session, "a", "1")).await;
    let Delivery::Changes { entries, cursor: reached } = next(&mut subscription).await else {
        panic!("reset")
    };
    assert_eq!((entries.len(), reached), (1, head.clone()));
    assert_eq!(cursor.epoch, head.epoch, "the life it was told of is the life there is");
}

async fn a_growing_text_tells_what_was_added(log: &dyn StreamLog) {
    let session = SessionId::from("growing");
    let texts = ["Grüße \"an\"\n", "Grüße \"an\"\nalle 🎉", "Grüße \"an\"\nalle 🎉 \\o/", "Neues"];
    let mut found = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        append(log, &session, update(&session, "a", text)).await;
        let page = log.read(&session, index as u64, Limit::NONE).await.unwrap();
        let entry = &page.entries[0];
        let at = entry.text.unwrap();
        assert_eq!(at.units, text.encode_utf16().count() as u64, "{text}");
        let quoted = format!("\"{}\"", String::from_utf8(entry.escaped_text().to_vec()).unwrap());
        assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), *text);
        found.push(at.since);
    }
    assert_eq!(found[3], 4, "a text that is another one does not go on from the one before");
    assert!(found[..3].iter().zip(1..).all(|(since, seq)| *since <= seq));
}

/// Readers that come at any time during many appends from many sides end with the same state.
async fn there_is_no_seam(log: &Arc<dyn StreamLog>) {
    const WRITERS: usize = 4;
    const APPENDS: usize = 100;
    const READERS: usize = 60;
    let session = SessionId::from("seam");
    let end = (WRITERS * APPENDS) as u64;
    let mut tasks: JoinSet<Option<Screen>> = JoinSet::new();
    for writer in 0..WRITERS {
        let (log, session) = (Arc::clone(log), session.clone());
        tasks.spawn(async move {
            for number in 0..APPENDS {
                let batch = update(&session, &format!("w{writer}-{}", number % 7), &number.to_string());
                let synced = number % 25 == 0;
                let durability = if synced { Durability::Synced } else { Durability::Grouped };
                log.append(&session, batch, durability).await.unwrap();
            }
            None
        });
    }
    for reader in 0..READERS {
        let (log, session) = (Arc::clone(log), session.clone());
        tasks.spawn(async move {
            let mut head = log.head(&session).await.unwrap();
            let join_at = end * reader as u64 / READERS as u64;
            head.wait_for(|head| head.seq >= join_at).await.unwrap();
            Some(follow(&log, &session, end).await)
        });
    }
    let results = tasks.join_all().await;
    let expected = whole(&**log, &session).await;
    assert_eq!(expected.seq(), end);
    let screens: Vec<_> = results.into_iter().flatten().collect();
    assert_eq!(screens.len(), READERS);
    assert!(screens.iter().all(|screen| *screen == expected));
}

async fn follow(log: &Arc<dyn StreamLog>, session: &SessionId, end: u64) -> Screen {
    let mut screen = Screen::default();
    let mut subscription = subscribe(log, session, None).await;
    screen.apply(next(&mut subscription).await);
    while screen.seq() < end {
        let delivery = next(&mut subscription).await;
        assert!(matches!(delivery, Delivery::Changes { .. }), "a place that was shown is taken back");
        screen.apply(delivery);
        if screen.seq() % 3 == 0 {
            subscription = subscribe(log, session, screen.cursor.as_ref()).await;
            assert_eq!(subscription.resume(), Resume::Ok);
        }
    }
    screen
}
