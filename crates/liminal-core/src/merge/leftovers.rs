//! Log turns that are no turns of the agent's history. Owns that their rows are not added again where the agent draws
//! the border between two turns elsewhere.

use std::collections::BTreeSet;

use super::rows::{is_same_elsewhere, prompt};
use super::turns::LogTurn;
use crate::event::Origin;
use crate::upsert::Upsert;

#[derive(Debug)]
pub(super) struct Leftovers<'a> {
    turns: Vec<Leftover<'a>>,
}

#[derive(Debug)]
struct Leftover<'a> {
    turn: &'a LogTurn<'a>,
    is_taken: Vec<bool>,
}

impl<'a> Leftovers<'a> {
    pub(super) fn new(log: &'a [LogTurn<'a>], pairs: &[Option<usize>]) -> Self {
        let paired: BTreeSet<usize> = pairs.iter().copied().flatten().collect();
        let unpaired = log.iter().enumerate().filter(|(place, _)| !paired.contains(place));
        let leftover =
            |(_, turn): (usize, &'a LogTurn<'a>)| Leftover { turn, is_taken: vec![false; turn.rows.len()] };
        Self { turns: unpaired.map(leftover).collect() }
    }

    /// Whether the log shows this row in a turn that nobody asked for. Other turns begin with their prompt on both sides.
    pub(super) fn take(&mut self, row: &Upsert) -> bool {
        self.turns.iter_mut().filter(|leftover| !leftover.is_asked()).any(|leftover| leftover.take(row))
    }

    /// Whether the log shows all of these rows in such turns.
    pub(super) fn take_all(&mut self, rows: &[Upsert]) -> bool {
        let before: Vec<Vec<bool>> = self.turns.iter().map(|leftover| leftover.is_taken.clone()).collect();
        let has_all = rows.iter().all(|row| self.take(row));
        if !has_all {
            for (leftover, is_taken) in self.turns.iter_mut().zip(before) {
                leftover.is_taken = is_taken;
            }
        }
        has_all
    }

    /// The turns of which no row was taken.
    pub(super) fn untouched(&self) -> Vec<&'a LogTurn<'a>> {
        let untouched = self.turns.iter().filter(|leftover| !leftover.is_taken.contains(&true));
        untouched.map(|leftover| leftover.turn).collect()
    }
}

impl Leftover<'_> {
    fn is_asked(&self) -> bool {
        let prompt = prompt(self.turn.rows.first().copied());
        prompt.is_some_and(|prompt| prompt.origin == Origin::User)
    }

    fn take(&mut self, row: &Upsert) -> bool {
        let mut rows = self.turn.rows.iter().zip(&mut self.is_taken);
        let found = rows.find(|(logged, is_taken)| !**is_taken && is_same_elsewhere(logged, row));
        found.map(|(_, is_taken)| *is_taken = true).is_some()
    }
}
