//! One process of an ACP agent, shared by many sessions. Owns the numbers of the process's requests and which
//! session a message belongs to. Knows nothing of turns, and does no input or output itself.
//!
//! Whoever runs the process gives every line of it to [`Connection::hear_agent`] and every frame of a session to
//! [`Connection::hear_session`], and passes on what comes out. To a session its [`Channel`] is an agent of its own:
//! it says `initialize` and numbers its requests from 1. The first `initialize` goes to the process; the others are
//! answered from what it said. Requests of the agent keep their ids, which are unique in the process. A line that
//! was too long to be read may have been anybody's, so every session is told of it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::rpc::{self, Message};
use crate::dialect::Notice;
use crate::dialect::fields::object;

/// Messages that are kept for sessions whose ids are not known yet. The response that tells the id comes first,
/// with all agents that were seen; more than a few of these are somebody else's.
const EARLY_KEPT: usize = 256;

/// One session's side of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Channel(u64);

/// What is to be passed on, in order.
#[derive(Debug, Default)]
pub struct Routed {
    /// Lines for the process, without their newlines.
    pub to_agent: Vec<Vec<u8>>,
    /// Lines for sessions.
    pub to_sessions: Vec<(Channel, Vec<u8>)>,
    /// What belongs to no session.
    pub notices: Vec<Notice>,
}

/// One process of an agent.
#[derive(Debug, Default)]
pub struct Connection {
    opened: u64,
    open: BTreeSet<Channel>,
    sent: u64,
    pending: BTreeMap<u64, Pending>,
    sessions: BTreeMap<String, Channel>,
    /// Sessions that the agent was told to close, by the request.
    closing: BTreeMap<u64, Closing>,
    /// The agent's requests that wait for an answer, by their ids as JSON.
    asked: BTreeMap<String, Channel>,
    greeting: Greeting,
    early: Vec<(String, Vec<u8>)>,
}

/// A request to the process.
#[derive(Debug)]
struct Pending {
    channel: Channel,
    /// The session's own id of it.
    id: Value,
    purpose: Purpose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Initialize,
    OpenSession,
    /// Its session is bound to the channel already.
    ResumeSession,
    Other,
}

/// A session that the agent has not closed yet. Some refuse to go on with it until then.
#[derive(Debug)]
struct Closing {
    session: String,
    /// Requests to go on with it.
    waiting: Vec<(Channel, Vec<u8>)>,
}

/// How far `initialize` is, which a process hears once.
#[derive(Debug, Default)]
enum Greeting {
    #[default]
    NotSaid,
    /// These wait for the answer to the first.
    Said(Vec<(Channel, Value)>),
    /// The response, whose id is put in its place.
    Answered(Vec<u8>),
}

impl Connection {
    /// Makes room for one more session.
    pub fn open(&mut self) -> Channel {
        self.opened += 1;
        let channel = Channel(self.opened);
        self.open.insert(channel);
        channel
    }

    /// A session is over: what it runs is stopped, and what the agent asked of it is not waited for.
    pub fn close(&mut self, channel: Channel, out: &mut Routed) {
        if !self.open.remove(&channel) {
            return;
        }
        for (id, _) in self.asked.extract_if(.., |_, asked| *asked == channel) {
            let id = serde_json::from_str(&id).unwrap_or_default();
            out.send(&rpc::refusal(&id, rpc::REQUEST_CANCELLED, "the session was closed"));
        }
        let bound: Vec<String> =
            self.sessions.extract_if(.., |_, bound| *bound == channel).map(|(session, _)| session).collect();
        for session in bound {
            out.send(&rpc::notification("session/cancel", &json!({ "sessionId": session })));
            self.close_session(session, out);
        }
    }

