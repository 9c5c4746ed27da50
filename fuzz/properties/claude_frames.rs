//! Any bytes as the output of Claude Code: no panic, every turn ends once, and a valid turn is understood after them.

use std::collections::BTreeMap;
use std::time::Duration;

use liminal_core::dialect::claude::{ClaudeDialect, Options};
use liminal_core::dialect::{AgentCommand, Closed, Dialect, Input, Outbox};
use liminal_core::event::{FinalItem, StreamEvent};
use liminal_core::ids::{SessionId, TurnId};
use liminal_core::replay::Recording;

const INIT: &[u8] = br#"{"type":"system","subtype":"init","model":"m","session_id":"s"}"#;
const ANSWER: &[u8] =
    br#"{"type":"assistant","message":{"id":"last","content":[{"type":"text","text":"the last answer"}]}}"#;
const RESULT: &[u8] = br#"{"type":"result","subtype":"success","is_error":false}"#;

pub(crate) fn check(bytes: &[u8]) {
    let mut agent = Agent::new();
    agent.prompt("first", "go");
    for line in bytes.split(|byte| *byte == b'\n') {
        agent.handle(Input::Frame(line));
    }
    // Whatever it was in the middle of ends here.
    for line in [RESULT, INIT, RESULT, INIT, RESULT] {
        agent.handle(Input::Frame(line));
    }
    agent.at += Duration::from_secs(5);
    agent.prompt("last", "the last prompt");
    for line in [INIT, ANSWER, RESULT] {
        agent.handle(Input::Frame(line));
    }
    assert!(agent.heard_last, "the last turn was understood");
    agent.handle(Input::Closed(Closed::default()));
    assert!(agent.ended.values().all(|ended| *ended), "every turn ends");
}

struct Agent {
    dialect: ClaudeDialect,
    at: Duration,
    out: Outbox,
    /// Whether each turn has ended.
    ended: BTreeMap<TurnId, bool>,
    heard_last: bool,
}

impl Agent {
    fn new() -> Self {
        Self {
            dialect: ClaudeDialect::new(SessionId::from("claude-code:fuzz"), Options::default()),
            at: Duration::ZERO,
            out: Outbox::default(),
            ended: BTreeMap::new(),
            heard_last: false,
        }
    }

    fn prompt(&mut self, turn: &str, text: &str) {
        let command = AgentCommand::Prompt { turn: TurnId::from(turn), message: text.into() };
        self.handle(Input::Command(command));
    }

    fn handle(&mut self, input: Input<'_>) {
        self.dialect.handle(input, Recording::moment(self.at), &mut self.out);
        for event in self.out.events.drain(..) {
            let is_end =
                matches!(event.payload, StreamEvent::ResponseDone(_) | StreamEvent::ResponseError(_));
            self.heard_last |= event.turn_id.as_str() == "last" && is_last_answer(&event.payload);
            let ended = self.ended.insert(event.turn_id, is_end);
            assert_ne!(ended, Some(true), "nothing comes after the end of a turn");
        }
        self.out.clear();
    }
}

fn is_last_answer(event: &StreamEvent) -> bool {
    let StreamEvent::ItemDone(done) = event else { return false };
    matches!(&done.final_item, FinalItem::Message(message) if message.content == "the last answer")
}
