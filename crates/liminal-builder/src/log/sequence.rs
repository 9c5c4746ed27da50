//! The order of one session's outputs. Owns the next place and what is open, from which it tells an output's first
//! place and whether its text only grew; where entries are kept is the logs' business.

use std::collections::HashMap;

use super::text::{self, Text};
use super::{Entry, Key, LogError, Record};

/// Gives places to the outputs of a session.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    head: u64,
    /// The latest state of each open item.
    open: HashMap<Key, Entry>,
}

impl Sequence {
    pub(super) fn after(head: u64) -> Self {
        Self { head, open: HashMap::new() }
    }

    pub(super) const fn head(&self) -> u64 {
        self.head
    }

    /// Gives the record the next place. `first_seq` tells the first place of a key that is not open.
    pub(super) fn place(
        &mut self,
        record: Record,
        first_seq: impl FnOnce(&Key) -> Result<Option<u64>, LogError>,
    ) -> Result<Entry, LogError> {
        let Record { key, is_open, bytes, text_start, .. } = record;
        let seq = self.head + 1;
        let before = self.open.get(&key);
        let first_seq = match before {
            Some(before) => before.first_seq,
            None => first_seq(&key)?.unwrap_or(seq),
        };
        let text = text_start.map(|start| grown(before, &bytes, start, seq));
        let entry = Entry { seq, first_seq, key: key.clone(), is_open, bytes, text };
        self.head = seq;
        match (&key, is_open) {
            // Nothing of a turn grows after its end; of a cancelled one, items stay open for ever.
            (Key::TurnEnded(_), _) => self.open.clear(),
            (_, true) => drop(self.open.insert(key, entry.clone())),
            (_, false) => drop(self.open.remove(&key)),
        }
        Ok(entry)
    }

    /// Forgets the states at or before a place.
    pub(super) fn trim(&mut self, through: u64) {
        self.open.retain(|_, entry| entry.seq > through);
    }
}

/// Goes on from the text before, if that is where the new one begins.
fn grown(before: Option<&Entry>, bytes: &[u8], start: usize, seq: u64) -> Text {
    let escaped = text::escaped(bytes, start);
    let base = before.and_then(|before| Some((before.escaped_text(), before.text?)));
    let added = base.and_then(|(held, text)| Some((escaped.strip_prefix(held)?, text)));
    match added {
        Some((added, Text { units, since, .. })) => Text { start, units: units + text::units(added), since },
        None => Text { start, units: text::units(escaped), since: seq },
    }
}
