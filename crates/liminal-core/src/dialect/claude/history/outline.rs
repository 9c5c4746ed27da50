//! What a list of sessions shows of one, from the first and the last few lines of its file. Owns which lines tell
//! it; how many bytes are read is the caller's business.

use std::collections::HashSet;

use super::content::{Block, blocks, files, texts};
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
        if Line::is_request(bytes) {
            return;
        }
        let Some(line) = Line::read(bytes) else { return };
        self.titles.observe(&line);
        self.observe_message(&line);
        self.last_activity = line.timestamp().or(self.last_activity);
        self.model = line.model().map(str::to_owned).or_else(|| self.model.take());
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
        let lines: Vec<&[u8]> = lines.iter().copied().filter(|bytes| !Line::is_request(bytes)).collect();
        for bytes in lines.iter().filter(|bytes| bytes.starts_with(NAMES_BEGIN)) {
            if let Some(line) = Line::read(bytes) {
                self.titles.observe(&line);
            }
        }
        let mut newest = Newest::default();
        for line in lines.iter().rev().filter_map(|bytes| Line::read(bytes)) {
            self.observe_message(&line);
            newest.observe(&line);
            if newest.is_known() {
                break;
            }
        }
        self.last_activity = newest.last_activity.or(self.last_activity);
        self.model = newest.model.or_else(|| self.model.take());
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

    fn observe_message(&mut self, line: &Line) {
        if let Some(uuid) = line.text("uuid") {
            self.seen.insert(uuid.to_owned());
        }
        self.has_messages |= matches!(line.kind(), "user" | "assistant") && !line.flag("isSidechain");
    }

    fn prompt(&mut self, line: &Line) {
        let blocks = blocks(line.content());
        let is_result = blocks.iter().any(|block| matches!(block, Block::Result(_)));
        if is_result || line.flag("isCompactSummary") {
            return;
        }
        let is_shown = |text: &&str| classify(text) != UserText::Context;
        let text = texts(&blocks).into_iter().filter(is_shown).collect::<Vec<_>>().join("\n");
        let first = files(&blocks).into_iter().next();
        if text.trim().is_empty() {
            self.titles.prompt(&first.map(|file| file.name).unwrap_or_default());
        } else if classify(&text) == UserText::Prompt {
            self.titles.prompt(&text);
        }
    }
}

/// What the newest lines tell, which come first.
#[derive(Debug, Default)]
struct Newest {
    last_activity: Option<Timestamp>,
    model: Option<String>,
}

impl Newest {
    fn observe(&mut self, line: &Line) {
        self.last_activity = self.last_activity.or_else(|| line.timestamp());
        if self.model.is_none() && !line.flag("isSidechain") {
            self.model = line.model().map(str::to_owned);
        }
    }

    const fn is_known(&self) -> bool {
        self.last_activity.is_some() && self.model.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(head: &[&str], tail: &[&str]) -> Outline {
        let mut outline = Outline::default();
        head.iter().for_each(|line| outline.push_head_line(line.as_bytes()));
        outline.push_tail(&tail.iter().map(|line| line.as_bytes()).collect::<Vec<_>>());
        outline
    }

    #[test]
    fn the_head_tells_how_a_session_began() {
        let found = outline(
            &[
                r#"{"type":"queue-operation","operation":"enqueue","content":"not yet"}"#,
                r#"{"type":"user","isMeta":true,"cwd":"/a","message":{"content":"for the model"}}"#,
                r#"{"type":"user","cwd":"/b","message":{"content":"<command-name>/model</command-name>"}}"#,
                r#"{"type":"user","isSidechain":true,"message":{"content":"of a sub-agent"}}"#,
                r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1"},"steer"]}}"#,
                r#"{"type":"user","message":{"content":[{"type":"text","text":"fix it\nplease"}]}}"#,
            ],
            &[],
        );
        assert!(found.has_head() && found.has_messages());
        assert_eq!(found.first_prompt().as_deref(), Some("fix it"));
        assert_eq!(found.title().as_deref(), Some("fix it"));
        assert_eq!(found.cwd(), Some("/a"));
    }

    #[test]
    fn the_tail_tells_how_it_is_now() {
        let found = outline(
            &[
                r#"{"type":"custom-title","customTitle":"First"}"#,
                r#"{"type":"assistant","timestamp":"2026-01-01T00:00:00Z","message":{"model":"old"}}"#,
            ],
            &[
                r#"{"type":"custom-title","customTitle":"Second"}"#,
                r#"{"type":"custom-title","customTitle":"Third"}"#,
                r#"{"parentUuid":"a","type":"assistant","message":{"model":"new"}}"#,
                r#"{"type":"user","timestamp":"2026-01-01T00:00:02Z","message":{"content":"x"}}"#,
                r#"{"parentUuid":"b","type":"assistant","message":{"model":"<synthetic>"}}"#,
                r#"{"type":"mode","mode":"normal"}"#,
            ],
        );
        assert_eq!(found.title().as_deref(), Some("Third"));
        assert_eq!(found.model(), Some("new"));
        assert_eq!(found.last_activity().map(|at| at.to_string()).as_deref(), Some("2026-01-01T00:00:02Z"));
    }

    #[test]
    fn names_alone_are_no_conversation() {
        let lines = [
            r#"{"type":"summary","summary":"S","leafUuid":"x"}"#,
            r#"{"type":"assistant","isSidechain":true}"#,
        ];
        assert!(!outline(&lines, &lines).has_messages());
    }
}
