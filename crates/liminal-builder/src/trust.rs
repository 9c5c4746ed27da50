//! What a project brings that runs, or that changes what an agent does. Owns looking for it; whether the user trusts it is
//! asked and stored elsewhere.
//!
//! Only what agents read by themselves is looked at. Programs that a hook starts may lie in the project too; they are not
//! looked into, so trusting a hook is trusting everyone who may change the project.

mod describe;
mod gathered;
mod git;
mod json;
mod looking;
mod markdown;
mod places;
mod reach;
mod reading;
mod variables;

use std::collections::BTreeMap;
use std::path::Path;

use liminal_core::wire::projects::Finding;

use gathered::Gathered;
use places::Reader;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// For people.
    pub findings: Vec<Finding>,
    /// Changes when any of it does, and not when anything else changes.
    pub hash: String,
    /// The same for what each agent reads.
    hashes: BTreeMap<&'static str, String>,
    /// Whether git would start programs of the repository.
    pub has_git_programs: bool,
}

impl Scan {
    /// What an agent of this type would read.
    #[must_use]
    pub fn concerning(&self, cli_type: &str) -> Vec<&Finding> {
        let readers = Reader::of(cli_type);
        let is_read = |finding: &&Finding| {
            readers.iter().any(|reader| finding.agents.iter().any(|agent| agent == reader.name()))
        };
        self.findings.iter().filter(is_read).collect()
    }

    /// What a decision is stored with: it holds for an agent as long as what that agent reads stays the same.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let parts = self.hashes.iter().map(|(reader, hash)| format!("{reader}={hash}"));
        parts.collect::<Vec<_>>().join(" ")
    }

    /// Whether a decision with this fingerprint holds for an agent of this type.
    #[must_use]
    pub fn is_decided(&self, fingerprint: &str, cli_type: &str) -> bool {
        let stored: BTreeMap<&str, &str> =
            fingerprint.split(' ').filter_map(|part| part.split_once('=')).collect();
        let is_same = |reader: &Reader| {
            let hash = self.hashes.get(reader.name()).map(String::as_str);
            stored.get(reader.name()).copied() == hash
        };
        !stored.is_empty() && Reader::of(cli_type).iter().all(is_same)
    }
}

/// Looks at a directory inside a project, and at those above it as far as agents do. What lies in the user's home itself
/// is the user's own. It blocks while it looks.
#[must_use]
pub fn scan(project: &Path, directory: &Path, home: Option<&Path>) -> Scan {
    let mut gathered = Gathered::default();
    for folder in reach::folders(project, directory, home) {
        looking::look(&folder, &mut gathered);
    }
    gathered.finish()
}

/// Every path that is looked at, below a directory that an agent looks into, and the agents that read it. Agents without
/// a table of their own are called `other`; whatever any agent reads applies to them too.
pub fn places() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    places::all().map(|(path, readers)| (path, readers.iter().map(|reader| reader.name()).collect()))
}

#[cfg(test)]
mod tests;
