//! What a list shows of a session of Codex, from the first and the last few lines of its rollout file. Owns which
//! lines tell it; how many bytes are read, and where the files lie, is the caller's business.

mod directory;
mod line;
mod rename;
mod user_text;

use super::one_line::one_line;
use crate::time::Timestamp;
use line::{Line, Opening, Told};
pub use rename::Rename;

/// A session in a few words.
#[derive(Debug, Default)]
pub struct Outline {
    opening: Option<Opening>,
    /// The directory of a turn, in case the line that opens the session is too long to be read.
    turn_directory: Option<String>,
    model: Option<String>,
    /// The first prompt, as one short line: an outline is kept, and prompts may be long.
    prompt: Option<String>,
    /// A text in the user's place, in case no line tells which texts are prompts.
    candidate: Option<String>,
    has_messages: bool,
    is_answered: bool,
    last_activity: Option<Timestamp>,
}

impl Outline {
    /// Takes one of the first lines, in order.
    pub fn push_head_line(&mut self, bytes: &[u8]) {
        let Some(line) = Line::read(bytes) else { return };
        if line.told != Told::Settings {
            self.last_activity = line.timestamp.or(self.last_activity);
        }
        match line.told {
            // A session that was forked from another repeats the other's lines after its own.
            Told::Opening(opening) => self.opening = self.opening.take().or(Some(opening)),
            Told::Turn { directory, model } => self.turn(directory, model),
            Told::Prompt(text) => {
                self.has_messages = true;
                self.prompt = self.prompt.take().or_else(|| user_text::written(&text).map(one_line));
            }
            Told::UserText(text) => {
                self.candidate = self.candidate.take().or_else(|| user_text::prompt(&text).map(one_line));
            }
            Told::Answer => self.is_answered = true,
            Told::Settings | Told::Other => {}
        }
    }

    /// Whether more of the first lines would tell nothing new.
    #[must_use]
    pub const fn has_head(&self) -> bool {
        let has_prompt = self.prompt.is_some() || (self.candidate.is_some() && self.is_answered);
        self.opening.is_some() && has_prompt
    }

    /// Takes the last lines, in order.
    pub fn push_tail(&mut self, lines: &[&[u8]]) {
        let mut last_activity = None;
        for bytes in lines.iter().rev() {
            let is_turn = line::looks_like_turn(bytes);
            if last_activity.is_some() && !is_turn {
                continue;
            }
            let Some(line) = Line::read(bytes) else { continue };
            if line.told != Told::Settings {
                last_activity = last_activity.or(line.timestamp);
            }
            if let Told::Turn { directory, model: Some(model) } = line.told {
                self.turn(directory, Some(model));
                break;
            }
        }
        self.last_activity = last_activity.or(self.last_activity);
    }

    /// What the session is called where nobody gave it a name: Codex calls it by its first prompt.
    #[must_use]
    pub fn title(&self) -> Option<String> {
        self.first_prompt()
    }

    /// The first prompt, as one short line.
    #[must_use]
    pub fn first_prompt(&self) -> Option<String> {
        self.prompt.as_ref().or(self.candidate.as_ref()).cloned()
    }

    /// The directory that the session began in.
    #[must_use]
    pub fn cwd(&self) -> Option<&str> {
        let told = self.opening.as_ref().and_then(|opening| opening.directory.as_deref());
        told.or(self.turn_directory.as_deref())
    }

    /// The id that the file gives itself.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.opening.as_ref()?.id.as_deref()
    }

    /// The model that was asked last.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// Who serves the model, as Codex names it.
    #[must_use]
    pub fn model_provider(&self) -> Option<&str> {
        self.opening.as_ref()?.model_provider.as_deref()
    }

    /// When something was last said or done. That somebody opened the session is told in lines of its own, which do
    /// not count.
    #[must_use]
    pub const fn last_activity(&self) -> Option<Timestamp> {
        self.last_activity
    }

    /// Whether anybody said anything.
    #[must_use]
    pub const fn has_messages(&self) -> bool {
        self.has_messages || self.candidate.is_some() || self.is_answered
    }

    /// Whether Codex began it for itself: a sub-agent, or a reviewer of what another session asks for.
    #[must_use]
    pub fn is_internal(&self) -> bool {
        self.opening.as_ref().is_some_and(|opening| opening.is_internal)
    }

    fn turn(&mut self, directory: Option<String>, model: Option<String>) {
        self.turn_directory = self.turn_directory.take().or(directory);
        self.model = model.or_else(|| self.model.take());
    }
}

#[cfg(test)]
mod tests;
