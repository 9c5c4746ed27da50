//! What a list of sessions shows of one, from the first and the last few lines of its file. Owns which lines tell
//! it; how many bytes are read is the caller's business.

use std::collections::HashSet;

use super::content::{Block, blocks, texts};
use super::line::Line;
use super::title::Titles;
use super::user_text::{UserText, classify};
use crate::time::Timestamp;

/// A session in a few words.
#[derive(Debug, Default)]
pub struct Outline {
    titles: Titles,
    seen: HashSet<String>,
    cwd: Option<String>,
    model: Option<String>,
    last_activity: Option<Timestamp>,
    has_messages: bool,
}

/// Lines of names begin so; those of messages may be long and are not worth reading for names.
const NAMES_BEGIN: &[u8] = b"{\"type\":\"";

impl Outline {
    /// Takes one of the first lines, in order.
    pub fn push_head_line(&mut self, bytes: &[u8]) {
        let Some(line) = Line::read(bytes) else { return };
        self.observe(&line);
        if self.cwd.is_none() {
            self.cwd = line.text("cwd").map(str::to_owned);
        }
        if line.kind() == "user" && !line.flag("isSidechain") && !line.flag("isMeta") {
            self.prompt(&line);
        }
    }

    /// Whether more of the first lines would tell nothing new.
    #[must_use]
    pub fn has_head(&self) -> bool {
        self.cwd.is_some() && self.titles.has_prompt()
    }

    /// Takes the last lines, in order.
    pub fn push_tail(&mut self, lines: &[&[u8]]) {
        for bytes in lines.iter().filter(|bytes| bytes.starts_with(NAMES_BEGIN)) {
            if let Some(line) = Line::read(bytes) {
                self.observe(&line);
            }
        }
        let mut tail = Tail::default();
        for bytes in lines.iter().rev() {
            if tail.is_full() {
                break;
            }
            if let Some(line) = Line::read(bytes) {
                tail.observe(&line);
                self.observe(&line);
            }
        }
        self.last_activity = tail.last_activity.or(self.last_activity);
        self.model = tail.model.or_else(|| self.model.take());
    }

    /// What the session is called.
    #[must_use]
    pub fn title(&self) -> Option<String> {
        self.titles.best(|uuid| self.seen.contains(uuid))
    }

    /// The first prompt, as one short line.
    #[must_use]
    pub fn first_prompt(&self) -> Option<String> {
        self.titles.first_prompt()
    }

    /// The directory that the session began in.
    #[must_use]
    pub fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref()
    }

    /// The model that answered last.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// When the last line was written.
    #[must_use]
    pub const fn last_activity(&self) -> Option<Timestamp> {
        self.last_activity
    }

    /// Whether anybody said anything: some files hold names only, or only what a sub-agent did.
    #[must_use]
    pub const fn has_messages(&self) -> bool {
        self.has_messages
    }

    fn observe(&mut self, line: &Line) {
        if let Some(uuid) = line.text("uuid") {
            self.seen.insert(uuid.to_owned());
        }
        if self.titles.observe(line) || line.flag("isSidechain") {
            return;
        }
        self.has_messages |= matches!(line.kind(), "user" | "assistant");
        self.last_activity = line.timestamp().or(self.last_activity);
        self.model = line.model().map(str::to_owned).or_else(|| self.model.take());
    }

    fn prompt(&mut self, line: &Line) {
        let blocks = blocks(line.content());
        let is_result = blocks.iter().any(|block| matches!(block, Block::Result(_)));
        if is_result || line.flag("isCompactSummary") {
            return;
        }
        let is_shown = |text: &&str| classify(text) != UserText::Context;
        let text = texts(&blocks).into_iter().filter(is_shown).collect::<Vec<_>>().join("\n");
        if classify(&text) == UserText::Prompt {
            self.titles.prompt(&text);
        }
    }
}

/// What only the newest lines tell.
#[derive(Debug, Default)]
struct Tail {
    last_activity: Option<Timestamp>,
    model: Option<String>,
}

impl Tail {
    fn observe(&mut self, line: &Line) {
        self.last_activity = self.last_activity.or_else(|| line.timestamp());
        if self.model.is_none() && !line.flag("isSidechain") {
            self.model = line.model().map(str::to_owned);
        }
    }

    const fn is_full(&self) -> bool {
        self.last_activity.is_some() && self.model.is_some()
    }
}