    /// Takes a frame of a session.
    pub fn hear_session(&mut self, channel: Channel, frame: &[u8], out: &mut Routed) {
        match Message::read(frame) {
            Some(Message::Request { id, method, .. }) if method == "initialize" => {
                self.greet(channel, id, frame, out);
            }
            Some(Message::Request { id, method, params }) => {
                let session = session_of(params);
                if let Some(closing) = self.closing(&method, session.as_deref()) {
                    return closing.waiting.push((channel, frame.to_vec()));
                }
                if let Some(why) = self.bind_before(channel, &method, session.as_deref()) {
                    return out.deliver(channel, &rpc::refusal(&id, rpc::INVALID_PARAMS, &why));
                }
                let purpose = match method.as_ref() {
                    "session/new" | "session/fork" => Purpose::OpenSession,
                    method if goes_on(method) => Purpose::ResumeSession,
                    _ => Purpose::Other,
                };
                self.forward(Pending { channel, id, purpose }, frame, out);
            }
            Some(Message::Response { id, .. }) => {
                self.asked.remove(&id.to_string());
                out.to_agent.push(frame.to_vec());
            }
            Some(Message::Notification { .. }) => out.to_agent.push(frame.to_vec()),
            None => out.unknown("unreadable frame of a session", frame),
        }
    }

    /// Takes a line of the process.
    pub fn hear_agent(&mut self, line: &[u8], out: &mut Routed) {
        if line.trim_ascii().is_empty() {
            return;
        }
        match Message::read(line) {
            Some(Message::Response { id, answer }) => {
                if let Some(closing) = id.as_u64().and_then(|id| self.closing.remove(&id)) {
                    return self.closed(closing, out);
                }
                let pending = id.as_u64().and_then(|id| self.pending.remove(&id));
                let Some(pending) = pending else { return out.unknown("response to no request", line) };
                if pending.purpose == Purpose::ResumeSession && answer.is_err() {
                    self.sessions.retain(|_, channel| *channel != pending.channel);
                }
                self.answered(pending, answer.ok().flatten(), line, out);
            }
            Some(Message::Request { id, method, params }) => match session_of(params) {
                Some(session) => self.ask(&id, &session, line, out),
                None => {
                    out.unknown(&method, line);
                    let why = "this client does not support the method";
                    out.send(&rpc::refusal(&id, rpc::METHOD_NOT_FOUND, why));
                }
            },
            Some(Message::Notification { method, params }) => {
                let asked = || rpc::read::<Map<String, Value>>(params).get("requestId").map(Value::to_string);
                let withdrawn = if method == "$/cancel_request" { asked() } else { None };
                match (withdrawn.and_then(|id| self.asked.get(&id)), session_of(params)) {
                    (Some(channel), _) => out.to_sessions.push((*channel, line.to_vec())),
                    (None, Some(session)) => self.tell(session, line, out),
                    (None, None) if rpc::is_extension(&method) => {}
                    (None, None) => out.unknown(&method, line),
                }
            }
            None => out.unknown("unreadable", line),
        }
    }

    fn greet(&mut self, channel: Channel, id: Value, frame: &[u8], out: &mut Routed) {
        match &mut self.greeting {
            Greeting::NotSaid => {
                self.greeting = Greeting::Said(Vec::new());
                self.forward(Pending { channel, id, purpose: Purpose::Initialize }, frame, out);
            }
            Greeting::Said(waiting) => waiting.push((channel, id)),
            Greeting::Answered(response) => out.deliver_with_id(channel, &id, response),
        }
    }

    /// A session that is gone on with is known before its response: what was comes first. Gives why it may not be.
    fn bind_before(&mut self, channel: Channel, method: &str, session: Option<&str>) -> Option<String> {
        let session = session.filter(|_| goes_on(method))?;
        match self.sessions.get(session) {
            Some(bound) if *bound != channel => Some(format!("the session {session} is open already")),
            Some(_) | None => {
                self.sessions.insert(session.to_owned(), channel);
                None
            }
        }
    }

    /// What this request would go on with, if it is not closed yet.
    fn closing(&mut self, method: &str, session: Option<&str>) -> Option<&mut Closing> {
        let session = session.filter(|_| goes_on(method))?;
        self.closing.values_mut().find(|closing| closing.session == session)
    }

    fn closed(&mut self, closing: Closing, out: &mut Routed) {
        for (channel, frame) in closing.waiting {
            if self.open.contains(&channel) {
                self.hear_session(channel, &frame, out);
            }
        }
    }

