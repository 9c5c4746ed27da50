use proptest::prelude::*;
use serde_json::json;

use super::*;

fn messages(ids: &[&str]) -> Vec<QueuedMessage> {
    ids.iter().map(|id| message(id)).collect()
}

fn message(id: &str) -> QueuedMessage {
    QueuedMessage {
        id: id.to_owned(),
        message: id.to_owned(),
        client_message_id: None,
        attachments: Vec::new(),
        failure: None,
    }
}

fn after(gate: &QueueGate, event: QueueEvent<'_>, waiting: &[QueuedMessage]) -> QueueGate {
    let mut gate = gate.clone();
    gate.handle(event, waiting);
    gate
}

const PAUSING: [(QueueEvent<'static>, QueuePause); 8] = [
    (QueueEvent::Rejected, QueuePause::Rejected),
    (QueueEvent::TimedOut, QueuePause::Timeout),
    (QueueEvent::TurnEnded(TurnOutcome::Cancelled), QueuePause::Cancelled),
    (QueueEvent::TurnEnded(TurnOutcome::Failed), QueuePause::Failed),
    (QueueEvent::AgentLost, QueuePause::Failed),
    (QueueEvent::NotSent, QueuePause::Failed),
    (QueueEvent::Stopped, QueuePause::Cancelled),
    (QueueEvent::Restarted, QueuePause::Restart),
];

#[test]
fn each_reason_pauses_a_queue_with_messages_and_only_such_a_queue() {
    let waiting = messages(&["a", "b"]);
    for (event, reason) in PAUSING {
        let gate = after(&QueueGate::default(), event, &waiting);
        assert_eq!((gate.paused(), gate.next(&waiting)), (Some(reason), None), "{event:?}");
        assert_eq!(after(&QueueGate::default(), event, &[]), QueueGate::default(), "{event:?}");
        let open = after(&gate, QueueEvent::Resumed, &waiting);
        assert_eq!((open.paused(), open.next(&waiting)), (None, waiting.first()), "{event:?}");
    }
    let ended = QueueEvent::TurnEnded(TurnOutcome::Completed);
    assert_eq!(after(&QueueGate::default(), ended, &waiting), QueueGate::default());
}

#[test]
fn the_first_reason_stays() {
    let waiting = messages(&["a"]);
    for (first, reason) in PAUSING {
        for (second, _) in PAUSING {
            let gate = after(&QueueGate::default(), first, &waiting);
            assert_eq!(after(&gate, second, &waiting).paused(), Some(reason), "{first:?}, {second:?}");
        }
        assert_eq!(QueueGate::restored(Some(reason), &waiting).paused(), Some(reason));
    }
    assert_eq!(QueueGate::restored(None, &waiting).paused(), Some(QueuePause::Restart));
    assert_eq!(QueueGate::restored(Some(QueuePause::Rejected), &[]), QueueGate::default());
}

#[test]
fn an_urgent_message_goes_next_and_the_turn_it_stops_pauses_nothing() {
    let waiting = messages(&["a", "b"]);
    let urgent = after(&QueueGate::default(), QueueEvent::Urgent("b"), &waiting);
    let urgent = after(&urgent, QueueEvent::Interrupted, &waiting);
    let stopped = after(&urgent, QueueEvent::TurnEnded(TurnOutcome::Cancelled), &waiting);
    assert_eq!((stopped.paused(), stopped.next(&waiting)), (None, waiting.last()));
    let failed = after(&urgent, QueueEvent::TurnEnded(TurnOutcome::Failed), &waiting);
    assert_eq!((failed.paused(), failed.next(&waiting)), (Some(QueuePause::Failed), waiting.last()));
    let rest = messages(&["a"]);
    assert_eq!(after(&failed, QueueEvent::Changed, &rest).next(&rest), None, "the others stay paused");
    for event in [QueueEvent::Stopped, QueueEvent::NotSent, QueueEvent::Restarted] {
        assert_eq!(after(&urgent, event, &waiting).next(&waiting), None, "{event:?}");
    }
}

#[test]
fn a_queue_that_is_resumed_while_its_turn_stops_stays_open() {
    let waiting = messages(&["a"]);
    let cancelled = QueueEvent::TurnEnded(TurnOutcome::Cancelled);
    let steps = [QueueEvent::Stopped, QueueEvent::Interrupted, QueueEvent::Resumed, cancelled];
    let gate = steps.iter().fold(QueueGate::default(), |gate, event| after(&gate, *event, &waiting));
    assert_eq!(gate, QueueGate::default());
    assert_eq!(after(&gate, cancelled, &waiting).paused(), Some(QueuePause::Cancelled), "only that one turn");
}

#[test]
fn a_message_sent_while_paused_waits_only_for_a_running_turn() {
    let waiting = messages(&["a"]);
    let paused = after(&QueueGate::default(), QueueEvent::Rejected, &waiting);
    for may_wait in [false, true] {
        assert_eq!(paused.admit(&waiting, false, may_wait), Admission::Now);
        assert_eq!(QueueGate::default().admit(&[], false, may_wait), Admission::Now);
    }
    assert_eq!(paused.admit(&waiting, true, true), Admission::Waits);
    assert_eq!(paused.admit(&waiting, true, false), Admission::Now, "the agent refuses it");
    assert_eq!(QueueGate::default().admit(&waiting, false, true), Admission::Waits);
}

/// A settled request, by how it was settled.
fn settled(outcome: &serde_json::Value) -> PermissionBody {
    let kinds = ["allow_once", "allow_always", "reject_once", "reject_always", "other"];
    let options: Vec<_> =
        kinds.iter().map(|kind| json!({ "optionId": kind, "name": kind, "kind": kind })).collect();
    let body = json!({ "callId": "c", "title": "t", "options": options, "outcome": outcome });
    serde_json::from_value(body).unwrap()
}

#[test]
fn only_rejections_and_timeouts_of_requests_concern_the_queue() {
    let of = |outcome: serde_json::Value| QueueEvent::of_request(&settled(&outcome));
    for kind in ["reject_once", "reject_always"] {
        assert_eq!(of(json!({ "optionId": kind, "by": "user" })), Some(QueueEvent::Rejected));
        assert_eq!(of(json!({ "optionId": kind, "reason": "no", "by": "user" })), Some(QueueEvent::Rejected));
    }
    for kind in ["allow_once", "allow_always", "other", "unknown"] {
        assert_eq!(of(json!({ "optionId": kind, "by": "user" })), None, "{kind}");
    }
    assert_eq!(of(json!({ "by": "timeout" })), Some(QueueEvent::TimedOut));
    for by in ["user", "agent", "restart"] {
        assert_eq!(of(json!({ "by": by })), None, "{by}");
    }
    assert_eq!(of(json!({ "answers": { "Which?": "this" }, "by": "user" })), None);
    assert_eq!(of(json!(null)), None, "it still waits");
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Enqueue,
    Remove,
    Urgent(usize),
    Pause(usize),
    Complete,
    Resume,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => Just(Step::Enqueue),
        1 => Just(Step::Remove),
        1 => (0..4_usize).prop_map(Step::Urgent),
        2 => (0..PAUSING.len()).prop_map(Step::Pause),
        3 => Just(Step::Complete),
        1 => Just(Step::Resume),
    ];
    prop::collection::vec(step, 0..40)
}

