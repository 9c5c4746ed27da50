//! Recordings of ACP agents. Owns how the lines that were sent to one become commands again, and which of the
//! sessions of the process each is for.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde_json::Value;

use super::{Direction, Playback, Recording};
use crate::dialect::acp::{AcpDialect, Channel, Connection, Options, Routed};
use crate::dialect::{AgentCommand, Dialect, Input, Outbox};
use crate::envelope::StreamEventEnvelope;
use crate::event::{ItemKind, StreamEvent};
use crate::ids::{ItemId, SessionId, TurnId};
use crate::json;
use crate::time::Now;
use crate::wire::rest::PermissionAnswer;

/// Plays recordings of ACP agents. A session of ours is opened where one of the recording was.
#[derive(Debug)]
pub struct AcpPlayback {
    host: Host,
    /// The sessions that the recording opens, in order.
    openings: VecDeque<AgentCommand>,
    prompts: u64,
    /// The ids of recorded requests as JSON, and the numbers that the process was given for them.
    requests: BTreeMap<String, u64>,
    /// The recorded sessions, and ours that play them.
    sessions: BTreeMap<String, usize>,
    /// The requests that open a session, and ours that did so.
    opened: BTreeMap<String, usize>,
    /// The recorded requests of the agent, and the items that show them.
    asked: BTreeMap<String, (usize, ItemId)>,
}

impl AcpPlayback {
    /// A playback whose sessions are called `{name}-1`, `{name}-2` and so on.
    #[must_use]
    pub fn new(name: &str, options: Options, recording: &Recording) -> Self {
        let sent = recording.lines().iter().filter(|line| line.direction == Direction::In);
        Self {
            host: Host::new(name.to_owned(), options),
            openings: sent.filter_map(|line| opening(&line.line)).collect(),
            prompts: 0,
            requests: BTreeMap::new(),
            sessions: BTreeMap::new(),
            opened: BTreeMap::new(),
            asked: BTreeMap::new(),
        }
    }

    /// Opens our next session, if the recording has one.
    fn open_next(&mut self) -> Option<AgentCommand> {
        let command = self.openings.pop_front()?;
        self.host.add_session();
        Some(command)
    }

    /// A session is opened. The first of ours has said so already, as soon as it had heard of the agent.
    fn open(&mut self, sent: &Value) -> Option<AgentCommand> {
        if self.host.unmatched.is_empty() {
            let command = self.open_next();
            self.note_opening(sent);
            return command;
        }
        self.note_opening(sent);
        self.match_request(sent);
        None
    }

    fn note_opening(&mut self, sent: &Value) {
        let index = self.host.sessions.len().saturating_sub(1);
        self.opened.insert(sent["id"].to_string(), index);
        if let Some(session) = text(sent, "/params/sessionId").filter(|_| sent["method"] != "session/fork") {
            self.sessions.insert(session.to_owned(), index);
        }
    }

    /// Joins a recorded request to the one that ours sent.
    fn match_request(&mut self, sent: &Value) {
        if let Some(number) = self.host.unmatched.pop_front() {
            self.requests.insert(sent["id"].to_string(), number);
        }
    }

    fn prompt(&mut self, sent: &Value) -> Option<AgentCommand> {
        self.prompts += 1;
        let turn = TurnId::from(format!("turn-{}", self.prompts));
        Some(AgentCommand::Prompt { turn, message: prompt_text(sent.pointer("/params/prompt")?).into() })
    }

    fn session_command(&mut self, sent: &Value) -> Option<AgentCommand> {
        let session = self.sessions.get(text(sent, "/params/sessionId")?)?;
        self.host.target = *session;
        let of = |pointer| text(sent, pointer).map(str::to_owned);
        match text(sent, "/method")? {
            "session/prompt" => self.prompt(sent),
            "_session/steering" => self.prompt(sent).map(steering),
            "session/cancel" => Some(AgentCommand::Cancel),
            "session/set_mode" => Some(AgentCommand::SetPermissionMode { mode: of("/params/modeId")? }),
            "session/set_model" => Some(AgentCommand::SetModel { model: of("/params/modelId") }),
            "session/set_config_option" => {
                Some(AgentCommand::SetOption { id: of("/params/configId")?, value: of("/params/value")? })
            }
            _ => None,
        }
    }

    fn answer(&mut self, sent: &Value) -> Option<AgentCommand> {
        let (session, item_id) = self.asked.get(&sent.get("id")?.to_string())?.clone();
        self.host.target = session;
        let option_id = text(sent, "/result/outcome/optionId").map(str::to_owned);
        let answer = PermissionAnswer { option_id, answers: BTreeMap::new(), reason: None };
        Some(AgentCommand::Answer { item_id, answer })
    }
}

impl Playback for AcpPlayback {
    fn dialect(&mut self) -> &mut dyn Dialect {
        &mut self.host
    }

    fn command(&mut self, sent: &Value) -> Option<AgentCommand> {
        match text(sent, "/method") {
            Some("initialize") => {
                if self.openings.is_empty() {
                    self.openings.push_back(AgentCommand::Open { directory: String::new(), resume: None });
                }
                self.open_next()
            }
            Some("session/new" | "session/load" | "session/resume" | "session/fork") => self.open(sent),
            Some(_) => self.session_command(sent),
            None => self.answer(sent),
        }
    }

    fn sent(&mut self, sent: &Value, _: &[Vec<u8>]) {
        self.match_request(sent);
    }

