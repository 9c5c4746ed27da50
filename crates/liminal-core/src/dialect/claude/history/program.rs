//! Lines in the user's place and lines of the program. Owns where a turn begins, and what is said in it by others than
//! the agent.

use serde_json::Value;

use super::HistoryReader;
use super::content::{Block, blocks, files, texts};
use super::line::Line;
use super::turn::{Ending, What};
use super::user_text::{UserText, classify, without_escapes};
use crate::event::{MessageItem, Origin};

const COMPACTED: &str = "conversation compacted";
/// System lines that tell people nothing.
const HIDDEN_SYSTEM: [&str; 5] =
    ["api_error", "away_summary", "microcompact_boundary", "stop_hook_summary", "turn_duration"];

impl HistoryReader {
    pub(super) fn user(&mut self, line: &Line) {
        let blocks = blocks(line.content());
        let has_results = self.results(line, &blocks);
        if line.flag("isMeta") {
            return;
        }
        let text = self.shown_text(&blocks);
        if line.flag("isCompactSummary") {
            return self.summary(line, text);
        }
        let said = MessageItem { content: text, origin: Origin::User, attachments: files(&blocks) };
        let text = &said.content;
        match classify(text) {
            UserText::Prompt if is_nothing(&said) => {}
            UserText::Prompt if has_results => self.add(line, What::Message(said)),
            UserText::Prompt => self.prompt(line, said),
            UserText::Summary => self.summary(line, said.content),
            UserText::Notice(note) => self.notified(line, &said.content, note),
            told @ (UserText::Command(_)
            | UserText::CommandOutput(_)
            | UserText::Interrupted
            | UserText::Context) => self.told(line, told),
        }
    }

    fn prompt(&mut self, line: &Line, said: MessageItem) {
        let name = said.attachments.first().map_or("", |file| file.name.as_str());
        self.titles.prompt(if said.content.trim().is_empty() { name } else { &said.content });
        self.begin(line);
        if let Some(turn) = self.turns.last_mut() {
            turn.asked = true;
        }
        self.add(line, What::Message(said));
    }

    /// Takes what the program wrote in the user's place.
    fn told(&mut self, line: &Line, told: UserText) {
        match told {
            UserText::Command(typed) => {
                self.begin(line);
                self.note(line, typed);
            }
            UserText::CommandOutput(text) | UserText::Notice(text) => self.note(line, text),
            UserText::Interrupted => {
                self.begin_answer();
                self.end(Ending::Cancelled);
            }
            UserText::Prompt | UserText::Summary | UserText::Context => {}
        }
    }

    /// Older versions wrote no mark of a compaction, only the summary.
    fn summary(&mut self, line: &Line, text: String) {
        if !self.is_compacted {
            self.note(line, COMPACTED.to_owned());
        }
        self.note(line, text);
    }

    pub(super) fn system(&mut self, line: &Line) {
        if line.flag("isMeta") {
            return;
        }
        let content = line.text("content").unwrap_or_default();
        match line.text("subtype").unwrap_or_default() {
            "compact_boundary" => self.note(line, COMPACTED.to_owned()),
            "local_command" => self.told(line, classify(content)),
            "informational" | "" => self.note(line, without_escapes(content)),
            subtype if HIDDEN_SYSTEM.contains(&subtype) => {}
            subtype => self.skipped.count(&format!("system/{subtype}")),
        }
    }

    /// Context for the model, but for one kind: what a person wrote while the agent was at work.
    pub(super) fn attachment(&mut self, line: &Line) {
        let Some(attachment) = line.value("attachment") else { return };
        if attachment.get("type").and_then(Value::as_str) != Some("queued_command") {
            return;
        }
        let blocks = blocks(attachment.get("prompt"));
        let content = self.shown_text(&blocks);
        let said = MessageItem { content, origin: Origin::User, attachments: files(&blocks) };
        match classify(&said.content) {
            UserText::Prompt if is_nothing(&said) => {}
            UserText::Prompt => self.add(line, What::Message(said)),
            UserText::Notice(note) => self.notified_at_work(line, attachment, &said.content, note),
            UserText::Command(_)
            | UserText::CommandOutput(_)
            | UserText::Summary
            | UserText::Interrupted
            | UserText::Context => {}
        }
    }

    /// What a person sees of a text, without what was added for the model.
    pub(super) fn shown_text(&mut self, blocks: &[Block<'_>]) -> String {
        for block in blocks {
            if let Block::Unknown(kind) = block {
                self.skipped.count(&format!("block/{kind}"));
            }
        }
        let is_shown = |text: &&str| classify(text) != UserText::Context;
        texts(blocks).into_iter().filter(is_shown).collect::<Vec<_>>().join("\n")
    }

    /// A word of the program, in the turn that is under way.
    pub(super) fn note(&mut self, line: &Line, text: String) {
        if !text.trim().is_empty() {
            self.add(line, What::message(Origin::System, text));
        }
    }
}

fn is_nothing(said: &MessageItem) -> bool {
    said.content.trim().is_empty() && said.attachments.is_empty()
}