    fn forward(&mut self, pending: Pending, frame: &[u8], out: &mut Routed) {
        self.sent += 1;
        out.to_agent.extend(rpc::with_id(frame, &Value::from(self.sent)));
        self.pending.insert(self.sent, pending);
    }

    fn answered(&mut self, pending: Pending, result: Option<&RawValue>, line: &[u8], out: &mut Routed) {
        let Pending { channel, id, purpose } = pending;
        match purpose {
            Purpose::Initialize => {
                let before = std::mem::replace(&mut self.greeting, Greeting::Answered(line.to_vec()));
                let waiting = if let Greeting::Said(waiting) = before { waiting } else { Vec::new() };
                for (channel, id) in waiting.into_iter().filter(|(channel, _)| self.open.contains(channel)) {
                    out.deliver_with_id(channel, &id, line);
                }
            }
            Purpose::OpenSession | Purpose::ResumeSession | Purpose::Other => {}
        }
        let session = session_of(result).filter(|_| purpose == Purpose::OpenSession);
        if !self.open.contains(&channel) {
            return session.into_iter().for_each(|session| self.close_session(session, out));
        }
        out.deliver_with_id(channel, &id, line);
        if let Some(session) = session {
            let early = self.early.extract_if(.., |(of, _)| *of == session);
            out.to_sessions.extend(early.map(|(_, line)| (channel, line)));
            self.sessions.insert(session, channel);
        }
    }

    fn ask(&mut self, id: &Value, session: &str, line: &[u8], out: &mut Routed) {
        if let Some(channel) = self.sessions.get(session) {
            self.asked.insert(id.to_string(), *channel);
            return out.to_sessions.push((*channel, line.to_vec()));
        }
        out.unknown("request for no session", line);
        out.send(&rpc::refusal(id, rpc::INVALID_PARAMS, "no such session"));
    }

    fn tell(&mut self, session: String, line: &[u8], out: &mut Routed) {
        if let Some(channel) = self.sessions.get(&session) {
            return out.to_sessions.push((*channel, line.to_vec()));
        }
        let is_opening = self.pending.values().any(|pending| pending.purpose == Purpose::OpenSession);
        if is_opening && self.early.len() < EARLY_KEPT {
            return self.early.push((session, line.to_vec()));
        }
        out.unknown("message for no session", line);
    }

    /// Frees what the agent holds for a session, if it can.
    fn close_session(&mut self, session: String, out: &mut Routed) {
        let Greeting::Answered(response) = &self.greeting else { return };
        if !can_close(response) {
            return;
        }
        self.sent += 1;
        out.send(&rpc::request(self.sent, "session/close", &json!({ "sessionId": session })));
        self.closing.insert(self.sent, Closing { session, waiting: Vec::new() });
    }
}

impl Routed {
    /// Forgets everything, once it is passed on.
    pub fn clear(&mut self) {
        self.to_agent.clear();
        self.to_sessions.clear();
        self.notices.clear();
    }

    fn send(&mut self, message: &Value) {
        self.to_agent.push(message.to_string().into_bytes());
    }

    fn deliver(&mut self, channel: Channel, message: &Value) {
        self.to_sessions.push((channel, message.to_string().into_bytes()));
    }

    fn deliver_with_id(&mut self, channel: Channel, id: &Value, line: &[u8]) {
        self.to_sessions.extend(rpc::with_id(line, id).map(|line| (channel, line)));
    }

    fn unknown(&mut self, kind: &str, line: &[u8]) {
        self.notices.push(Notice::unknown(kind, line));
    }
}

fn goes_on(method: &str) -> bool {
    matches!(method, "session/load" | "session/resume")
}

fn session_of(fields: Option<&RawValue>) -> Option<String> {
    #[derive(Default, Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    struct Fields {
        session_id: Option<String>,
    }
    rpc::read::<Fields>(fields).session_id
}

fn can_close(response: &[u8]) -> bool {
    let response: Map<String, Value> = serde_json::from_slice(response).unwrap_or_default();
    let abilities = object(&response, "result").and_then(|result| object(result, "agentCapabilities"));
    let of_sessions = abilities.and_then(|abilities| object(abilities, "sessionCapabilities"));
    of_sessions.is_some_and(|of_sessions| of_sessions.contains_key("close"))
}
