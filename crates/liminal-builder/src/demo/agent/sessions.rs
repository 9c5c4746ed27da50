//! Sessions of the demo agent: how they are made, found again, listed and set. Owns what a session is opened with;
//! what happens in one is its turn's business.

use std::io;
use std::path::Path;

use serde_json::{Value, json};

use super::{Agent, Outbox, Reply, Session, text};
use crate::clock;
use crate::demo::rpc::{self, Refusal};
use crate::demo::settings::Settings;
use crate::demo::store::{Line, Listed};
use crate::demo::updates;

/// Sessions that are listed at once, so that clients see what real agents do.
const PAGE: usize = 25;

impl Agent {
    pub(super) fn new_session(&mut self, params: &Value) -> Reply {
        let cwd = directory(params)?;
        let id = clock::new_session_uuid();
        self.store.create(&id, &cwd).map_err(not_kept)?;
        Ok(Some(self.open(id, cwd, 0)))
    }

    /// Tells what was before, and then that the session is open.
    pub(super) fn load_session(&mut self, params: &Value, out: &mut Outbox) -> Reply {
        let (cwd, (id, lines)) = (directory(params)?, self.kept(params)?);
        for line in &lines {
            match line {
                Line::Opened { .. } => {}
                Line::Titled(title) => out.messages.push(rpc::update(&id, &updates::title(title))),
                Line::Told(update) => out.messages.push(rpc::update(&id, update)),
            }
        }
        Ok(Some(self.open(id, cwd, prompts(&lines))))
    }

    pub(super) fn resume_session(&mut self, params: &Value) -> Reply {
        let (cwd, (id, lines)) = (directory(params)?, self.kept(params)?);
        Ok(Some(self.open(id, cwd, prompts(&lines))))
    }

    pub(super) fn list_sessions(&self, params: &Value) -> Reply {
        let cwd = params.get("cwd").and_then(Value::as_str);
        let from: usize = match params.get("cursor").and_then(Value::as_str) {
            Some(cursor) => cursor.parse().map_err(|_| Refusal::invalid("cursor: give one that was told"))?,
            None => 0,
        };
        let all = self.store.list(cwd).map_err(not_kept)?;
        let page: Vec<Value> = all.iter().skip(from).take(PAGE).map(Listed::as_json).collect();
        let next = from.saturating_add(page.len());
        let cursor = (next < all.len()).then(|| next.to_string());
        Ok(Some(json!({ "sessions": page, "nextCursor": cursor })))
    }

    pub(super) fn close_session(&mut self, params: &Value, out: &mut Outbox) -> Reply {
        let id = self.session(params)?.0.to_owned();
        self.cancel(&id, out);
        self.sessions.remove(&id);
        Ok(Some(json!({})))
    }

    /// Takes a choice of the user. The answer has all options, because that is what the newest method promises.
    pub(super) fn choose(&mut self, params: &Value, option: &str, key: &str, out: &mut Outbox) -> Reply {
        let (id, session) = self.session(params)?;
        session.settings.choose(option, text(params, key))?;
        out.messages.push(rpc::update(id, &session.settings.update()));
        Ok(Some(json!({ "configOptions": session.settings.options() })))
    }

    /// Comes after the answer that opens a session, as clients expect it.
    pub(super) fn offer_commands(&self, out: &mut Outbox) {
        let opened = out.messages.last().and_then(|answer| answer.pointer("/result/sessionId"));
        if let Some(id) = opened.and_then(Value::as_str).map(str::to_owned) {
            out.messages.push(rpc::update(&id, &updates::commands()));
        }
    }

    fn kept(&self, params: &Value) -> Result<(String, Vec<Line>), Refusal> {
        let id = text(params, "sessionId");
        if self.sessions.get(id).is_some_and(|session| session.turn.is_some()) {
            return Err(Refusal::busy());
        }
        let lines = self.store.read(id).map_err(not_kept)?.ok_or_else(|| Refusal::unknown_session(id))?;
        Ok((id.to_owned(), lines))
    }

    fn open(&mut self, id: String, cwd: String, prompts: u64) -> Value {
        let settings = Settings::default();
        let mut answer = settings.opened();
        if let Value::Object(fields) = &mut answer {
            fields.insert("sessionId".to_owned(), Value::from(id.as_str()));
        }
        self.sessions.insert(id, Session { cwd, settings, prompts, used: 0, turn: None });
        answer
    }
}

fn directory(params: &Value) -> Result<String, Refusal> {
    let cwd = text(params, "cwd");
    let sound = Path::new(cwd).is_absolute().then(|| cwd.to_owned());
    sound.ok_or_else(|| Refusal::invalid("cwd: give an absolute path"))
}

fn prompts(lines: &[Line]) -> u64 {
    let is_prompt = |line: &&Line| match line {
        // Files of a prompt follow its words.
        Line::Told(update) => {
            text(update, "sessionUpdate") == "user_message_chunk"
                && update.pointer("/content/type").and_then(Value::as_str) == Some("text")
        }
        Line::Opened { .. } | Line::Titled(_) => false,
    };
    lines.iter().filter(is_prompt).count() as u64
}

#[expect(clippy::needless_pass_by_value, reason = "it maps the error of a result")]
pub(super) fn not_kept(error: io::Error) -> Refusal {
    Refusal::internal(format!("the demo agent cannot use its state directory: {error}"))
}
