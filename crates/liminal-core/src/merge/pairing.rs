//! Which turns of the log and of an agent's history are the same. Owns the order in which that is found out: ids that
//! cannot be equal by chance, then content.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::alignment::{Alignment, Overlap};
use super::turns::{AgentTurn, LogTurn};
use crate::ids::TurnId;

/// Whether two turns that may be the same are similar enough.
type Test = fn(Overlap, &LogTurn<'_>, &AgentTurn<'_>) -> bool;

/// In this order, so that a similar turn does not take the place of an equal one.
const TESTS: [Test; 3] = [
    |overlap, _, _| overlap.is_whole(),
    |_, logged, turn| logged.id == turn.id,
    |overlap, _, _| overlap.common > 0,
];

/// For each turn of the history, the index of the turn in the log.
pub(super) fn pair(log: &[LogTurn<'_>], history: &[AgentTurn<'_>]) -> Vec<Option<usize>> {
    let places = log.iter().enumerate().filter(|(_, turn)| is_unique(turn.id));
    let places: BTreeMap<&TurnId, usize> = places.map(|(place, turn)| (turn.id, place)).collect();
    let mut pairs: Vec<Option<usize>> = history.iter().map(|turn| places.get(turn.id).copied()).collect();
    let mut free: BTreeSet<usize> = (0..log.len()).collect();
    for place in pairs.iter().flatten() {
        free.remove(place);
    }
    for test in TESTS {
        for (turn, pair) in history.iter().zip(&mut pairs).filter(|(_, pair)| pair.is_none()) {
            *pair = most_similar(log, &free, turn, test);
            if let Some(place) = pair {
                free.remove(place);
            }
        }
    }
    pairs
}

/// The first of the turns that are most similar.
fn most_similar(
    log: &[LogTurn<'_>],
    free: &BTreeSet<usize>,
    turn: &AgentTurn<'_>,
    test: Test,
) -> Option<usize> {
    let overlap = |place: &usize| {
        let logged = log.get(*place).filter(|logged| !(is_unique(turn.id) && is_unique(logged.id)))?;
        let overlap = Alignment::overlap(logged, turn)?;
        test(overlap, logged, turn).then_some((overlap, *place))
    };
    let best = free.iter().filter_map(overlap).rev().max_by_key(|(overlap, _)| *overlap);
    best.map(|(_, place)| place)
}

/// Whether two turns of this id are the same turn. Agents that have no ids of their own get numbered ones.
fn is_unique(id: &TurnId) -> bool {
    Uuid::try_parse(id.as_str()).is_ok()
}
