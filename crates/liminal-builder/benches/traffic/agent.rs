//! An agent in this process that speaks at the pace that its prompt asks for, in the words of Claude Code.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use liminal_builder::clock::Clock;
use liminal_builder::process::{ExitReport, StopLadder};
use liminal_builder::provider::{Guards, OpenError, OpenRequest, OpenedAgent, Opening, Provider};
use liminal_builder::transport::{AgentPipe, Closed, Frame, Later, SendError, SendFrame};
use liminal_core::dialect::AgentCommand;
use liminal_core::dialect::claude::{ClaudeDialect, Options};
use liminal_core::ids::SessionId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

pub(crate) const CLI_TYPE: &str = "paced";

/// What a prompt asks for: one answer.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Pace {
    pub(crate) deltas: u64,
    /// The length of each.
    pub(crate) bytes: usize,
    /// Time between two of them.
    pub(crate) every_ms: u64,
    /// Time before the first one, so that many agents do not speak in the same moment.
    pub(crate) after_ms: u64,
}

impl Pace {
    pub(crate) const fn content(self) -> u64 {
        self.deltas * self.bytes as u64
    }
}

#[derive(Debug)]
pub(crate) struct PacedAgents;

impl Provider for PacedAgents {
    fn cli_type(&self) -> &str {
        CLI_TYPE
    }

    fn open(&self, request: OpenRequest) -> Opening<'_> {
        Box::pin(async move { open(request) })
    }
}

#[expect(clippy::unnecessary_wraps, reason = "an agent that is always there is still asked for as any other")]
fn open(request: OpenRequest) -> Result<OpenedAgent, OpenError> {
    let new = || SessionId::from(format!("{CLI_TYPE}:{}", liminal_builder::clock::new_session_uuid()));
    let session_id = request.resume.unwrap_or_else(new);
    Ok(OpenedAgent {
        transport: Box::new(Pipe::start()),
        dialect: Box::new(ClaudeDialect::new(session_id.clone(), Options::default())),
        session_id,
        clock: Clock::start(),
        history: Vec::new(),
        notices: Vec::new(),
        guards: Guards::default(),
        begin: vec![AgentCommand::Open { directory: "/".to_owned(), resume: None }],
    })
}

#[derive(Debug)]
struct Pipe {
    input: Arc<Input>,
    said: UnboundedReceiver<Bytes>,
    process: JoinSet<()>,
}

#[derive(Debug)]
struct Input(UnboundedSender<Value>);

impl Pipe {
    fn start() -> Self {
        let (told, heard) = mpsc::unbounded_channel();
        let (says, said) = mpsc::unbounded_channel();
        let mut process = JoinSet::new();
        process.spawn(Agent { says, lines: 0 }.live(heard));
        Self { input: Arc::new(Input(told)), said, process }
    }
}

impl AgentPipe for Pipe {
    fn pid(&self) -> Option<u32> {
        None
    }

    fn sender(&self) -> Arc<dyn SendFrame> {
        Arc::clone(&self.input) as _
    }

    fn recv_ready(&mut self) -> Later<'_, Result<Vec<Frame>, Closed>> {
        Box::pin(async move {
            let mut lines = Vec::new();
            self.said.recv_many(&mut lines, 64).await;
            Ok(lines.into_iter().map(Frame::Line).collect())
        })
    }

    fn close(mut self: Box<Self>, _: StopLadder) -> Later<'static, ExitReport> {
        Box::pin(async move {
            self.process.shutdown().await;
            ExitReport::without_process()
        })
    }
}

impl SendFrame for Input {
    fn send(&self, frame: Vec<u8>) -> Later<'static, Result<(), SendError>> {
        let told = self.0.send(serde_json::from_slice(&frame).unwrap());
        Box::pin(async move { told.map_err(|_| SendError::Closed) })
    }
}

struct Agent {
    says: UnboundedSender<Bytes>,
    lines: u64,
}

impl Agent {
    async fn live(mut self, mut heard: UnboundedReceiver<Value>) {
        while let Some(line) = heard.recv().await {
            match line["type"].as_str() {
                Some("user") => self.answer(line).await,
                Some("control_request") => {
                    let answer =
                        json!({ "subtype": "success", "request_id": line["request_id"], "response": {} });
                    self.say(json!({ "type": "control_response", "response": answer }));
                }
                _ => {}
            }
        }
    }

    async fn answer(&mut self, prompt: Value) {
        let pace: Pace = serde_json::from_str(prompt["message"]["content"].as_str().unwrap()).unwrap();
        self.begin(prompt);
        let begun = Instant::now() + Duration::from_millis(pace.after_ms);
        let mut text = String::new();
        for number in 0..pace.deltas {
            sleep_until(begun + Duration::from_millis(pace.every_ms * number)).await;
            let words = words(number, pace.bytes);
            text += &words;
            let delta = json!({ "type": "text_delta", "text": words });
            self.part(&json!({ "type": "content_block_delta", "index": 0, "delta": delta }));
        }
        self.end(&text);
    }

    fn begin(&mut self, mut echo: Value) {
        self.say(json!({ "type": "system", "subtype": "init", "model": "m", "permissionMode": "default" }));
        echo["isReplay"] = json!(true);
        self.say(echo);
        let message = json!({ "id": "msg_1", "role": "assistant", "model": "m", "content": [] });
        self.part(&json!({ "type": "message_start", "message": message }));
        let block = json!({ "type": "text", "text": "" });
        self.part(&json!({ "type": "content_block_start", "index": 0, "content_block": block }));
    }

    fn end(&mut self, text: &str) {
        let block = json!({ "type": "text", "text": text });
        let whole = json!({ "id": "msg_1", "role": "assistant", "model": "m", "content": [block] });
        self.say(json!({ "type": "assistant", "message": whole, "parent_tool_use_id": null }));
        self.part(&json!({ "type": "content_block_stop", "index": 0 }));
        self.part(&json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }));
        self.part(&json!({ "type": "message_stop" }));
        let result = json!({ "type": "result", "subtype": "success", "is_error": false, "result": "" });
        self.say(result);
    }

    fn part(&mut self, event: &Value) {
        self.say(json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null }));
    }

    fn say(&mut self, mut line: Value) {
        self.lines += 1;
        line["session_id"] = json!("s");
        if line.get("uuid").is_none() {
            line["uuid"] = Value::from(format!("00000000-0000-4000-8000-{:012}", self.lines));
        }
        // Nobody may be listening any more.
        self.says.send(line.to_string().into()).ok();
    }
}

/// Words that differ, as those of an answer do, in so many bytes.
fn words(number: u64, bytes: usize) -> String {
    let mut text = String::new();
    let mut chance = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    while text.len() < bytes {
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        text += &format!("word{} ", chance % 5000);
    }
    text.truncate(bytes);
    text
}
