//! When the items that are open began. Owns which kinds have a duration that people see; knows nothing of clocks: an
//! item began when its source told of it first.

use std::collections::BTreeMap;

use liminal_core::ids::{ItemId, TurnId};
use liminal_core::time::Timestamp;
use liminal_core::upsert::{Upsert, UpsertBody, UpsertStatus};

use super::batch::is_detached;

#[derive(Debug, Default)]
pub(super) struct Starts(BTreeMap<ItemId, Start>);

#[derive(Debug)]
struct Start {
    turn: TurnId,
    at: Timestamp,
    may_outlive_turn: bool,
}

impl Starts {
    /// When the item began, told with each state but the first: that one has the time itself.
    pub(super) fn of(&mut self, state: &Upsert) -> Option<Timestamp> {
        if !matches!(state.body, UpsertBody::Thinking(_) | UpsertBody::ToolCall(_)) {
            return None;
        }
        match state.status {
            UpsertStatus::Create => {
                let (turn, at) = (state.turn_id.clone(), state.source_timestamp);
                let start = Start { turn, at, may_outlive_turn: may_outlive_turn(state) };
                self.0.insert(state.item_id.clone(), start);
                None
            }
            UpsertStatus::Update => self.0.get_mut(&state.item_id).map(|start| {
                start.may_outlive_turn |= may_outlive_turn(state);
                start.at
            }),
            UpsertStatus::Complete | UpsertStatus::Error => {
                self.0.remove(&state.item_id).map(|start| start.at)
            }
        }
    }

    /// Items of a turn that was cancelled get no end, unless they run in the background.
    pub(super) fn forget(&mut self, turn: &TurnId) {
        self.0.retain(|_, start| start.turn != *turn || start.may_outlive_turn);
    }
}

/// Calls in the background, and what sub-agents do: these may be in the background.
fn may_outlive_turn(state: &Upsert) -> bool {
    is_detached(state) || state.parent_call_id.is_some()
}

#[cfg(test)]
mod tests {
    use liminal_core::upsert::{MessageBody, ThinkingBody};

    use super::*;

    fn state(second: i64, status: UpsertStatus, body: UpsertBody) -> Upsert {
        let at = Timestamp::from(jiff::Timestamp::from_second(second).unwrap());
        Upsert { status, ..Upsert::finished("s:1".into(), "t".into(), "t/1".into(), at, body) }
    }

    fn thought(second: i64, status: UpsertStatus) -> Upsert {
        let body = ThinkingBody { provider_id: "p".to_owned(), content: String::new() };
        state(second, status, UpsertBody::Thinking(body))
    }

    #[test]
    fn later_states_of_a_thought_tell_when_it_began_and_then_it_is_forgotten() {
        let mut starts = Starts::default();
        let began = thought(1, UpsertStatus::Create);
        assert_eq!(starts.of(&began), None);
        assert_eq!(starts.of(&thought(2, UpsertStatus::Update)), Some(began.source_timestamp));
        assert_eq!(starts.of(&thought(3, UpsertStatus::Complete)), Some(began.source_timestamp));
        assert!(starts.0.is_empty());
    }

    #[test]
    fn a_turn_that_is_over_leaves_nothing_and_messages_have_no_duration() {
        let mut starts = Starts::default();
        starts.of(&thought(1, UpsertStatus::Create));
        starts.forget(&"t".into());
        assert!(starts.0.is_empty());
        let body = MessageBody::new(liminal_core::event::Origin::Agent, String::new());
        assert_eq!(starts.of(&state(1, UpsertStatus::Create, UpsertBody::Message(body))), None);
        assert!(starts.0.is_empty());
    }
}
