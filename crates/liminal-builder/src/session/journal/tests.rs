//! A journal whose disk is full.

use liminal_core::time::Timestamp;
use liminal_core::upsert::{MessageBody, UpsertStatus};
use tokio::sync::watch;

use super::*;
use crate::log::sqlite::{Hands, Settings, SqliteLog};
use crate::log::{Key, Limit, StreamLog};
use crate::session::Unstored;

struct Desk {
    _folder: tempfile::TempDir,
    log: Arc<SqliteLog>,
    hands: Hands,
    journal: Journal,
    unstored: watch::Receiver<Unstored>,
}

impl Desk {
    fn new(durability: Durability) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (log, hands) = SqliteLog::by_hand(&folder.path().join("log.db"), Settings::default()).unwrap();
        let log = Arc::new(log);
        let outlet = Outlet { durability, ..Outlet::new(Arc::clone(&log) as _) };
        let unstored = outlet.board.unstored();
        let journal = Journal::new("s".into(), outlet);
        Self { _folder: folder, log, hands, journal, unstored }
    }

    fn say(&mut self, item: &str, status: UpsertStatus, content: &str) {
        let body = UpsertBody::Message(MessageBody::new(Origin::Agent, content.to_owned()));
        let at = Timestamp::from(jiff::Timestamp::UNIX_EPOCH);
        let state = Upsert::finished("s".into(), "t".into(), item.into(), at, body);
        self.journal.encoder.upsert(&Upsert { status, ..state });
        self.journal.settle();
    }

    /// The disk takes what it is asked to, or does not.
    async fn asked(&mut self, work: impl FnOnce(&mut Hands)) {
        let written = async {
            self.journal.written().await.unwrap();
            self.journal.settle();
        };
        let worked = async {
            assert!(self.hands.asked().await);
            work(&mut self.hands);
        };
        tokio::join!(written, worked);
    }

    async fn pause(&mut self) {
        self.journal.written().await.unwrap();
        self.journal.settle();
    }

    fn shown(&self) -> Vec<String> {
        let (shown, _) = self.unstored.borrow().after(0, Limit::NONE);
        shown.into_iter().map(|state| state.item.to_string()).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_disk_does_not_take_is_shown_until_it_is_stored() {
    let mut desk = Desk::new(Durability::Grouped);
    desk.say("a", UpsertStatus::Create, "1");
    desk.say("b", UpsertStatus::Create, "1");
    assert_eq!(desk.shown(), [""; 0], "nobody knows yet that the disk is full");
    desk.asked(|hands| hands.refuse(LogError::Full)).await;
    assert_eq!(desk.shown(), ["a", "b"]);
    desk.say("a", UpsertStatus::Complete, "12");
    assert_eq!(desk.shown(), ["b", "a"]);
    desk.pause().await;
    desk.say("c", UpsertStatus::Create, "1");
    assert_eq!(desk.shown(), ["b", "a"], "it may be stored at any moment");
    desk.asked(|hands| hands.refuse(LogError::Full)).await;
    assert_eq!(desk.shown(), ["b", "a", "c"]);
    desk.pause().await;
    desk.asked(Hands::write).await;
    assert_eq!(desk.shown(), [""; 0]);
    assert!(!desk.journal.is_writing());
    let page = desk.log.read(&"s".into(), 0, Limit::NONE).await.unwrap();
    let keys: Vec<_> = page.entries.iter().map(|entry| entry.key.clone()).collect();
    assert_eq!(keys, ["b", "a", "c"].map(|item| Key::Item(item.into())), "all of it, in order");
}

#[tokio::test(start_paused = true)]
async fn what_has_to_survive_a_power_failure_is_not_shown_before_it_is_stored() {
    let mut desk = Desk::new(Durability::Synced);
    desk.say("a", UpsertStatus::Create, "1");
    desk.asked(|hands| hands.refuse(LogError::Full)).await;
    desk.say("b", UpsertStatus::Create, "1");
    assert_eq!(desk.shown(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_agent_is_not_heard_on_once_enough_waits_for_room() {
    let mut desk = Desk::new(Durability::Grouped);
    desk.say("first", UpsertStatus::Complete, "1");
    desk.asked(|hands| hands.refuse(LogError::Full)).await;
    let mut said = 1;
    while !desk.journal.is_far_behind() {
        desk.say(&format!("{said}"), UpsertStatus::Complete, "1");
        said += 1;
    }
    assert_eq!(said, WAITING_RECORDS + 1);
    assert_eq!(desk.shown().len(), said, "all that was heard is shown");
}
