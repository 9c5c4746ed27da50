//! How the demo's steps look on the wire: the shapes of `session/update` that real agents send. Owns these shapes and
//! nothing that changes.

use serde_json::{Value, json};

use super::scene::{Call, Choice, Task};
use super::scenes::COMMANDS;

/// Which of the three texts of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    User,
    Agent,
    Thought,
}

pub(super) fn text(voice: Voice, message_id: &str, text: &str) -> Value {
    let kind = match voice {
        Voice::User => "user_message_chunk",
        Voice::Agent => "agent_message_chunk",
        Voice::Thought => "agent_thought_chunk",
    };
    json!({ "sessionUpdate": kind, "messageId": message_id, "content": { "type": "text", "text": text } })
}

/// Something that the user gave beside words.
pub(super) fn user_block(message_id: &str, block: &Value) -> Value {
    json!({ "sessionUpdate": "user_message_chunk", "messageId": message_id, "content": block })
}

/// The beginning of a call. What it changes is told here already, as a question about it wants to show it.
pub(super) fn call(id: &str, call: &Call, status: &str) -> Value {
    let mut content: Vec<Value> = call.diffs.iter().map(diff).collect();
    if !call.live.is_empty() {
        content.push(json!({ "type": "terminal", "terminalId": id }));
    }
    json!({
        "sessionUpdate": "tool_call",
        "toolCallId": id,
        "name": call.name,
        "kind": call.kind,
        "title": call.title,
        "status": status,
        "rawInput": call.input,
        "locations": call.locations.iter().map(location).collect::<Vec<_>>(),
        "content": content,
    })
}

fn diff(diff: &super::scene::Diff) -> Value {
    json!({ "type": "diff", "path": diff.path, "oldText": diff.old, "newText": diff.new })
}

fn location(place: &super::scene::Place) -> Value {
    json!({ "path": place.path, "line": place.line })
}

pub(super) fn status(id: &str, status: &str) -> Value {
    json!({ "sessionUpdate": "tool_call_update", "toolCallId": id, "status": status })
}

/// More of a call's output.
pub(super) fn output(id: &str, data: &str) -> Value {
    json!({
        "sessionUpdate": "tool_call_update",
        "toolCallId": id,
        "_meta": { "terminal_output": { "terminal_id": id, "data": data } },
    })
}

/// The end of a call.
pub(super) fn end(id: &str, call: &Call) -> Value {
    let status = if call.has_failed() { "failed" } else { "completed" };
    let mut update = json!({ "sessionUpdate": "tool_call_update", "toolCallId": id, "status": status });
    let Value::Object(fields) = &mut update else { return update };
    if let Some(result) = &call.result {
        fields.insert("content".to_owned(), json!([content(result)]));
    }
    if let Some(code) = call.exit {
        let exit = json!({ "terminal_id": id, "exit_code": code, "signal": null });
        fields.insert("rawOutput".to_owned(), json!({ "exit_code": code }));
        fields.insert("_meta".to_owned(), json!({ "terminal_exit": exit }));
    }
    update
}

/// The end of a call that was not allowed.
pub(super) fn rejected(id: &str) -> Value {
    json!({
        "sessionUpdate": "tool_call_update",
        "toolCallId": id,
        "status": "failed",
        "content": [content("You did not allow it, so it was not done.")],
    })
}

fn content(text: &str) -> Value {
    json!({ "type": "content", "content": { "type": "text", "text": text } })
}

pub(super) fn choices(choices: &[Choice]) -> Value {
    let option =
        |choice: &Choice| json!({ "optionId": choice.id, "name": choice.name, "kind": choice.kind.as_str() });
    choices.iter().map(option).collect()
}

pub(super) fn plan(tasks: &[Task]) -> Value {
    let entry =
        |task: &Task| json!({ "content": task.content, "priority": task.priority, "status": task.status });
    json!({ "sessionUpdate": "plan", "entries": tasks.iter().map(entry).collect::<Vec<_>>() })
}

pub(super) fn title(title: &str) -> Value {
    json!({ "sessionUpdate": "session_info_update", "title": title })
}

pub(super) fn usage(used: u64) -> Value {
    json!({ "sessionUpdate": "usage_update", "used": used, "size": 100_000 })
}

pub(super) fn commands() -> Value {
    let command = |command: &super::scenes::Command| {
        let input = command.hint.map(|hint| json!({ "hint": hint }));
        json!({ "name": command.name, "description": command.description, "input": input })
    };
    json!({
        "sessionUpdate": "available_commands_update",
        "availableCommands": COMMANDS.iter().map(command).collect::<Vec<_>>(),
    })
}
