//! One entry. Owns its form on disk and the words in it.

use std::borrow::Cow;
use std::net::IpAddr;

use jiff::Timestamp;
use serde::Serialize;

use crate::redaction::{escape_controls, redact};

/// Longer targets are cut: they come from clients.
const LONGEST_TARGET: usize = 512;

/// Who acted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A program with the token.
    Token,
    /// A browser, by the beginning of its session's hash.
    Browser(String),
    /// Somebody without credentials.
    Anonymous,
    /// An agent, by itself.
    Agent,
}

impl Actor {
    fn word(&self) -> Cow<'static, str> {
        match self {
            Self::Token => "token".into(),
            Self::Browser(hash) => format!("browser:{}", hash.chars().take(8).collect::<String>()).into(),
            Self::Anonymous => "anonymous".into(),
            Self::Agent => "agent".into(),
        }
    }
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// A browser was let in.
    Auth,
    /// A session was made.
    Create,
    /// A session was gone on with.
    Load,
    /// An agent was told something.
    Send,
    /// An agent was allowed or denied something.
    Permission,
    /// A turn was stopped, or a message that waited for one.
    Cancel,
    /// An agent was ended.
    Kill,
    /// A session was removed.
    Delete,
    /// A session was set differently.
    Configure,
    /// An agent stopped asking before it acts.
    Bypass,
    /// A project was trusted or not.
    Trust,
    /// A project was added or removed.
    Project,
    /// All credentials were replaced.
    Rotate,
    /// A request was turned away.
    Rejected,
}

/// Something that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Who did it.
    pub actor: Actor,
    /// From where.
    pub address: Option<IpAddr>,
    /// What it was.
    pub action: Action,
    /// What it was done to: a session, a project, a path.
    pub target: Option<String>,
    /// `ok`, or the code of what went wrong.
    pub outcome: Cow<'static, str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    time: String,
    actor: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<IpAddr>,
    action: Action,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
    outcome: &'a str,
}

impl Entry {
    /// The entry as a line, with its end.
    pub(super) fn line(&self, time: Timestamp) -> String {
        let target: Option<String> =
            self.target.as_ref().map(|target| target.chars().take(LONGEST_TARGET).collect());
        let line = Line {
            time: time.to_string(),
            actor: &self.actor.word(),
            address: self.address.map(|address| address.to_canonical()),
            action: self.action,
            target: target.as_deref(),
            outcome: &self.outcome,
        };
        // Texts and numbers always have a JSON form.
        let text = serde_json::to_string(&line).unwrap_or_default();
        format!("{}\n", escape_controls(&redact(&text)))
    }
}
