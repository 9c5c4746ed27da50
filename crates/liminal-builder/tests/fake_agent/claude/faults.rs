//! Lines that no sound agent writes.

use std::thread;
use std::time::Duration;

use anyhow::Result;
use liminal_builder::clock::Clock;
use serde_json::{Map, Value, json};

use super::Agent;
use super::speech::{block, delta};

const NONSENSE: [&str; 8] = [
    "Warning: this is no JSON",
    "{",
    "[1,2,3]",
    "null",
    "{\"no\":\"type\"}",
    "\u{1b}[31mred\u{1b}[0m",
    "{\"type\":\"assistant\",\"message\":",
    "",
];

impl Agent {
    /// A sound line but for its length.
    pub(super) fn long_line(&mut self, bytes: u64) -> Result<()> {
        let start = b"{\"type\":\"assistant\",\"message\":{\"id\":\"long\",\"content\":[{\"type\":\"text\",\"text\":\"";
        self.output.bytes(start)?;
        let piece = vec![b'x'; 64 * 1024];
        let mut left = bytes;
        while left > 0 {
            let length = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
            self.output.bytes(piece.get(..length).unwrap_or_default())?;
            left -= length as u64;
        }
        self.output.bytes(b"\"}]}}\n")
    }

    /// One message, with a line of nonsense after every piece.
    pub(super) fn garbage(&mut self, lines: u64) -> Result<()> {
        let (message, mut text) = self.open_text("text", 0)?;
        for nonsense in NONSENSE.iter().cycle().take(usize::try_from(lines)?) {
            self.piece("text", &mut text)?;
            self.output.bytes(format!("{nonsense}\n").as_bytes())?;
        }
        self.end_text("text", &message, &text)
    }

    pub(super) fn deep(&self, depth: usize) -> Result<()> {
        let line =
            format!("{{\"type\":\"assistant\",\"message\":{}{}}}\n", "[".repeat(depth), "]".repeat(depth));
        self.output.bytes(line.as_bytes())
    }

    pub(super) fn keys(&self, count: u64) -> Result<()> {
        let mut line = "{\"type\":\"assistant\"".to_owned();
        for key in 0..count {
            line.push_str(&format!(",\"{key}\":0"));
        }
        line.push_str("}\n");
        self.output.bytes(line.as_bytes())
    }

    /// The end of a block before its beginning, a result before its call.
    pub(super) fn reorder(&mut self) -> Result<()> {
        self.messages += 1;
        let message = format!("msg_{}", self.messages);
        let text = format!("s{} ", self.next_serial());
        let call = format!("toolu_{}", self.next_serial());
        let tool = json!({ "type": "tool_use", "id": call, "name": "Bash", "input": { "command": "ls" } });
        let lines = [
            self.scribe.block_stop(0),
            self.scribe.whole(&message, &block("text", &text)),
            self.scribe.delta(0, &delta("text", &text)),
            self.scribe.block_start(0, &block("text", "")),
            self.scribe.message_stop(),
            self.scribe.message_start(&message),
            self.scribe.tool_result(&call, "result", false),
            self.scribe.whole(&message, &tool),
            self.scribe.message_stop(),
        ];
        lines.into_iter().try_for_each(|line| self.output.line(line))
    }

    pub(super) fn unknown(&mut self) -> Result<()> {
        let fields = |value: Value| value.as_object().cloned().unwrap_or_default();
        let lines = [
            self.scribe.delta(99, &delta("text", "of no block")),
            self.scribe.delta(0, &json!({ "type": "hologram_delta", "hologram": 1 })),
            self.scribe.block_start(7, &json!({ "type": "hologram" })),
            self.scribe.part(&json!({ "type": "message_hologram" })),
            self.scribe.part(&json!(17)),
            self.scribe.tool_result("toolu_of_nobody", "of no call", false),
            self.scribe.of_kind("hologram", Map::new()),
            self.scribe.of_kind("system", fields(json!({ "subtype": "hologram" }))),
            self.scribe.of_kind("assistant", fields(json!({ "message": { "content": [1, null, {}] } }))),
            self.scribe.of_kind("user", fields(json!({ "message": "nothing" }))),
            json!({ "type": "control_response", "response": { "request_id": "of nobody" } }),
            json!({ "type": "control_cancel_request", "request_id": "of nobody" }),
        ];
        lines.into_iter().try_for_each(|line| self.output.line(line))
    }

    /// Messages of 64 KiB until somebody interrupts it.
    pub(super) fn flood(&mut self, pace: Option<u64>) -> Result<()> {
        let filler = "x".repeat(1000);
        let (begun, mut said) = (Clock::start(), 0);
        while !self.is_interrupted {
            let (message, mut text) = self.open_text("text", 1)?;
            for _ in 0..64 {
                text.push_str(&filler);
                let delta = self.scribe.delta(0, &delta("text", &filler));
                self.output.line(delta)?;
            }
            self.end_text("text", &message, &text)?;
            self.output.forget();
            self.look()?;
            // In pieces and as a whole.
            said += 2 * text.len() as u64;
            let due = pace.map(|pace| Duration::from_micros(said.saturating_mul(1_000_000) / pace.max(1)));
            due.into_iter().for_each(|due| thread::sleep(due.saturating_sub(begun.now().mono)));
        }
        Ok(())
    }
}
