//! What one reader of one session is sent, whichever way it reads. Owns the order of its frames, how often a growing
//! item is sent again, and which texts can be sent as what was added.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use liminal_core::ids::{ItemId, SessionId};
use liminal_core::wire::view::SessionView;
use liminal_core::wire::{Encoding, Resume, ServerMessage};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::first_sight::is_first_sight;
use super::frames;
use crate::log::{Cursor, Delivery, Entry, Key, Limit, LogError, Subscription};
use crate::metrics::Counted;
use crate::session::Live;
use crate::session::unstored::{self, Unstored};
use crate::sessions::Followed;

/// Between two states of a growing item: nobody sees more of them.
const PAUSE: Duration = Duration::from_millis(33);
/// What sending a growing item whole, again and again, may cost in a second: one of 256 KiB goes out twice.
const BYTES_A_SECOND: u64 = 512 * 1024;
/// What is smaller is sent as often as it changes: short answers and the beginnings of calls are seen at once.
const SMALL: usize = 4 * 1024;

/// What is sent at once.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) kind: &'static str,
    /// Where the reader stands that has applied it.
    pub(super) cursor: Option<Cursor>,
    pub(super) bytes: Bytes,
}

/// A reader of one session.
#[derive(Debug)]
pub(super) struct Feed {
    session: SessionId,
    subscription: Subscription,
    live: watch::Receiver<Live>,
    shown: SessionView,
    unstored: watch::Receiver<Unstored>,
    /// The version of what the disk has not taken that the reader has seen.
    unstored_seen: u64,
    encoding: Option<Encoding>,
    /// What the reader holds of texts that grow.
    held: BTreeMap<ItemId, Held>,
    not_before: Option<Instant>,
    /// The life of the log whose history the reader was told to expect.
    announced: Option<Arc<str>>,
    _counted: Counted,
}

/// What a reader holds of a growing text.
#[derive(Debug, Clone, Copy)]
struct Held {
    seq: u64,
    units: u64,
    bytes: usize,
    /// Of everything else in the item.
    rest: u64,
}

impl Feed {
    pub(super) fn new(
        session: SessionId,
        Followed { subscription, mut live, unstored }: Followed,
        encoding: Option<Encoding>,
        counted: Counted,
    ) -> Self {
        let shown = live.borrow_and_update().view.clone();
        let (held, not_before) = (BTreeMap::new(), None);
        let announced = (subscription.resume() == Resume::Reset).then(|| subscription.head().epoch);
        Self {
            session,
            subscription,
            live,
            shown,
            unstored,
            unstored_seen: 0,
            encoding,
            held,
            not_before,
            announced,
            _counted: counted,
        }
    }

    /// The first frame: what became of the cursor, and what the session does.
    pub(super) fn subscribed(&self) -> ServerMessage {
        let head = self.subscription.head();
        ServerMessage::Subscribed {
            session_id: self.session.clone(),
            resume: self.subscription.resume(),
            epoch: head.epoch.to_string(),
            seq: head.seq,
            view: Box::new(self.shown.clone()),
        }
    }

    /// Waits for what is to be sent next.
    pub(super) async fn next(&mut self) -> Result<Vec<Frame>, LogError> {
        loop {
            self.ready().await?;
            if let Some(frames) = self.take().await? {
                return Ok(frames);
            }
        }
    }

    /// Waits until there is something to send, and reads nothing of it.
    pub(super) async fn ready(&mut self) -> Result<(), LogError> {
        while self.live.borrow_and_update().view == self.shown {
            let grown = async {
                // A timer rounds up to the next millisecond, even one that is due at once.
                if let Some(not_before) = self.not_before.filter(|due| *due > Instant::now()) {
                    sleep_until(not_before).await;
                }
                tokio::select! {
                    biased;
                    ready = self.subscription.ready() => ready,
                    () = said(&mut self.unstored, self.unstored_seen) => Ok(()),
                }
            };
            tokio::select! {
                biased;
                grown = grown => return grown,
                changed = self.live.changed() => changed.map_err(|_| LogError::Closed)?,
            }
        }
        Ok(())
    }

    /// What there is to send, without waiting for more; none, if what was there is gone. What the session has said
    /// goes before what it does now, and what is stored before what is not.
    pub(super) async fn take(&mut self) -> Result<Option<Vec<Frame>>, LogError> {
        if self.subscription.is_behind() {
            let after = self.subscription.place();
            let delivery = self.subscription.next().await?;
            return Ok(Some(self.frames(delivery, after)));
        }
        let unstored = self.take_unstored();
        if !unstored.is_empty() {
            return Ok(Some(unstored));
        }
        let is_other = self.live.borrow_and_update().view != self.shown;
        Ok(is_other.then(|| vec![self.state()]))
    }

    /// What the full disk has not taken yet. It has no cursor, and is sent again with one once it is stored.
    fn take_unstored(&mut self) -> Vec<Frame> {
        let (states, seen) = self.unstored.borrow_and_update().after(self.unstored_seen, Limit::MOUTHFUL);
        self.unstored_seen = seen;
        let largest = states.iter().map(|state| state.bytes.len()).max();
        self.not_before = largest.filter(|largest| *largest > SMALL).map(|largest| paused(whole(largest)));
        let frame = |state: unstored::Shown| {
            // It holds more than was stored, so what is stored next is sent whole.
            self.held.remove(&state.item);
            let bytes = frames::unstored(&self.session, &state);
            Frame { kind: frames::UPSERT, cursor: None, bytes }
        };
        states.into_iter().map(frame).collect()
    }

