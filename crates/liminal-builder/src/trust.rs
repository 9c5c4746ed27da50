//! What a project brings that runs, or that changes what an agent does. Owns looking for it, and what can be done about
//! it for each kind of agent; whether somebody trusts it is asked and kept elsewhere.
//!
//! Only what agents read by themselves is looked at. Programs that a hook starts may lie in the project too; what they
//! contain is not, so trusting a hook is trusting whoever may change the project.

mod describe;
mod json;
mod markdown;
mod places;
mod reading;

use std::path::{Path, PathBuf};

use liminal_core::wire::projects::{Finding, FindingKind};
use sha2::{Digest, Sha256};

use crate::redaction::{escape_controls, redact};

/// A person reads it.
const LONGEST_DETAIL: usize = 400;
/// A project that brings more is told of in part, and one more finding says so.
const MOST_FINDINGS: usize = 200;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// For people.
    pub findings: Vec<Finding>,
    /// Changes when any of it does, and not when anything else changes.
    pub hash: String,
}

/// What can be done about a project that is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restriction {
    /// The agent starts with the user's own settings alone.
    UserSettingsOnly,
    /// The agent cannot be kept from what the project brings: it must not start there.
    Impossible,
}

/// What can be done for an agent of this type.
///
/// Claude Code takes settings from the user alone if it is told so. Codex would leave out the `.codex` of a project that it
/// does not trust, but its adapter declares every project trusted, whatever Codex's own configuration says. Of other
/// agents nothing of the kind is known.
#[must_use]
pub fn restriction(cli_type: &str) -> Restriction {
    if cli_type == crate::provider::claude_code::CLI_TYPE {
        Restriction::UserSettingsOnly
    } else {
        Restriction::Impossible
    }
}

/// Looks at a directory inside a project, and at those above it up to the project and the repository it is in, because
/// agents do so too. It blocks while it looks.
#[must_use]
pub fn scan(project: &Path, directory: &Path) -> Scan {
    let mut gathered = Gathered::default();
    for folder in folders(project, directory) {
        places::look(&folder, &shown(project, &folder), &mut gathered);
    }
    gathered.finish()
}

/// From the outermost inwards.
fn folders(project: &Path, directory: &Path) -> Vec<PathBuf> {
    let is_repository = |folder: &&Path| folder.join(".git").exists();
    let outermost = directory.ancestors().find(is_repository).unwrap_or(project);
    let outermost = if project.starts_with(outermost) { outermost } else { project };
    let all = directory.ancestors().take_while(|folder| folder.starts_with(outermost));
    let mut folders: Vec<PathBuf> = all.map(Path::to_owned).collect();
    folders.reverse();
    folders
}

/// A directory as seen from the project, with a slash at its end.
fn shown(project: &Path, folder: &Path) -> String {
    if let Ok(inner) = folder.strip_prefix(project) {
        let inner = inner.display().to_string();
        return if inner.is_empty() { inner } else { format!("{inner}/") };
    }
    let above = project.ancestors().take_while(|ancestor| *ancestor != folder).count();
    "../".repeat(above)
}

/// What has been found so far.
#[derive(Debug, Default)]
struct Gathered {
    findings: Vec<Finding>,
    left_out: usize,
    hash: Sha256,
}

impl Gathered {
    /// `whole` is all that must not change unnoticed; a person sees `detail`.
    fn add(&mut self, path: &str, kind: FindingKind, detail: &str, whole: &[u8]) {
        for part in [path.as_bytes(), kind.as_str().as_bytes(), whole] {
            self.hash.update((part.len() as u64).to_le_bytes());
            self.hash.update(part);
        }
        if self.findings.len() == MOST_FINDINGS {
            self.left_out += 1;
            return;
        }
        let detail = short(&escape_controls(&redact(detail)));
        self.findings.push(Finding { path: path.to_owned(), kind, detail });
    }

    fn finish(mut self) -> Scan {
        if self.left_out > 0 {
            let detail = format!("{} more are not shown; look at the files themselves", self.left_out);
            let (path, kind) = (String::new(), FindingKind::Unreadable);
            self.findings.push(Finding { path, kind, detail });
        }
        let hash = self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Scan { findings: self.findings, hash }
    }
}

fn short(text: &str) -> String {
    if text.chars().count() <= LONGEST_DETAIL {
        return text.to_owned();
    }
    text.chars().take(LONGEST_DETAIL).chain(['…']).collect()
}

#[cfg(test)]
mod tests;
