//! Merges an agent's own history of a session into the session's log. Owns which events of the history are new.
//!
//! The log is only appended to. Every row that a person has seen keeps its place and its content: permissions, answers,
//! costs and errors exist only in the log, and clients keep valid cursors. There is one exception: a row that was cut
//! off by a crash is completed if the agent knows the rest.

mod additions;
mod alignment;
mod common;
mod forgotten;
mod leftovers;
mod pairing;
mod rows;
mod turns;

use crate::envelope::StreamEventEnvelope;
use crate::processor::Config;
use crate::time::Timestamp;
use crate::upsert::Output;
use additions::Ids;
use leftovers::Leftovers;
use pairing::pair;
use turns::{AgentTurn, LogTurn};

/// The events to append to the log, in order. `log` holds the latest state of each row in display order, `history` all
/// that the agent remembers. Merging the same history again adds nothing.
///
/// Turns that the agent has forgotten stay in the log; a note dated `now` says so.
#[must_use]
pub fn merge(
    log: &[Output],
    history: &[StreamEventEnvelope],
    config: &Config,
    now: Timestamp,
) -> Vec<StreamEventEnvelope> {
    let Some(session) = history.first().map(|event| &event.session_id) else { return Vec::new() };
    let (log, history) = (LogTurn::all(log), AgentTurn::all(history, config));
    let pairs = pair(&log, &history);
    let mut leftovers = Leftovers::new(&log, &pairs);
    let mut ids = Ids::of(&log);
    let mut added = Vec::new();
    for (turn, partner) in history.iter().zip(&pairs) {
        match partner.and_then(|index| log.get(index)) {
            Some(known) => added.extend(additions::to_known_turn(known, turn, &mut leftovers, &mut ids)),
            None if leftovers.take_all(&turn.rows) => {}
            None => added.extend(additions::new_turn(turn, &mut ids)),
        }
    }
    let note = forgotten::note(&leftovers.untouched(), session, &ids, now);
    note.into_iter().chain(added).collect()
}
