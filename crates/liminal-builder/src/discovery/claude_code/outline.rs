//! What a list shows of a session of Claude Code. Owns which files are listed, and how an outline becomes a summary.

use std::path::Path;

use liminal_core::dialect::claude::history::Outline;

use super::super::files::{self, Stamp};
use super::super::{SessionSummary, last_activity};

impl files::Outline for Outline {
    fn push_head_line(&mut self, bytes: &[u8]) {
        self.push_head_line(bytes);
    }

    fn has_head(&self) -> bool {
        self.has_head()
    }

    fn push_tail(&mut self, lines: &[&[u8]]) {
        self.push_tail(lines);
    }
}

/// Whether the session began in this directory. Different directories can share a name; a file that does not tell is
/// taken at its name.
pub(super) fn is_in(outline: &Outline, project: &Path) -> bool {
    outline.cwd().is_none_or(|cwd| Path::new(cwd) == project)
}

/// The session as it is listed; `None` if nobody said anything in it.
pub(super) fn summary(id: &str, stamp: &Stamp, outline: &Outline) -> Option<SessionSummary> {
    if stamp.is_read_whole() && !outline.has_messages() {
        return None;
    }
    Some(SessionSummary {
        id: id.to_owned(),
        title: outline.title(),
        first_prompt: outline.first_prompt(),
        model: outline.model().map(str::to_owned),
        model_provider: None,
        last_activity: last_activity(outline.last_activity(), stamp),
        bytes: stamp.bytes(),
        is_archived: false,
    })
}
