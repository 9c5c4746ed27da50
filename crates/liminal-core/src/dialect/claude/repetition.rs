//! Lines that come again. Owns the memory of the ids that came last: an agent, or a pipe between, that repeats its
//! lines must not show anything twice, and a result of old must not end a new turn.

use std::collections::{BTreeSet, VecDeque};

use uuid::Uuid;

/// Far more lines than are ever on their way at once; 64 KiB of ids.
const REMEMBERED: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct Seen {
    known: BTreeSet<Uuid>,
    order: VecDeque<Uuid>,
}

impl Seen {
    /// Whether this is new.
    pub(super) fn insert(&mut self, id: Uuid) -> bool {
        if !self.known.insert(id) {
            return false;
        }
        self.order.push_back(id);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ones_are_remembered_and_no_more() {
        let mut seen = Seen::default();
        let id = |number: usize| Uuid::from_u128(number as u128);
        assert!((0..=REMEMBERED).all(|number| seen.insert(id(number))));
        assert!(!seen.insert(id(REMEMBERED)));
        assert!(!seen.insert(id(1)));
        assert!(seen.insert(id(0)), "the oldest is forgotten");
        assert_eq!((seen.known.len(), seen.order.len()), (REMEMBERED, REMEMBERED));
    }
}
