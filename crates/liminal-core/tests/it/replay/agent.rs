//! An agent played by hand, Claude Code unless another dialect is given: lines and commands in, everything that comes out kept.
#![expect(clippy::needless_pass_by_value, reason = "lines are easier to read when they are built in place")]

use std::time::Duration;

use liminal_core::dialect::claude::{ClaudeDialect, Options};
use liminal_core::dialect::{AgentCommand, Closed, Dialect, Input, Notice, Outbox};
use liminal_core::ids::{ItemId, SessionId, TurnId};
use liminal_core::processor::{Config, Dropped, Profile};
use liminal_core::replay::{Audience, EventLines, Recording, UpsertLines};
use liminal_core::wire::rest::PermissionAnswer;
use serde_json::{Value, json};

use crate::replay::snapshots::parsed;

pub(crate) struct Agent {
    dialect: Box<dyn Dialect>,
    at: Duration,
    events: EventLines,
    upserts: UpsertLines,
    pub(crate) frames: Vec<Value>,
    pub(crate) notices: Vec<Notice>,
}

impl Agent {
    pub(crate) fn new() -> Self {
        Self::with(Options::default())
    }

    fn with(options: Options) -> Self {
        Self::speaking(Box::new(ClaudeDialect::new(SessionId::from("claude-code:s"), options)))
    }

