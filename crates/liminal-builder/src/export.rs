//! A whole conversation as a file. Owns how it reads on paper and how programs read it.

mod markdown;

use liminal_core::upsert::{TurnEvent, Upsert};
use liminal_core::wire::rest::SessionStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::log::{Entry, Kind};

/// The forms there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "ExportFormat")]
pub enum Format {
    /// For people.
    #[default]
    #[serde(rename = "md")]
    Markdown,
    /// One document.
    #[serde(rename = "json")]
    Json,
    /// One output a line, in order.
    #[serde(rename = "jsonl")]
    Lines,
}

impl Format {
    /// What browsers call the forms that are not one document.
    pub const TEXTS: &[&str] = &["text/markdown", "application/x-ndjson"];

    /// How files of it are named.
    #[must_use]
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Json => "json",
            Self::Lines => "jsonl",
        }
    }

    /// What browsers call it.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Json => "application/json",
            Self::Lines => "application/x-ndjson",
        }
    }
}

/// Writes a conversation; entries come in the order in which people saw them.
#[must_use]
pub fn write(format: Format, status: &SessionStatus, entries: &[Entry]) -> String {
    match format {
        Format::Markdown => markdown::write(status, entries),
        Format::Json => json(status, entries),
        Format::Lines => lines(entries),
    }
}

/// A conversation as one document.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ExportedSession")]
pub struct Document<'a> {
    /// What the session is and does.
    session: &'a SessionStatus,
    /// The latest state of each item, in the order in which they first appeared.
    #[schemars(with = "Vec<Upsert>")]
    entries: Vec<&'a RawValue>,
    /// The milestones of the turns.
    #[schemars(with = "Vec<TurnEvent>")]
    turns: Vec<&'a RawValue>,
}

fn json(session: &SessionStatus, entries: &[Entry]) -> String {
    let of = |kind: Kind| {
        let entries = entries.iter().filter(move |entry| entry.kind() == kind);
        entries.filter_map(|entry| serde_json::from_slice(&entry.bytes).ok()).collect()
    };
    let document = Document { session, entries: of(Kind::Upsert), turns: of(Kind::Turn) };
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

fn lines(entries: &[Entry]) -> String {
    entries.iter().map(|entry| format!("{}\n", String::from_utf8_lossy(&entry.bytes))).collect()
}

/// An entry as what it is.
enum Said {
    Item(Box<Upsert>),
    Turn(TurnEvent),
}

fn said(entry: &Entry) -> Option<Said> {
    match entry.kind() {
        Kind::Upsert => serde_json::from_slice(&entry.bytes).ok().map(Said::Item),
        Kind::Turn => serde_json::from_slice(&entry.bytes).ok().map(Said::Turn),
    }
}
