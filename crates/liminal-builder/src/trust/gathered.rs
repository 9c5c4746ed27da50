//! Findings as they are found. Owns their number and length, and the hashes over them.

use std::collections::{BTreeMap, BTreeSet};

use liminal_core::wire::projects::{Finding, FindingKind};
use sha2::{Digest, Sha256};

use super::Scan;
use super::places::Reader;
use crate::redaction::{escape_controls, redact};

/// A person reads it.
pub(super) const LONGEST_DETAIL: usize = 400;
/// Of a project that brings more, only these are shown, and one more finding says so.
pub(super) const MOST_FINDINGS: usize = 200;

/// What has been found so far.
#[derive(Debug)]
pub(super) struct Gathered {
    findings: Vec<Finding>,
    left_out: usize,
    readers_left_out: BTreeSet<&'static str>,
    hashes: BTreeMap<&'static str, Sha256>,
    has_git_programs: bool,
}

impl Default for Gathered {
    fn default() -> Self {
        let hashes = Reader::ALL.iter().map(|reader| (reader.name(), Sha256::new())).collect();
        Self {
            findings: Vec::new(),
            left_out: 0,
            readers_left_out: BTreeSet::new(),
            hashes,
            has_git_programs: false,
        }
    }
}

impl Gathered {
    /// `whole` is all that must not change unnoticed; a person sees `detail`.
    pub(super) fn add(
        &mut self,
        readers: &[Reader],
        path: &str,
        kind: FindingKind,
        detail: &str,
        whole: &[u8],
    ) {
        self.has_git_programs |= readers == Reader::ALL;
        for reader in readers {
            let Some(hash) = self.hashes.get_mut(reader.name()) else { continue };
            for part in [path.as_bytes(), kind.as_str().as_bytes(), whole] {
                hash.update((part.len() as u64).to_le_bytes());
                hash.update(part);
            }
        }
        let path = escape_controls(path).into_owned();
        let detail = short(&escape_controls(&redact(detail)));
        let agents = readers.iter().map(|reader| reader.name().to_owned()).collect();
        self.show(Finding { path, kind, detail, agents });
    }

    /// Several agents may read the same file.
    fn show(&mut self, finding: Finding) {
        let is_same = |shown: &&mut Finding| {
            (&shown.path, shown.kind, &shown.detail) == (&finding.path, finding.kind, &finding.detail)
        };
        if let Some(shown) = self.findings.iter_mut().find(is_same) {
            shown.agents.extend(finding.agents);
            shown.agents.dedup();
            return;
        }
        if self.findings.len() < MOST_FINDINGS {
            return self.findings.push(finding);
        }
        self.left_out += 1;
        let names = Reader::ALL.iter().map(|reader| reader.name());
        self.readers_left_out.extend(names.filter(|name| finding.agents.iter().any(|agent| agent == name)));
    }

    pub(super) fn finish(mut self) -> Scan {
        if self.left_out > 0 {
            let detail = format!("{} more are not shown; look at the files themselves", self.left_out);
            let (path, kind) = (String::new(), FindingKind::Unreadable);
            let agents = self.readers_left_out.iter().map(|name| (*name).to_owned()).collect();
            self.findings.push(Finding { path, kind, detail, agents });
        }
        let hashes: BTreeMap<&'static str, String> =
            self.hashes.into_iter().map(|(reader, hash)| (reader, hex(hash))).collect();
        let mut all = Sha256::new();
        hashes.values().for_each(|hash| all.update(hash));
        let (findings, has_git_programs) = (self.findings, self.has_git_programs);
        Scan { findings, hash: hex(all), hashes, has_git_programs }
    }
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn short(text: &str) -> String {
    if text.chars().count() <= LONGEST_DETAIL {
        return text.to_owned();
    }
    text.chars().take(LONGEST_DETAIL).chain(['…']).collect()
}
