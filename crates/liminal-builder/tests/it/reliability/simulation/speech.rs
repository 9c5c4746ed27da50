//! The lines of a simulated agent. Owns their shape, which is that of Claude Code.

use serde_json::{Value, json};

/// Numbers lines, as the dialect knows repeated ones by their ids.
#[derive(Debug, Default)]
pub(super) struct Speech {
    process: u64,
    lines: u64,
    messages: u64,
}

impl Speech {
    pub(super) fn new(process: u64) -> Self {
        Self { process, ..Self::default() }
    }

    pub(super) fn uuid(&mut self) -> String {
        self.lines += 1;
        format!("00000000-0000-4000-{:04}-{:012}", self.process, self.lines)
    }

    fn signed(&mut self, mut line: Value) -> Value {
        line["session_id"] = json!("s");
        line["uuid"] = Value::from(self.uuid());
        line
    }

    pub(super) fn init(&mut self) -> Value {
        let line =
            json!({ "type": "system", "subtype": "init", "model": "sim", "permissionMode": "default" });
        self.signed(line)
    }

    pub(super) fn echo(&mut self, prompt: &Value) -> Value {
        let mut echo = prompt.clone();
        (echo["session_id"], echo["isReplay"]) = (json!("s"), json!(true));
        echo
    }

    /// The lines of a text, each piece one of them.
    pub(super) fn text(&mut self, kind: &str, pieces: &[String]) -> Vec<Value> {
        let message = self.begin();
        let delta = |piece: &String| json!({ "type": format!("{kind}_delta"), kind: piece });
        let mut lines =
            vec![self.message_start(&message), self.block_start(&json!({ "type": kind, kind: "" }))];
        lines.extend(pieces.iter().map(|piece| self.delta(&delta(piece))));
        lines.extend(self.end(&message, &json!({ "type": kind, kind: pieces.concat() }), "end_turn"));
        lines
    }

    /// The lines of a call without its result.
    pub(super) fn call(&mut self, call: &str, name: &str, input: &Value) -> Vec<Value> {
        let message = self.begin();
        let block = |input: &Value| json!({ "type": "tool_use", "id": call, "name": name, "input": input });
        let part = json!({ "type": "input_json_delta", "partial_json": input.to_string() });
        let mut lines = vec![self.message_start(&message), self.block_start(&block(&json!({})))];
        lines.push(self.delta(&part));
        lines.extend(self.end(&message, &block(input), "tool_use"));
        lines
    }

    pub(super) fn result_of(&mut self, call: &str, output: &str) -> Value {
        let block =
            json!({ "type": "tool_result", "tool_use_id": call, "content": output, "is_error": false });
        self.signed(json!({ "type": "user", "message": { "role": "user", "content": [block] } }))
    }

    pub(super) fn completed(&mut self) -> Value {
        self.result(
            &json!({ "subtype": "success", "is_error": false, "result": "", "terminal_reason": "completed" }),
        )
    }

    pub(super) fn failed(&mut self) -> Value {
        self.result(
            &json!({ "subtype": "error_during_execution", "is_error": true, "errors": ["it went wrong"] }),
        )
    }

    pub(super) fn aborted(&mut self) -> Value {
        self.result(&json!({
            "subtype": "error_during_execution",
            "is_error": true,
            "errors": [],
            "terminal_reason": "aborted_streaming",
        }))
    }

    fn result(&mut self, result: &Value) -> Value {
        let mut line = result.clone();
        (line["type"], line["usage"]) = (json!("result"), json!({ "input_tokens": 1, "output_tokens": 1 }));
        self.signed(line)
    }

    fn begin(&mut self) -> String {
        self.messages += 1;
        format!("msg_{}_{}", self.process, self.messages)
    }

    fn part(&mut self, event: &Value) -> Value {
        self.signed(json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null }))
    }

    fn message_start(&mut self, message: &str) -> Value {
        let message = json!({ "id": message, "role": "assistant", "model": "sim", "content": [] });
        self.part(&json!({ "type": "message_start", "message": message }))
    }

    fn block_start(&mut self, block: &Value) -> Value {
        self.part(&json!({ "type": "content_block_start", "index": 0, "content_block": block }))
    }

    fn delta(&mut self, delta: &Value) -> Value {
        self.part(&json!({ "type": "content_block_delta", "index": 0, "delta": delta }))
    }

    fn end(&mut self, message: &str, block: &Value, reason: &str) -> Vec<Value> {
        let whole = json!({ "id": message, "role": "assistant", "model": "sim", "content": [block] });
        vec![
            self.signed(json!({ "type": "assistant", "message": whole, "parent_tool_use_id": null })),
            self.part(&json!({ "type": "content_block_stop", "index": 0 })),
            self.part(&json!({ "type": "message_delta", "delta": { "stop_reason": reason } })),
            self.part(&json!({ "type": "message_stop" })),
        ]
    }
}

/// What an agent asks before it acts.
pub(super) fn ask(request: &str, call: &str, name: &str, input: &Value) -> Value {
    json!({
        "type": "control_request",
        "request_id": request,
        "request": {
            "subtype": "can_use_tool",
            "tool_name": name,
            "input": input,
            "permission_suggestions": [],
            "tool_use_id": call,
        },
    })
}

pub(super) fn withdrawal(request: &str) -> Value {
    json!({ "type": "control_cancel_request", "request_id": request })
}

pub(super) fn response(request: &Value) -> Value {
    let abilities = json!({ "models": [], "commands": [] });
    json!({
        "type": "control_response",
        "response": { "subtype": "success", "request_id": request, "response": abilities },
    })
}

/// What is said to an agent.
#[derive(Debug)]
pub(super) enum Told {
    Prompt { text: String, line: Value },
    Control { request: Value, subtype: String },
    Answer { request: String, behavior: String },
}

impl Told {
    pub(super) fn read(frame: &[u8]) -> Option<Self> {
        let line: Value = serde_json::from_slice(frame).ok()?;
        let text =
            |pointer: &str| line.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(match text("/type").as_str() {
            "user" => Self::Prompt { text: text("/message/content"), line },
            "control_request" => {
                Self::Control { request: line["request_id"].clone(), subtype: text("/request/subtype") }
            }
            "control_response" => Self::Answer {
                request: text("/response/request_id"),
                behavior: text("/response/response/behavior"),
            },
            _ => return None,
        })
    }
}
