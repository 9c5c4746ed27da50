//! Outputs to append, and a client that folds what it is given.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use liminal_builder::log::sqlite::{Settings, SqliteLog};
use liminal_builder::log::{
    Batch, Cursor, Delivery, Durability, Encoder, Entry, Key, StreamLog, Subscription,
};
use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::event::Origin;
use liminal_core::ids::{SessionId, TurnId};
use liminal_core::upsert::{MessageBody, TurnEvent, TurnStatus, Upsert, UpsertBody, UpsertStatus};

pub(super) const TURN: &str = "t1";

pub(super) fn upsert(session: &SessionId, item: &str, status: UpsertStatus, content: &str) -> Upsert {
    let at = jiff::Timestamp::UNIX_EPOCH.into();
    let body = UpsertBody::Message(MessageBody::new(Origin::Agent, content.to_owned()));
    Upsert { status, ..Upsert::finished(session.clone(), TURN.into(), item.into(), at, body) }
}

/// Ends what a server left open, as its successor does; gives the turns.
pub(super) async fn close_open_turns(log: &SqliteLog) -> Vec<(SessionId, TurnId)> {
    let reason = ErrorInfo::new(ErrorCode::ServerRestart, "the server was stopped");
    let endings = log.endings_of_open_turns(&reason, jiff::Timestamp::UNIX_EPOCH).await.unwrap();
    let mut closed = Vec::new();
    for (session, turns, batch) in endings {
        log.append(&session, batch, Durability::Synced).await.unwrap();
        closed.extend(turns.into_iter().map(|turn| (session.clone(), turn)));
    }
    closed
}

pub(super) fn message(session: &SessionId, item: &str, status: UpsertStatus, content: &str) -> Batch {
    let mut encoder = Encoder::default();
    encoder.upsert(&upsert(session, item, status, content));
    encoder.take()
}

pub(super) fn update(session: &SessionId, item: &str, content: &str) -> Batch {
    message(session, item, UpsertStatus::Update, content)
}

pub(super) fn turn_started(session: &SessionId, turn: &str) -> Batch {
    let (turn_id, session_id) = (turn.into(), session.clone());
    let (model_id, provider_id) = ("model".to_owned(), "provider".to_owned());
    turn_event(&TurnEvent::TurnStarted { turn_id, session_id, model_id, provider_id })
}

pub(super) fn turn_complete(session: &SessionId, turn: &str) -> Batch {
    let (turn_id, session_id) = (turn.into(), session.clone());
    let status = TurnStatus::Completed;
    turn_event(&TurnEvent::TurnComplete { turn_id, session_id, status, usage: None })
}

fn turn_event(event: &TurnEvent) -> Batch {
    let mut encoder = Encoder::default();
    encoder.turn_event(event);
    encoder.take()
}

pub(super) async fn append(log: &dyn StreamLog, session: &SessionId, batch: Batch) -> Cursor {
    log.append(session, batch, Durability::Grouped).await.unwrap()
}

pub(super) fn open(directory: &Path, settings: Settings) -> SqliteLog {
    let (log, moved_aside) = SqliteLog::open(&directory.join("liminal.db"), settings).unwrap();
    assert_eq!(moved_aside, None);
    log
}

/// So small that nearly every reader has to go to the disk.
pub(super) fn little_memory() -> Settings {
    Settings { session_bytes: 2048, memory_bytes: 8192, sessions_in_memory: 2, ..Settings::default() }
}

/// What a client shows: every key's state, by its first place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Screen {
    pub(super) entries: BTreeMap<Key, (u64, Bytes)>,
    pub(super) cursor: Option<Cursor>,
}

impl Screen {
    pub(super) fn apply(&mut self, delivery: Delivery) {
        let (entries, cursor) = match delivery {
            Delivery::Reset { entries, cursor, .. } => {
                assert!(
                    entries.is_sorted_by_key(|entry| entry.first_seq),
                    "history is in order of first_seq"
                );
                self.entries.clear();
                (entries, cursor)
            }
            Delivery::Changes { entries, cursor } => {
                let before = self.cursor.as_ref().map_or(0, |cursor| cursor.seq);
                assert!(entries.iter().all(|entry| entry.seq > before), "nothing is sent twice");
                assert!(entries.is_sorted_by_key(|entry| entry.seq), "changes are in order");
                (entries, cursor)
            }
        };
        self.entries.extend(entries.into_iter().map(|entry| (entry.key, (entry.first_seq, entry.bytes))));
        self.cursor = Some(cursor);
    }

    pub(super) fn seq(&self) -> u64 {
        self.cursor.as_ref().map_or(0, |cursor| cursor.seq)
    }
}

/// What an undisturbed reader sees.
pub(super) async fn whole(log: &dyn StreamLog, session: &SessionId) -> Screen {
    let page = log.history(session, None, liminal_builder::log::Limit::NONE).await.unwrap();
    let mut screen = Screen::default();
    screen.apply(Delivery::Reset { entries: page.entries, before: None, cursor: page.head.cursor() });
    screen
}

pub(super) async fn subscribe(
    log: &Arc<dyn StreamLog>,
    session: &SessionId,
    after: Option<&Cursor>,
) -> Subscription {
    let after = after.map(ToString::to_string);
    Subscription::open(Arc::clone(log), session.clone(), after.as_deref()).await.unwrap()
}

/// The next delivery; one that does not come fails the test instead of hanging it.
pub(super) async fn next(subscription: &mut Subscription) -> Delivery {
    let patience = Duration::from_secs(20);
    tokio::time::timeout(patience, subscription.next()).await.expect("something to be delivered").unwrap()
}

pub(super) fn content(entry: &Entry) -> String {
    let payload: serde_json::Value = serde_json::from_slice(&entry.bytes).unwrap();
    payload["content"].as_str().unwrap().to_owned()
}
