//! A name that the user gave a session. Owns the shape of such a line, which lies in a file of its own.

use serde::Deserialize;

use crate::dialect::one_line::one_line;

/// Which session is called what, from one line of Codex's list of names; the last line of a session counts.
#[derive(Debug, PartialEq, Eq)]
pub struct Rename {
    /// The session.
    pub id: String,
    /// What it is called, as one short line. Nothing: by its first prompt, again.
    pub title: Option<String>,
}

#[derive(Deserialize)]
struct Line {
    id: String,
    thread_name: String,
}

impl Rename {
    /// Reads a line; `None` is a line to be skipped.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let Line { id, thread_name } = serde_json::from_slice(bytes).ok()?;
        let title = Some(one_line(&thread_name)).filter(|title| !title.is_empty());
        Some(Self { id, title })
    }
}
