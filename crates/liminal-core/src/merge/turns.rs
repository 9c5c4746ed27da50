//! The two sides of a merge, turn by turn.

use std::collections::BTreeMap;

use crate::envelope::StreamEventEnvelope;
use crate::ids::{ItemId, TurnId};
use crate::processor::Config;
use crate::time::Now;
use crate::turns::Turns;
use crate::upsert::{Output, TurnEvent, Upsert};

/// A turn as the log shows it.
#[derive(Debug)]
pub(super) struct LogTurn<'a> {
    pub(super) id: &'a TurnId,
    /// In display order.
    pub(super) rows: Vec<&'a Upsert>,
    pub(super) end: Option<&'a TurnEvent>,
}

/// A turn as the agent remembers it.
#[derive(Debug)]
pub(super) struct AgentTurn<'a> {
    pub(super) id: &'a TurnId,
    pub(super) events: Vec<&'a StreamEventEnvelope>,
    /// What a log of these events would show.
    pub(super) rows: Vec<Upsert>,
}

impl<'a> LogTurn<'a> {
    pub(super) fn all(log: &'a [Output]) -> Vec<Self> {
        let mut turns: Vec<Self> = Vec::new();
        let mut places = BTreeMap::new();
        for output in log {
            let id = turn_of(output);
            let place = *places.entry(id).or_insert_with(|| {
                turns.push(Self { id, rows: Vec::new(), end: None });
                turns.len() - 1
            });
            if let Some(turn) = turns.get_mut(place) {
                turn.add(output);
            }
        }
        turns
    }

    fn add(&mut self, output: &'a Output) {
        match output {
            Output::Upsert(row) => self.rows.push(row),
            Output::Turn(end @ (TurnEvent::TurnComplete { .. } | TurnEvent::TurnError { .. })) => {
                self.end = Some(end);
            }
            Output::Turn(TurnEvent::TurnStarted { .. }) => {}
        }
    }
}

impl<'a> AgentTurn<'a> {
    pub(super) fn all(history: &'a [StreamEventEnvelope], config: &Config) -> Vec<Self> {
        let mut turns: Vec<Self> = Vec::new();
        let mut places = BTreeMap::new();
        for event in history {
            let place = *places.entry(&event.turn_id).or_insert_with(|| {
                turns.push(Self { id: &event.turn_id, events: Vec::new(), rows: Vec::new() });
                turns.len() - 1
            });
            if let Some(turn) = turns.get_mut(place) {
                turn.events.push(event);
            }
        }
        for turn in &mut turns {
            turn.rows = rows(&turn.events, config);
        }
        turns.retain(|turn| !turn.rows.is_empty());
        turns
    }
}

fn turn_of(output: &Output) -> &TurnId {
    match output {
        Output::Upsert(row) => &row.turn_id,
        Output::Turn(
            TurnEvent::TurnStarted { turn_id, .. }
            | TurnEvent::TurnComplete { turn_id, .. }
            | TurnEvent::TurnError { turn_id, .. },
        ) => turn_id,
    }
}

/// The latest state of each item, in the order of first states.
fn rows(events: &[&StreamEventEnvelope], config: &Config) -> Vec<Upsert> {
    let (mut turns, mut outputs) = (Turns::new(config.clone()), Vec::new());
    for event in events {
        turns.handle_event(event, Now::at(event.timestamp.instant()), &mut outputs);
    }
    let mut rows: Vec<Upsert> = Vec::new();
    let mut places: BTreeMap<ItemId, usize> = BTreeMap::new();
    for output in outputs {
        let Output::Upsert(state) = output else { continue };
        match places.get(&state.item_id).and_then(|place| rows.get_mut(*place)) {
            Some(row) => *row = state,
            None => {
                places.insert(state.item_id.clone(), rows.len());
                rows.push(state);
            }
        }
    }
    rows
}
