//! Where agents look for configuration by themselves. Owns the tables, one per agent, and which agent reads which;
//! how a file is looked at is [`looking`](super::looking)'s business.
//!
//! The tables follow what the programs open when they are traced, what their bundles name and what their documentation
//! says. They err on the side of asking: a setting is a finding unless it is known to be harmless.

mod claude_code;
mod codex;
mod gemini;
mod git;
mod opencode;
mod others;

use liminal_core::wire::projects::FindingKind;

use crate::provider::model_api::Vendor;
use crate::provider::{acp, claude_code as claude};

/// An agent with a table of its own, or any other agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reader {
    ClaudeCode,
    Codex,
    Gemini,
    Opencode,
    Other,
}

impl Reader {
    pub(super) const ALL: [Self; 5] =
        [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::Opencode, Self::Other];

    /// The CLI type, or a word for all others.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => claude::CLI_TYPE,
            Self::Codex => acp::CODEX,
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Other => "other",
        }
    }

    /// The tables that apply to an agent. What an unknown agent reads is not known, so all of them do.
    pub(super) fn of(cli_type: &str) -> &'static [Self] {
        // A model's API is no program: nothing of it runs on this machine.
        if Vendor::named(cli_type).is_some() {
            return &[];
        }
        match Self::ALL.iter().position(|reader| reader.name() == cli_type) {
            Some(at) if Self::ALL.get(at) != Some(&Self::Other) => Self::ALL.get(at..=at).unwrap_or_default(),
            Some(_) | None => &Self::ALL,
        }
    }
}

/// What some agents read.
pub(super) struct Table {
    pub(super) readers: &'static [Reader],
    pub(super) places: &'static [Place],
}

/// A file or a directory, below a directory that an agent looks into.
pub(super) struct Place {
    pub(super) path: &'static str,
    pub(super) reach: Reach,
    pub(super) form: Form,
}

/// In which directories above the session's own an agent looks, too. The user's home is never among them: what lies
/// there is the user's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Up to the root of the repository; outside of one, up to the project.
    Repository,
    /// Up to the root of the repository; outside of one, up to the root of the file system.
    RepositoryOrRoot,
    /// Up to the root of the file system.
    Root,
}

/// How a file is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// JSON or TOML, by its ending. Each rule is a finding if its setting is there; so is every other setting that is not
    /// known to be harmless.
    Settings { rules: &'static [Rule], harmless: &'static [&'static str] },
    /// Markdown: prompts, whose heads can allow or run something, and which can contain commands.
    Heads,
    /// A file as a whole, or every file below a directory.
    Whole { kind: FindingKind, only: Only },
    /// Variables of an environment, one per line.
    Variables,
    /// A directory of git's.
    Git,
}

/// A setting, as a JSON pointer, and what it is.
pub(super) type Rule = (&'static str, FindingKind);

/// Which files below a directory count.
#[derive(Debug, Clone, Copy)]
pub(super) enum Only {
    /// Files with one of these endings.
    Endings(&'static [&'static str]),
    /// All but those with these endings or below directories with these names.
    Not { endings: &'static [&'static str], names: &'static [&'static str] },
}

impl Only {
    const ALL: Self = Self::Not { endings: &[], names: &[] };
    const NO_PROMPTS: Self = Self::Not { endings: &["md"], names: &[] };
}

impl Place {
    const fn new(path: &'static str, reach: Reach, form: Form) -> Self {
        Self { path, reach, form }
    }

    const fn whole(path: &'static str, reach: Reach, kind: FindingKind, only: Only) -> Self {
        Self { path, reach, form: Form::Whole { kind, only } }
    }
}

/// All tables.
pub(super) const TABLES: [&Table; 6] =
    [&claude_code::TABLE, &codex::TABLE, &gemini::TABLE, &opencode::TABLE, &others::TABLE, &git::TABLE];

/// Every place with those who read it.
pub(super) fn all() -> impl Iterator<Item = (&'static str, &'static [Reader])> {
    TABLES.iter().flat_map(|table| table.places.iter().map(|place| (place.path, table.readers)))
}
