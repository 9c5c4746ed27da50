//! An ACP agent played by hand.
#![expect(
    clippy::needless_pass_by_value,
    reason = "messages are easier to read when they are built in place"
)]

use liminal_core::dialect::AgentCommand;
use liminal_core::dialect::acp::{AcpDialect, Options};
use liminal_core::ids::SessionId;
use serde_json::{Value, json};

use crate::replay::agent::Agent;

pub(crate) fn unopened() -> Agent {
    unopened_with(Options::default())
}

fn unopened_with(options: Options) -> Agent {
    Agent::speaking(Box::new(AcpDialect::new(SessionId::from("codex:s"), options)))
}

pub(crate) fn opening(resume: Option<&str>) -> Agent {
    opening_with(Options::default(), resume)
}

fn opening_with(options: Options, resume: Option<&str>) -> Agent {
    let mut agent = unopened_with(options);
    let resume = resume.map(str::to_owned);
    agent.command(AgentCommand::Open { directory: "/home/dev/project".to_owned(), resume });
    agent
}

/// An agent whose session `s1` is open.
pub(crate) fn opened() -> Agent {
    let mut agent = opening(None);
    agent.lines(&[initialized(), result(2, json!({"sessionId": "s1"}))]);
    agent
}

/// An agent that is in the turn `t`, which the response to request 3 ends.
pub(crate) fn in_turn() -> Agent {
    in_turn_with(Options::default())
}

/// The same with options of its own.
pub(crate) fn in_turn_with(options: Options) -> Agent {
    let mut agent = opening_with(options, None);
    agent.lines(&[initialized(), result(2, json!({"sessionId": "s1"}))]);
    agent.prompt("t", "go");
    agent
}

pub(crate) fn initialized() -> Value {
    result(
        1,
        json!({"protocolVersion": 1, "agentCapabilities": {"loadSession": true,
            "sessionCapabilities": {"resume": {}, "close": {}}}}),
    )
}

pub(crate) fn result(id: u64, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

pub(crate) fn refused(id: u64, code: i64, data: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "Internal error", "data": data}})
}

/// The end of the turn of [`in_turn`].
pub(crate) fn ended(reason: &str) -> Value {
    result(3, json!({"stopReason": reason}))
}

pub(crate) fn update(kind: &str, mut fields: Value) -> Value {
    fields["sessionUpdate"] = json!(kind);
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": fields}})
}

pub(crate) fn text(text: &str) -> Value {
    update("agent_message_chunk", json!({"content": {"type": "text", "text": text}}))
}

pub(crate) fn text_of(id: &str, text: &str) -> Value {
    update("agent_message_chunk", json!({"messageId": id, "content": {"type": "text", "text": text}}))
}

pub(crate) fn thought_of(id: &str, text: &str) -> Value {
    update("agent_thought_chunk", json!({"messageId": id, "content": {"type": "text", "text": text}}))
}

pub(crate) fn said(text: &str) -> Value {
    update("user_message_chunk", json!({"content": {"type": "text", "text": text}}))
}

pub(crate) fn call(id: &str) -> Value {
    update(
        "tool_call",
        json!({"toolCallId": id, "title": "make", "kind": "execute", "status": "in_progress",
            "rawInput": {"command": "make"}}),
    )
}

pub(crate) fn call_update(id: &str, mut fields: Value) -> Value {
    fields["toolCallId"] = json!(id);
    update("tool_call_update", fields)
}

pub(crate) fn block(text: &str) -> Value {
    json!({"type": "content", "content": {"type": "text", "text": text}})
}

pub(crate) fn asks(request: u64, call: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": request, "method": "session/request_permission", "params": {
        "sessionId": "s1",
        "toolCall": {"toolCallId": call, "title": "make", "kind": "execute", "status": "pending"},
        "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"},
            {"optionId": "a", "name": "Always", "kind": "allow_always"},
            {"optionId": "n", "name": "No", "kind": "reject_once"}]}})
}
