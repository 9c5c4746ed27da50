//! The rows of one turn, side by side. Owns which rows of the agent's turn the log lacks.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::common::subsequence;
use super::rows::{is_comparable, is_cut_off, is_same, is_same_text, prompt};
use super::turns::{AgentTurn, LogTurn};
use crate::event::Origin;
use crate::ids::CallId;
use crate::upsert::{MessageBody, Upsert, UpsertBody, UpsertStatus};

/// A turn of the log beside the same turn of the agent's history.
#[derive(Debug)]
pub(super) struct Alignment<'a> {
    log: &'a [&'a Upsert],
    agent: &'a [Upsert],
    /// For each row of the agent, the row of the log.
    partners: Vec<Option<usize>>,
}

/// How similar two turns are; the greatest is the most similar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Overlap {
    pub(super) common: usize,
    only_logged: Reverse<usize>,
    only_remembered: Reverse<usize>,
}

impl Overlap {
    /// Whether there is no difference.
    pub(super) const fn is_whole(self) -> bool {
        self.only_logged.0 == 0 && self.only_remembered.0 == 0
    }
}

/// What a merge does with a row of the agent.
#[derive(Debug, Clone, Copy)]
pub(super) enum Action<'a> {
    Keep,
    /// The rest of this row of the log is known.
    Complete(&'a Upsert),
    Add,
}

impl<'a> Alignment<'a> {
    pub(super) fn of(log: &'a LogTurn<'_>, agent: &'a AgentTurn<'_>) -> Self {
        let partners = partners(&log.rows, &agent.rows);
        Self { log: &log.rows, agent: &agent.rows, partners }
    }

    /// How much both sides share, if the agent's turn can be the log's turn: perhaps with more at its end, or with less,
    /// because agents may not keep what was rejected.
    pub(super) fn overlap(log: &'a LogTurn<'_>, agent: &'a AgentTurn<'_>) -> Option<Overlap> {
        let alignment = Self::of(log, agent);
        match compared(prompt(log.rows.first().copied()), prompt(agent.rows.first())) {
            Prompts::Same => {}
            Prompts::Reworded if alignment.shares_work() => {}
            Prompts::Reworded | Prompts::Different => return None,
        }
        let is_covered = alignment.last_common(None) != Place::Nowhere;
        let common = alignment.partners.iter().flatten().count();
        let logged = log.rows.iter().filter(|row| is_comparable(row)).count();
        let only_logged = Reverse(logged.saturating_sub(common));
        let only_remembered = Reverse(agent.rows.len().saturating_sub(common));
        let is_contained = only_remembered.0 == 0;
        (is_covered || is_contained).then_some(Overlap { common, only_logged, only_remembered })
    }

    /// Whether both sides have the same row of those that agents remember.
    fn shares_work(&self) -> bool {
        let mut pairs = self.agent.iter().zip(&self.partners);
        pairs.any(|(row, partner)| partner.is_some() && is_comparable(row))
    }

    /// What to do with each row of the agent. Sub-agents' rows are added only where the main conversation went on.
    pub(super) fn actions(&self) -> Vec<(&'a Upsert, Action<'a>)> {
        let actions = || self.agent.iter().enumerate().map(|(index, row)| (row, self.action(index, row)));
        let has_news = |(row, action): (&Upsert, Action<'_>)| {
            row.parent_call_id.is_none() && !matches!(action, Action::Keep)
        };
        if actions().any(has_news) { actions().collect() } else { Vec::new() }
    }

    fn action(&self, index: usize, row: &Upsert) -> Action<'a> {
        let partner = self.partners.get(index).copied().flatten().and_then(|place| self.log.get(place));
        match partner {
            Some(logged) if is_cut_off(logged) && row.status == UpsertStatus::Complete => {
                Action::Complete(logged)
            }
            Some(_) => Action::Keep,
            None if self.last_common(row.parent_call_id.as_ref()).is_before(index) => Action::Add,
            None => Action::Keep,
        }
    }

    /// Where the agent's history has the last row that the log shows of a conversation.
    fn last_common(&self, parent: Option<&CallId>) -> Place {
        let is_last = |row: &&Upsert| row.parent_call_id.as_ref() == parent && is_comparable(row);
        let Some(last) = self.log.iter().rposition(is_last) else { return Place::Start };
        let place = self.partners.iter().position(|partner| *partner == Some(last));
        place.map_or(Place::Nowhere, Place::At)
    }
}

/// A place in an agent's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Start,
    At(usize),
    Nowhere,
}

impl Place {
    const fn is_before(self, index: usize) -> bool {
        match self {
            Self::Start => true,
            Self::At(place) => place < index,
            Self::Nowhere => false,
        }
    }
}

/// For each row of the agent, the same row of the log. Each conversation has its rows in order; how those of sub-agents
/// are mixed with others is up to each side.
fn partners(log: &[&Upsert], agent: &[Upsert]) -> Vec<Option<usize>> {
    let mut partners = vec![None; agent.len()];
    let parents: BTreeSet<Option<&CallId>> = agent.iter().map(|row| row.parent_call_id.as_ref()).collect();
    for parent in parents {
        let logged = rows_of(log.iter().copied(), parent);
        let remembered = rows_of(agent.iter(), parent);
        let is_same = |one: usize, other: usize| match (logged.get(one), remembered.get(other)) {
            (Some((_, logged)), Some((_, remembered))) => is_same(logged, remembered),
            (Some(_) | None, None) | (None, Some(_)) => false,
        };
        let common = subsequence(logged.len(), remembered.len(), is_same);
        for ((place, _), found) in remembered.iter().zip(common) {
            let found = found.and_then(|found| logged.get(found)).map(|(found, _)| *found);
            partners.get_mut(*place).into_iter().for_each(|partner| *partner = found);
        }
    }
    partners
}

/// The rows of one conversation that an agent may remember, with their places.
fn rows_of<'a>(rows: impl Iterator<Item = &'a Upsert>, parent: Option<&CallId>) -> Vec<(usize, &'a Upsert)> {
    let is_of = |row: &Upsert| {
        row.parent_call_id.as_ref() == parent && !matches!(row.body, UpsertBody::Permission(_))
    };
    rows.enumerate().filter(|(_, row)| is_of(row)).collect()
}

/// What began a turn, on both sides.
#[derive(Debug, Clone, Copy)]
enum Prompts {
    Same,
    /// Two notes of the program, which may say the same in other words.
    Reworded,
    Different,
}

/// Notes of the program that begin a turn are not shown by every side.
fn compared(logged: Option<&MessageBody>, remembered: Option<&MessageBody>) -> Prompts {
    let is_note = |message: &MessageBody| message.origin == Origin::System;
    match (logged, remembered) {
        (Some(logged), Some(remembered)) if is_same_text(&logged.content, &remembered.content) => {
            Prompts::Same
        }
        (Some(logged), Some(remembered)) if is_note(logged) && is_note(remembered) => Prompts::Reworded,
        (Some(only), None) | (None, Some(only)) if is_note(only) => Prompts::Same,
        (None, None) => Prompts::Same,
        (Some(_), _) | (None, Some(_)) => Prompts::Different,
    }
}
