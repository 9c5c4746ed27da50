//! Lines of agents through their dialects: a long answer, one delta per line.

use std::hint::black_box;

use liminal_core::dialect::acp::{self, AcpDialect};
use liminal_core::dialect::claude::{self, ClaudeDialect};
use liminal_core::dialect::{AgentCommand, Dialect, Input, Outbox, UserMessage};
use serde_json::{Value, json};

use crate::Work;
use crate::processing::now;

pub(crate) fn claude(deltas: usize) -> Work {
    let mut dialect = ClaudeDialect::new("claude-code:1".into(), claude::Options::default());
    let request = opened(&mut dialect).pop().unwrap();
    let answer = json!({ "subtype": "success", "request_id": request["request_id"], "response": {} });
    hear(&mut dialect, &json!({ "type": "control_response", "response": answer }));
    let mut echo = prompted(&mut dialect).pop().unwrap();
    (echo["session_id"], echo["isReplay"]) = (json!("s"), json!(true));
    let init = json!({ "type": "system", "subtype": "init", "model": "m", "permissionMode": "default" });
    let message = json!({ "id": "msg_1", "role": "assistant", "model": "m", "content": [] });
    let block = json!({ "type": "text", "text": "" });
    let begun = [
        signed(init, 0),
        echo,
        part(&json!({ "type": "message_start", "message": message }), 1),
        part(&json!({ "type": "content_block_start", "index": 0, "content_block": block }), 2),
    ];
    begun.iter().for_each(|line| drop(hear(&mut dialect, line)));
    let delta = json!({ "type": "text_delta", "text": "word " });
    let event = json!({ "type": "content_block_delta", "index": 0, "delta": delta });
    let lines = (0..deltas).map(|number| part(&event, number + 3).to_string()).collect();
    listening(dialect, lines)
}

pub(crate) fn acp(deltas: usize) -> Work {
    let mut dialect = AcpDialect::new("codex:1".into(), acp::Options::default());
    let initialize = opened(&mut dialect).pop().unwrap();
    let introduction = json!({ "protocolVersion": 1, "agentCapabilities": {}, "authMethods": [] });
    let new = hear(&mut dialect, &answered(&initialize, &introduction)).pop().unwrap();
    hear(&mut dialect, &answered(&new, &json!({ "sessionId": "s" })));
    prompted(&mut dialect);
    let content = json!({ "type": "text", "text": "word " });
    let update = json!({ "sessionUpdate": "agent_message_chunk", "content": content });
    let params = json!({ "sessionId": "s", "update": update });
    let line = json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }).to_string();
    listening(dialect, vec![line; deltas])
}

fn listening(mut dialect: impl Dialect + 'static, lines: Vec<String>) -> Work {
    Box::new(move || {
        let (mut out, mut events) = (Outbox::default(), 0);
        for line in &lines {
            dialect.handle(Input::Frame(line.as_bytes()), now(), &mut out);
            events += out.events.len();
            out.clear();
        }
        assert!(black_box(events) >= lines.len(), "the lines say nothing: {events} events");
    })
}

fn opened(dialect: &mut dyn Dialect) -> Vec<Value> {
    command(dialect, AgentCommand::Open { directory: "/".to_owned(), resume: None })
}

fn prompted(dialect: &mut dyn Dialect) -> Vec<Value> {
    let message = UserMessage { text: "go on".to_owned(), files: Vec::new() };
    command(dialect, AgentCommand::Prompt { turn: "0198c0de-0000-7000-8000-000000000000".into(), message })
}

fn command(dialect: &mut dyn Dialect, command: AgentCommand) -> Vec<Value> {
    let mut out = Outbox::default();
    dialect.handle(Input::Command(command), now(), &mut out);
    sent(&out)
}

/// What is answered to a line.
fn hear(dialect: &mut dyn Dialect, line: &Value) -> Vec<Value> {
    let mut out = Outbox::default();
    dialect.handle(Input::Frame(line.to_string().as_bytes()), now(), &mut out);
    sent(&out)
}

fn sent(out: &Outbox) -> Vec<Value> {
    out.frames.iter().map(|frame| serde_json::from_slice(frame).unwrap()).collect()
}

fn answered(request: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })
}

fn part(event: &Value, number: usize) -> Value {
    signed(json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null }), number)
}

fn signed(mut line: Value, number: usize) -> Value {
    line["session_id"] = json!("s");
    line["uuid"] = Value::from(format!("00000000-0000-4000-8000-{number:012}"));
    line
}