    fn frame(&mut self, heard: &Value) -> Vec<u8> {
        if let Value::String(text) = heard {
            return text.clone().into_bytes();
        }
        let mut heard = heard.clone();
        let is_response = heard.get("method").is_none();
        if let Some(id) = heard.get_mut("id").filter(|_| is_response) {
            // The response to a request that ours did not send is nobody's.
            let number = self.requests.get(&id.to_string());
            *id = number.map_or_else(|| Value::from(format!("recorded {id}")), |number| Value::from(*number));
        }
        let mut frame = Vec::new();
        json::append(&mut frame, &heard);
        frame
    }

    fn heard(&mut self, heard: &Value, events: &[StreamEventEnvelope]) {
        let Some(id) = heard.get("id").map(Value::to_string) else { return };
        if let (Some(index), Some(session)) = (self.opened.get(&id), text(heard, "/result/sessionId")) {
            self.sessions.insert(session.to_owned(), *index);
        }
        for event in events {
            if let StreamEvent::ItemStart(start) = &event.payload
                && matches!(start.kind, ItemKind::Permission(_))
                && let Some(session) = self.host.index_of(&event.session_id)
            {
                self.asked.insert(id.clone(), (session, start.item_id.clone()));
            }
        }
    }
}

/// A process and its sessions, as one machine.
#[derive(Debug)]
struct Host {
    name: String,
    options: Options,
    connection: Connection,
    sessions: Vec<(Channel, SessionId, AcpDialect)>,
    /// The session that commands are for.
    target: usize,
    /// The numbers of requests that no recorded one was joined to yet.
    unmatched: VecDeque<u64>,
}

impl Host {
    fn new(name: String, options: Options) -> Self {
        let connection = Connection::default();
        Self { name, options, connection, sessions: Vec::new(), target: 0, unmatched: VecDeque::new() }
    }

    fn add_session(&mut self) {
        let id = SessionId::from(format!("{}-{}", self.name, self.sessions.len() + 1));
        let dialect = AcpDialect::new(id.clone(), self.options.clone());
        self.target = self.sessions.len();
        self.sessions.push((self.connection.open(), id, dialect));
    }

    fn index_of(&self, session: &SessionId) -> Option<usize> {
        self.sessions.iter().position(|(_, id, _)| id == session)
    }

    /// Gives one session an input, and passes on what it sends until nothing more is said.
    fn give(&mut self, index: usize, input: Input<'_>, now: Now, out: &mut Outbox) {
        let Some((channel, _, dialect)) = self.sessions.get_mut(index) else { return };
        let (channel, mut own) = (*channel, Outbox::default());
        dialect.handle(input, now, &mut own);
        let mut routed = Routed::default();
        for frame in &own.frames {
            self.connection.hear_session(channel, frame, &mut routed);
        }
        out.events.append(&mut own.events);
        out.notices.append(&mut own.notices);
        self.pass_on(routed, now, out);
    }

    fn pass_on(&mut self, mut routed: Routed, now: Now, out: &mut Outbox) {
        for line in &routed.to_agent {
            let message: Value = serde_json::from_slice(line).unwrap_or_default();
            let is_request = message.get("method").is_some();
            self.unmatched.extend(message.get("id").and_then(Value::as_u64).filter(|_| is_request));
        }
        out.frames.append(&mut routed.to_agent);
        out.notices.append(&mut routed.notices);
        for (channel, line) in routed.to_sessions {
            let index = self.sessions.iter().position(|(open, ..)| *open == channel);
            if let Some(index) = index {
                self.give(index, Input::Frame(&line), now, out);
            }
        }
    }
}

impl Dialect for Host {
    fn handle(&mut self, input: Input<'_>, now: Now, out: &mut Outbox) {
        match input {
            Input::Frame(bytes) => {
                let mut routed = Routed::default();
                self.connection.hear_agent(bytes, &mut routed);
                self.pass_on(routed, now, out);
            }
            Input::Command(command) => self.give(self.target, Input::Command(command), now, out),
            Input::TaskOutput { .. } => {}
            Input::FrameTooLong { bytes } => {
                (0..self.sessions.len())
                    .for_each(|index| self.give(index, Input::FrameTooLong { bytes }, now, out));
            }
            Input::Timeout => {
                (0..self.sessions.len()).for_each(|index| self.give(index, Input::Timeout, now, out));
            }
            Input::Closed(closed) => {
                (0..self.sessions.len())
                    .for_each(|index| self.give(index, Input::Closed(closed.clone()), now, out));
            }
        }
    }

    fn next_deadline(&self) -> Option<Duration> {
        self.sessions.iter().filter_map(|(_, _, dialect)| dialect.next_deadline()).min()
    }
}

/// How a session of ours is opened, if this line opened one.
fn opening(sent: &Value) -> Option<AgentCommand> {
    let resume = match text(sent, "/method")? {
        "session/new" | "session/fork" => None,
        "session/load" | "session/resume" => Some(text(sent, "/params/sessionId")?.to_owned()),
        _ => return None,
    };
    let directory = text(sent, "/params/cwd").unwrap_or_default().to_owned();
    Some(AgentCommand::Open { directory, resume })
}

/// The same message for the turn that runs.
fn steering(prompt: AgentCommand) -> AgentCommand {
    let AgentCommand::Prompt { turn, message } = prompt else { return prompt };
    AgentCommand::Steer { turn, message }
}

fn prompt_text(prompt: &Value) -> String {
    let blocks = prompt.as_array().map(Vec::as_slice).unwrap_or_default();
    let texts = blocks.iter().filter_map(|block| text(block, "/text"));
    texts.collect::<Vec<_>>().join("\n")
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}
