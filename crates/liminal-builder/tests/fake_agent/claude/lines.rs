//! The lines of Claude Code. Owns their shape, as recorded from the real one; decides nothing.

use serde_json::{Map, Value, json};

use crate::directive::Tool;

/// What all lines of one process share.
#[derive(Debug)]
pub(super) struct Scribe {
    session: String,
    /// How often it asks.
    mode: String,
    lines: u64,
}

impl Scribe {
    pub(super) const fn new(session: String, mode: String) -> Self {
        Self { session, mode, lines: 0 }
    }

    pub(super) fn session(&self) -> &str {
        &self.session
    }

    pub(super) fn uuid(&mut self) -> String {
        self.lines += 1;
        format!("00000000-0000-4000-8000-{:012}", self.lines)
    }

    /// Adds what every line has.
    fn signed(&mut self, mut line: Value) -> Value {
        if let Value::Object(fields) = &mut line {
            fields.insert("session_id".to_owned(), Value::from(self.session.clone()));
            fields.insert("uuid".to_owned(), Value::from(self.uuid()));
        }
        line
    }

    pub(super) fn init(&mut self) -> Value {
        self.signed(json!({
            "type": "system",
            "subtype": "init",
            "cwd": "/home/dev/project",
            "model": "claude-fake",
            "permissionMode": self.mode,
            "claude_code_version": "2.1.197",
        }))
    }

    /// Tells its new mode, as the program does when it changes.
    pub(super) fn mode(&mut self, mode: &str) -> Value {
        mode.clone_into(&mut self.mode);
        self.signed(json!({ "type": "system", "subtype": "status", "status": null, "permissionMode": mode }))
    }

    pub(super) fn part(&mut self, event: &Value) -> Value {
        self.signed(json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null }))
    }

    pub(super) fn message_start(&mut self, message: &str) -> Value {
        self.part(&json!({
            "type": "message_start",
            "message": { "id": message, "role": "assistant", "model": "claude-fake", "content": [] },
        }))
    }

    pub(super) fn block_start(&mut self, index: usize, block: &Value) -> Value {
        self.part(&json!({ "type": "content_block_start", "index": index, "content_block": block }))
    }

    pub(super) fn delta(&mut self, index: usize, delta: &Value) -> Value {
        self.part(&json!({ "type": "content_block_delta", "index": index, "delta": delta }))
    }

    pub(super) fn block_stop(&mut self, index: usize) -> Value {
        self.part(&json!({ "type": "content_block_stop", "index": index }))
    }

    pub(super) fn stop_reason(&mut self, reason: &str) -> Value {
        self.part(&json!({ "type": "message_delta", "delta": { "stop_reason": reason } }))
    }

    pub(super) fn message_stop(&mut self) -> Value {
        self.part(&json!({ "type": "message_stop" }))
    }

    pub(super) fn whole(&mut self, message: &str, block: &Value) -> Value {
        self.signed(json!({
            "type": "assistant",
            "message": { "id": message, "role": "assistant", "model": "claude-fake", "content": [block] },
            "parent_tool_use_id": null,
        }))
    }

    pub(super) fn tool_result(&mut self, call: &str, output: &str, is_error: bool) -> Value {
        let block =
            json!({ "type": "tool_result", "tool_use_id": call, "content": output, "is_error": is_error });
        self.signed(json!({
            "type": "user",
            "message": { "role": "user", "content": [block] },
            "parent_tool_use_id": null,
        }))
    }

    pub(super) fn echo(&mut self, prompt: &Value) -> Value {
        let mut echo = self.signed(prompt.clone());
        if let (Value::Object(fields), Some(uuid)) = (&mut echo, prompt.get("uuid")) {
            fields.insert("uuid".to_owned(), uuid.clone());
            fields.insert("isReplay".to_owned(), Value::from(true));
        }
        echo
    }

    pub(super) fn ask(&mut self, call: &str, tool: &Tool) -> Value {
        json!({
            "type": "control_request",
            "request_id": self.uuid(),
            "request": {
                "subtype": "can_use_tool",
                "tool_name": tool.name,
                "input": tool.input,
                "permission_suggestions": [],
                "tool_use_id": call,
            },
        })
    }

    pub(super) fn completed(&mut self, text: &str) -> Value {
        self.result(json!({ "subtype": "success", "is_error": false, "result": text, "terminal_reason": "completed" }))
    }

    pub(super) fn aborted(&mut self) -> Value {
        self.result(json!({
            "subtype": "error_during_execution",
            "is_error": true,
            "errors": [],
            "terminal_reason": "aborted_streaming",
        }))
    }

    fn result(&mut self, mut result: Value) -> Value {
        if let Value::Object(fields) = &mut result {
            fields.insert("type".to_owned(), Value::from("result"));
            fields.insert("total_cost_usd".to_owned(), Value::from(0.001));
            fields.insert("usage".to_owned(), json!({ "input_tokens": 1, "output_tokens": 1 }));
        }
        self.signed(result)
    }

    pub(super) fn of_kind(&mut self, kind: &str, fields: Map<String, Value>) -> Value {
        let mut line = Value::Object(fields);
        if let Value::Object(fields) = &mut line {
            fields.insert("type".to_owned(), Value::from(kind));
        }
        self.signed(line)
    }
}

pub(super) fn response(request_id: &Value, response: &Value) -> Value {
    json!({
        "type": "control_response",
        "response": { "subtype": "success", "request_id": request_id, "response": response },
    })
}

pub(super) fn tool_use(call: &str, tool: &Tool) -> Value {
    json!({ "type": "tool_use", "id": call, "name": tool.name, "input": tool.input })
}

/// Takes a request back that nobody answered.
pub(super) fn withdrawal(request: &Value) -> Value {
    json!({ "type": "control_cancel_request", "request_id": request.get("request_id") })
}

/// Whether a line answers a request, but not this one.
pub(super) fn answers_another(request: &Value, line: &Value) -> bool {
    line.pointer("/response/request_id").is_some_and(|id| Some(id) != request.get("request_id"))
}
