//! What one client has of one session. Owns the laws of what a client is shown: in order, never back, ended once.

use std::collections::BTreeMap;

use liminal_builder::log::{Cursor, Delivery, Entry, Key};
use liminal_core::ids::SessionId;
use liminal_core::upsert::{Upsert, UpsertBody, UpsertStatus};

use super::super::figures::Chance;
use super::world::World;

/// A client's state; outlives connections and servers.
#[derive(Debug, Clone, Default)]
pub(super) struct View {
    pub(super) cursor: Option<Cursor>,
    pub(super) entries: BTreeMap<Key, Entry>,
    /// How often the power had failed when it was last told something.
    outages: u64,
}

impl View {
    /// Applies what came, or a part of it if the connection is lost in between; tells whether it was all.
    pub(super) fn apply(
        &mut self,
        world: &World,
        session: &SessionId,
        delivery: Delivery,
        chance: &mut Chance,
    ) -> bool {
        let is_cut = chance.one_in(12) && !world.is_healed();
        if is_cut {
            world.count("connections cut inside");
        }
        let outages = world.lock().outages;
        let is_whole = match delivery {
            Delivery::Reset { .. } if is_cut => false,
            Delivery::Reset { entries, cursor, .. } => {
                self.reset(world, session, entries, cursor);
                true
            }
            Delivery::Changes { entries, cursor } => {
                let kept = if is_cut { chance.below(entries.len() as u64 + 1) } else { entries.len() as u64 };
                self.change(world, session, entries, (usize::try_from(kept).unwrap(), cursor));
                !is_cut
            }
        };
        if is_whole {
            self.outages = outages;
        }
        is_whole
    }

    fn reset(&mut self, world: &World, session: &SessionId, entries: Vec<Entry>, cursor: Cursor) {
        // A log of which nothing was ever written has no life that could go on.
        let is_empty = self.cursor.as_ref().is_none_or(|cursor| cursor.seq == 0);
        let is_excused = is_empty || world.lock().outages > self.outages;
        world.must(is_excused, || format!("{session}: reset, and no power was lost"));
        self.entries.clear();
        for entry in entries {
            note_end(world, session, &entry);
            self.entries.insert(entry.key.clone(), entry);
        }
        self.cursor = Some(cursor);
    }

    fn change(
        &mut self,
        world: &World,
        session: &SessionId,
        entries: Vec<Entry>,
        (kept, cursor): (usize, Cursor),
    ) {
        let mut at = self.cursor.clone().expect("only who has a state is told changes");
        world.must(at.epoch == cursor.epoch, || format!("{session}: changes of another life"));
        let is_all = kept == entries.len();
        for entry in entries.into_iter().take(kept) {
            world.must(entry.seq > at.seq, || format!("{session}: {} after {}", entry.seq, at.seq));
            at.seq = entry.seq;
            self.take(world, session, &entry);
        }
        self.cursor = Some(if is_all { cursor } else { at });
    }

    fn take(&mut self, world: &World, session: &SessionId, entry: &Entry) {
        note_end(world, session, entry);
        let Some(before) = self.entries.insert(entry.key.clone(), entry.clone()) else { return };
        let name = || format!("{session} {}", world.name(&entry.key));
        world.must(before.first_seq == entry.first_seq, || format!("{} has moved", name()));
        let Key::Item(_) = entry.key else {
            return world.violated(format!("{} was told twice", name()));
        };
        let (before, after) = (state(&before), state(entry));
        let is_over = matches!(before.status, UpsertStatus::Complete | UpsertStatus::Error);
        world.must(!is_over, || format!("{} has changed after its end", name()));
        // An answer that broke off and was asked again is told at its end, as a whole.
        let grows = after.status == UpsertStatus::Update;
        if let (true, UpsertBody::Message(before), UpsertBody::Message(after)) =
            (grows, &before.body, &after.body)
        {
            world.must(after.content.starts_with(&before.content), || format!("{} has lost words", name()));
        }
    }
}

pub(super) fn state(entry: &Entry) -> Upsert {
    serde_json::from_slice(&entry.bytes).unwrap()
}

/// Whoever saw the end of a turn may rely on it.
fn note_end(world: &World, session: &SessionId, entry: &Entry) {
    let Key::TurnEnded(turn) = &entry.key else { return };
    let bytes = entry.bytes.to_vec();
    let before = world.lock().promises.ended.insert((session.clone(), turn.clone()), bytes.clone());
    if before.is_none() {
        world.promised();
    }
    let is_same = before.is_none_or(|before| before == bytes);
    world.must(is_same, || format!("{session}: turn {} has ended in two ways", world.name(turn)));
}
