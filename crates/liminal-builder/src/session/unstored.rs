//! What a session has said while the disk is full. Owns the latest state of each such item, so that readers who are
//! connected see it at once; it has no place in the log, and no cursor counts it.

use std::collections::BTreeMap;

use bytes::Bytes;
use liminal_core::ids::ItemId;

use crate::log::{Batch, Key, Limit, Record};

/// The states that the log has not taken yet. Bounded by what may wait for the log.
#[derive(Debug, Default)]
pub struct Unstored {
    items: BTreeMap<ItemId, State>,
    /// Counts states; never begins again, so that a reader knows what it has seen.
    version: u64,
}

#[derive(Debug)]
struct State {
    version: u64,
    /// The version of the item's creation, if the log has not even that.
    created: Option<u64>,
    is_open: bool,
    bytes: Bytes,
}

/// A state as a reader sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The item.
    pub item: ItemId,
    /// Whether the reader sees an open item for the first time.
    pub is_first_sight: bool,
    /// The payload of `session:upsert`.
    pub bytes: Bytes,
}

impl Unstored {
    /// Whether there is something that a reader of a version has not seen.
    #[must_use]
    pub fn is_newer_than(&self, version: u64) -> bool {
        self.version > version && !self.items.is_empty()
    }

    /// The states that a reader of a version has not seen, as many as it takes at once, and the version that it has
    /// seen then.
    #[must_use]
    pub fn after(&self, version: u64, limit: Limit) -> (Vec<Shown>, u64) {
        let mut newer: Vec<_> = self.items.iter().filter(|(_, state)| state.version > version).collect();
        newer.sort_unstable_by_key(|(_, state)| state.version);
        let (mut shown, mut through, mut bytes) = (Vec::new(), version, 0);
        for (item, state) in newer {
            if !shown.is_empty() && limit.is_reached(shown.len(), bytes) {
                return (shown, through);
            }
            let is_first_sight = state.is_open && state.created.is_some_and(|created| created > version);
            shown.push(Shown { item: item.clone(), is_first_sight, bytes: state.bytes.clone() });
            (through, bytes) = (state.version, bytes + state.bytes.len());
        }
        (shown, self.version)
    }

    /// Shows the states of a batch that are not shown yet. Milestones of turns and answers are shown only once they are
    /// stored.
    /// Whether there were any.
    pub(super) fn show(&mut self, batch: &Batch) -> bool {
        let before = self.version;
        // Whether an item is new is told by its first state, what it is by its last.
        let mut latest: BTreeMap<&ItemId, (bool, usize)> = BTreeMap::new();
        for (index, record) in batch.records().iter().enumerate() {
            if let (Key::Item(item), false) = (&record.key, record.is_answer) {
                let (is_new, last) = latest.entry(item).or_default();
                (*is_new, *last) = (*is_new || record.is_first, index);
            }
        }
        let mut states: Vec<_> = latest.into_iter().collect();
        states.sort_unstable_by_key(|(_, (_, index))| *index);
        for (item, (is_new, index)) in states {
            batch.records().get(index).into_iter().for_each(|record| self.put(item, record, is_new));
        }
        self.version > before
    }

    fn put(&mut self, item: &ItemId, record: &Record, is_new: bool) {
        let held = self.items.get(item);
        if held.is_some_and(|held| held.bytes == record.bytes) {
            return;
        }
        self.version += 1;
        let created = held.and_then(|held| held.created).or(is_new.then_some(self.version));
        let (version, is_open, bytes) = (self.version, record.is_open, record.bytes.clone());
        self.items.insert(item.clone(), State { version, created, is_open, bytes });
    }

    /// The log has everything. Whether something was shown.
    pub(super) fn clear(&mut self) -> bool {
        !std::mem::take(&mut self.items).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use liminal_core::event::Origin;
    use liminal_core::time::Timestamp;
    use liminal_core::upsert::{MessageBody, Upsert, UpsertBody, UpsertStatus};

    use super::*;
    use crate::log::Encoder;

    fn said(item: &str, status: UpsertStatus, content: &str) -> Batch {
        let mut encoder = Encoder::default();
        let body = UpsertBody::Message(MessageBody::new(Origin::Agent, content.to_owned()));
        let at = Timestamp::from(jiff::Timestamp::UNIX_EPOCH);
        let state = Upsert::finished("s".into(), "t".into(), item.into(), at, body);
        encoder.upsert(&Upsert { status, ..state });
        encoder.take()
    }

    fn seen(unstored: &Unstored, version: u64) -> Vec<(String, bool)> {
        let (shown, _) = unstored.after(version, Limit::NONE);
        shown.into_iter().map(|shown| (shown.item.to_string(), shown.is_first_sight)).collect()
    }

    #[test]
    fn a_reader_sees_each_item_once_in_its_latest_state() {
        let mut unstored = Unstored::default();
        assert!(unstored.show(&said("a", UpsertStatus::Create, "1")));
        assert!(unstored.show(&said("b", UpsertStatus::Update, "1")));
        assert!(unstored.show(&said("a", UpsertStatus::Update, "12")));
        assert_eq!(seen(&unstored, 0), [("b".to_owned(), false), ("a".to_owned(), true)]);
        assert_eq!(seen(&unstored, 2), [("a".to_owned(), false)]);
        assert_eq!(seen(&unstored, 3), []);
    }

    #[test]
    fn the_same_state_is_not_shown_again() {
        let mut unstored = Unstored::default();
        unstored.show(&said("a", UpsertStatus::Create, "1"));
        assert!(!unstored.show(&said("a", UpsertStatus::Create, "1")));
        let mut both = said("a", UpsertStatus::Create, "1");
        both.extend(said("a", UpsertStatus::Complete, "12"));
        assert!(unstored.show(&both) && !unstored.show(&both));
        assert!(unstored.clear() && !unstored.clear());
        assert!(!unstored.is_newer_than(0));
        assert!(unstored.show(&said("a", UpsertStatus::Create, "1")));
        assert!(unstored.is_newer_than(2), "versions go on");
    }

    #[test]
    fn a_reader_takes_no_more_than_its_limit_at_once() {
        let mut unstored = Unstored::default();
        for item in ["a", "b", "c"] {
            assert!(unstored.show(&said(item, UpsertStatus::Complete, "1")));
        }
        let (shown, through) = unstored.after(0, Limit { entries: 2, bytes: usize::MAX });
        assert_eq!((shown.len(), through), (2, 2));
        assert_eq!(seen(&unstored, through), [("c".to_owned(), false)]);
    }
}