/// A queue and its owner: it sends the next message whenever no turn runs.
#[derive(Debug, Default)]
struct Owner {
    gate: QueueGate,
    waiting: Vec<QueuedMessage>,
    sent: Vec<String>,
    made: usize,
    is_busy: bool,
}

impl Owner {
    fn take(&mut self, step: Step) {
        let event = match step {
            Step::Enqueue => {
                self.made += 1;
                self.waiting.push(message(&format!("q{}", self.made)));
                QueueEvent::Changed
            }
            Step::Remove => {
                self.waiting.pop();
                QueueEvent::Changed
            }
            Step::Urgent(index) => {
                let Some(id) = self.waiting.get(index).map(|message| message.id.clone()) else { return };
                return self.gate.handle(QueueEvent::Urgent(&id), &self.waiting);
            }
            Step::Pause(index) => {
                let event = PAUSING[index].0;
                self.is_busy &= !matches!(event, QueueEvent::TurnEnded(_));
                event
            }
            Step::Complete => {
                self.is_busy = false;
                QueueEvent::TurnEnded(TurnOutcome::Completed)
            }
            Step::Resume => QueueEvent::Resumed,
        };
        self.gate.handle(event, &self.waiting);
    }

    fn send(&mut self) {
        let next = self.gate.next(&self.waiting).filter(|_| !self.is_busy).cloned();
        let Some(next) = next else { return };
        self.waiting.retain(|waiting| waiting.id != next.id);
        self.gate.handle(QueueEvent::Changed, &self.waiting);
        self.is_busy = true;
        self.sent.push(next.id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_but_an_urgent_message_is_sent_while_paused(steps in steps()) {
        let mut owner = Owner::default();
        for step in steps {
            owner.take(step);
            let (before, was_paused) = (owner.sent.len(), owner.gate.paused().is_some());
            let urgent = owner.gate.urgent.clone();
            owner.send();
            let sent = owner.sent.get(before);
            prop_assert!(!was_paused || sent.is_none() || sent == urgent.as_ref(), "{sent:?} after {step:?}");
            prop_assert!(owner.gate.paused().is_none() || !owner.waiting.is_empty(), "an empty queue is paused");
        }
    }

    #[test]
    fn a_resumed_queue_sends_each_message_once_and_in_order(steps in steps()) {
        let mut owner = Owner::default();
        for step in steps {
            owner.take(step);
            owner.send();
        }
        owner.take(Step::Complete);
        owner.send();
        let (waiting, sent) = (owner.waiting.clone(), owner.sent.len());
        owner.take(Step::Resume);
        for _ in 0..=waiting.len() {
            owner.take(Step::Complete);
            owner.send();
        }
        let expected: Vec<&String> = waiting.iter().map(|message| &message.id).collect();
        prop_assert_eq!(owner.sent[sent..].iter().collect::<Vec<_>>(), expected);
        let mut unique = owner.sent.clone();
        unique.sort();
        unique.dedup();
        prop_assert_eq!(unique.len(), owner.sent.len(), "a message was sent twice");
    }
}