    pub(crate) fn speaking(dialect: Box<dyn Dialect>) -> Self {
        let config = Config::new(Profile::UpsertV1).announcing_arguments();
        Self {
            dialect,
            at: Duration::ZERO,
            events: EventLines::default(),
            upserts: UpsertLines::new(config, Profile::UpsertV1),
            frames: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// An agent that is in the turn `t`.
    pub(crate) fn in_turn() -> Self {
        Self::in_turn_with(Options::default())
    }

    /// The same with options of its own.
    pub(crate) fn in_turn_with(options: Options) -> Self {
        let mut agent = Self::with(options);
        agent.prompt("t", "go");
        agent.line(&init());
        agent
    }

    pub(crate) fn input(&mut self, input: Input<'_>) {
        let now = Recording::moment(self.at);
        let mut out = Outbox::default();
        self.dialect.handle(input, now, &mut out);
        for event in &out.events {
            self.events.event(event, now);
            self.upserts.event(event, now);
        }
        self.frames.extend(out.frames.iter().map(|frame| serde_json::from_slice::<Value>(frame).unwrap()));
        self.notices.extend(out.notices);
    }

    /// How many events had no effect on what clients see.
    pub(crate) fn dropped(&self) -> Dropped {
        self.upserts.turns().dropped()
    }

    pub(crate) fn line(&mut self, line: &Value) {
        self.input(Input::Frame(line.to_string().as_bytes()));
    }

    pub(crate) fn lines(&mut self, lines: &[Value]) {
        lines.iter().for_each(|line| self.line(line));
    }

    pub(crate) fn command(&mut self, command: AgentCommand) {
        self.input(Input::Command(command));
    }

    pub(crate) fn prompt(&mut self, turn: &str, text: &str) {
        self.command(AgentCommand::Prompt { turn: TurnId::from(turn), message: text.into() });
    }

    pub(crate) fn steer(&mut self, turn: &str, text: &str) {
        self.command(AgentCommand::Steer { turn: TurnId::from(turn), message: text.into() });
    }

    pub(crate) fn answer(&mut self, item: &str, answer: PermissionAnswer) {
        self.command(AgentCommand::Answer { item_id: ItemId::from(item), answer });
    }

    pub(crate) fn choose(&mut self, item: &str, option: &str) {
        self.answer(
            item,
            PermissionAnswer {
                option_id: Some(option.to_owned()),
                answers: Default::default(),
                reason: None,
            },
        );
    }

    pub(crate) fn close(&mut self, code: i32, stderr: &str) {
        let closed = Closed { code: Some(code), stderr_tail: stderr.to_owned(), ..Closed::default() };
        self.input(Input::Closed(closed));
    }

    /// Lets time go by; deadlines fire.
    pub(crate) fn wait(&mut self, seconds: u64) {
        let until = self.at + Duration::from_secs(seconds);
        while let Some(deadline) = self.dialect.next_deadline().filter(|at| *at <= until) {
            self.at = self.at.max(deadline);
            self.input(Input::Timeout);
            assert!(self.dialect.next_deadline() != Some(deadline), "a deadline that does not pass");
        }
        self.at = until;
        self.upserts.advance(Recording::moment(until));
    }

    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.dialect.next_deadline()
    }

    pub(crate) fn events(&self) -> Vec<Value> {
        parsed(std::str::from_utf8(self.events.bytes()).unwrap())
    }

    pub(crate) fn event_types(&self) -> Vec<String> {
        self.events().iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn last_event(&self) -> Value {
        self.events().pop().unwrap()["payload"].take()
    }

    /// Upserts and milestones of turns, as clients get them.
    pub(crate) fn output_lines(&self) -> Vec<Value> {
        parsed(std::str::from_utf8(self.upserts.bytes()).unwrap())
    }

    /// The same without what surrounds them.
    pub(crate) fn outputs(&self) -> Vec<Value> {
        self.output_lines().into_iter().map(|mut line| line["payload"].take()).collect()
    }

    /// The outputs of one type.
    pub(crate) fn outputs_of(&self, kind: &str) -> Vec<Value> {
        self.outputs().into_iter().filter(|output| output["type"] == kind).collect()
    }

    /// The texts of finished messages by this origin.
    pub(crate) fn messages(&self, origin: &str) -> Vec<String> {
        let messages = self.outputs_of("message").into_iter();
        let finished =
            messages.filter(|message| message["status"] == "complete" && message["origin"] == origin);
        finished.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    }
}

pub(crate) fn init() -> Value {
    json!({"type": "system", "subtype": "init", "session_id": "s1", "model": "m1", "permissionMode": "default",
        "uuid": "u1"})
}

pub(crate) fn part(event: Value) -> Value {
    json!({"type": "stream_event", "event": event, "parent_tool_use_id": null})
}

pub(crate) fn message_start(id: &str) -> Value {
    part(json!({"type": "message_start", "message": {"id": id, "usage": {}}}))
}

pub(crate) fn block_start(index: u64, block: Value) -> Value {
    part(json!({"type": "content_block_start", "index": index, "content_block": block}))
}

pub(crate) fn delta(index: u64, delta: Value) -> Value {
    part(json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

pub(crate) fn text_delta(index: u64, text: &str) -> Value {
    delta(index, json!({"type": "text_delta", "text": text}))
}

pub(crate) fn block_stop(index: u64) -> Value {
    part(json!({"type": "content_block_stop", "index": index}))
}

pub(crate) fn assistant(id: &str, block: Value) -> Value {
    json!({"type": "assistant", "message": {"id": id, "model": "m1", "content": [block]},
        "parent_tool_use_id": null})
}

pub(crate) fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

pub(crate) fn call(id: &str, command: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}})
}

pub(crate) fn tool_result(id: &str, output: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": id, "content": output}]}, "parent_tool_use_id": null})
}

pub(crate) fn result() -> Value {
    json!({"type": "result", "subtype": "success", "is_error": false, "stop_reason": "end_turn",
        "terminal_reason": "completed", "total_cost_usd": 0.5, "usage": {"input_tokens": 3, "output_tokens": 4}})
}

pub(crate) fn aborted() -> Value {
    json!({"type": "result", "subtype": "error_during_execution", "is_error": true,
        "terminal_reason": "aborted_streaming", "errors": ["[ede_diagnostic]"]})
}

pub(crate) fn can_use_tool(request: &str, call: &str) -> Value {
    json!({"type": "control_request", "request_id": request, "request": {"subtype": "can_use_tool",
        "tool_name": "Bash", "display_name": "Bash", "input": {"command": "make"}, "tool_use_id": call,
        "permission_suggestions": [{"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "make"}],
            "behavior": "allow", "destination": "localSettings"}]}})
}