    fn state(&mut self) -> Frame {
        self.shown = self.live.borrow().view.clone();
        let view = Box::new(self.shown.clone());
        let message = ServerMessage::State { session_id: self.session.clone(), view };
        Frame { kind: frames::STATE, cursor: None, bytes: frames::message(&message) }
    }

    fn frames(&mut self, delivery: Delivery, after: u64) -> Vec<Frame> {
        match delivery {
            Delivery::Reset { entries, before, cursor } => {
                self.held.clear();
                let bytes = frames::history(&self.session, &entries, cursor.seq, before);
                let announcement = self.announce(&cursor);
                let history = Frame { kind: frames::HISTORY, cursor: Some(cursor), bytes };
                announcement.into_iter().chain([history]).collect()
            }
            Delivery::Changes { entries, cursor } => {
                let largest =
                    entries.iter().filter(|entry| entry.is_open).map(|entry| entry.bytes.len()).max();
                let frames: Vec<Frame> =
                    entries.iter().map(|entry| self.frame(entry, &cursor, after)).collect();
                let is_large = |largest: &usize| *largest > SMALL;
                self.not_before = largest.filter(is_large).map(|largest| self.pause(largest));
                frames
            }
        }
    }

    /// A log that began a new life under its reader, which must know it to come back to its place.
    fn announce(&mut self, cursor: &Cursor) -> Option<Frame> {
        if self.announced.take().is_some_and(|announced| announced == cursor.epoch) {
            return None;
        }
        let message = ServerMessage::Subscribed {
            session_id: self.session.clone(),
            resume: Resume::Reset,
            epoch: cursor.epoch.to_string(),
            seq: cursor.seq,
            view: Box::new(self.shown.clone()),
        };
        Some(Frame { kind: frames::SUBSCRIBED, cursor: None, bytes: frames::message(&message) })
    }

    fn pause(&self, largest: usize) -> Instant {
        paused(if self.encoding.is_none() { whole(largest) } else { PAUSE })
    }

    fn frame(&mut self, entry: &Entry, through: &Cursor, after: u64) -> Frame {
        let cursor = Some(Cursor { epoch: through.epoch.clone(), seq: entry.seq });
        let (kind, bytes) = match self.appended(entry, after) {
            Some(bytes) => (frames::APPEND, bytes),
            None => frames::entry(&self.session, entry, after),
        };
        Frame { kind, cursor, bytes }
    }

    /// Only what was added, where the reader holds the beginning and nothing else changed.
    fn appended(&mut self, entry: &Entry, after: u64) -> Option<Bytes> {
        self.encoding?;
        let Key::Item(item) = &entry.key else { return None };
        let Some(text) = entry.text.filter(|_| entry.is_open) else {
            self.held.remove(item);
            return None;
        };
        let escaped = entry.escaped_text();
        // The status that a client holds of an item it has just met may be another than the log's.
        let rest = rest(entry, text.start) ^ u64::from(is_first_sight(entry, after));
        let now = Held { seq: entry.seq, units: text.units, bytes: escaped.len(), rest };
        let before = self.held.insert(item.clone(), now)?;
        let goes_on = before.seq >= text.since && before.rest == now.rest;
        let added = escaped.get(before.bytes..).filter(|_| goes_on)?;
        Some(frames::append(&self.session, entry.seq, item, before.units, added))
    }
}

/// The pause after a growing item was sent whole.
fn whole(bytes: usize) -> Duration {
    Duration::from_micros(bytes as u64 * 1_000_000 / BYTES_A_SECOND).max(PAUSE)
}

fn paused(pause: Duration) -> Instant {
    Instant::now() + pause
}

/// Waits until something was said that the disk has not taken. Cancel-safe.
async fn said(unstored: &mut watch::Receiver<Unstored>, seen: u64) {
    if unstored.wait_for(|unstored| unstored.is_newer_than(seen)).await.is_err() {
        // The session is gone, of which its log tells.
        std::future::pending::<()>().await;
    }
}

/// A sum over what is not text, time or status.
fn rest(entry: &Entry, text_start: usize) -> u64 {
    let head = entry.bytes.get(..text_start).unwrap_or_default();
    let from = head.windows(8).position(|window| window == b"\"type\":\"").unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    head.get(from..).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use liminal_core::event::Origin;
    use liminal_core::time::Timestamp;
    use liminal_core::upsert::{MessageBody, Upsert, UpsertBody};

    use super::*;
    use crate::log::memory::MemoryLog;
    use crate::log::{Durability, Encoder, StreamLog};
    use crate::metrics::Metrics;
    use crate::session::Board;

    async fn say(log: &MemoryLog, item: &str) {
        let mut encoder = Encoder::default();
        let content = "hello".to_owned();
        let body =
            UpsertBody::Message(MessageBody { origin: Origin::Agent, attachments: Vec::new(), content });
        let at = Timestamp::from(jiff::Timestamp::UNIX_EPOCH);
        encoder.upsert(&Upsert::finished("s".into(), "t".into(), item.into(), at, body));
        log.append(&"s".into(), encoder.take(), Durability::Grouped).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn small_changes_are_sent_without_waiting_for_a_timer() {
        let log = Arc::new(MemoryLog::default());
        let subscription = Subscription::open(Arc::clone(&log) as _, "s".into(), None).await.unwrap();
        let board = Board::default();
        let followed = Followed { subscription, live: board.watch(), unstored: board.unstored() };
        let mut feed = Feed::new("s".into(), followed, None, Metrics::new().subscriber());
        let begun = Instant::now();
        for item in ["t/1", "t/2", "t/3"] {
            say(&log, item).await;
            feed.next().await.unwrap();
        }
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }
}
