//! The rules of this repository that no compiler checks, as tests. Each rule reads one file and says what is
//! wrong with it; each has a sample that passes and one that fails.

mod layers;
mod layout;
mod limits;
mod manifests;
mod paths;
mod wording;

use std::fs;

use crate::repository;

/// One text file of the repository.
struct Source {
    /// Relative to the root, with `/`.
    path: String,
    text: String,
}

/// Says what is wrong, once per place.
type Rule = fn(&Source) -> Vec<String>;

impl Source {
    fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    fn has_folder(&self, folder: &str) -> bool {
        self.path.split('/').rev().skip(1).any(|part| part == folder)
    }

    fn has_ending(&self, endings: &[&str]) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
    }

    fn is_fixture(&self) -> bool {
        self.has_folder("fixtures")
    }
}

/// Asserts that the whole repository keeps a rule.
fn holds(rule: Rule) {
    let mut findings = Vec::new();
    for path in repository::files().unwrap() {
        // Files that are not UTF-8 hold nothing a rule could read.
        let Ok(text) = fs::read_to_string(repository::root().join(&path)) else { continue };
        findings.extend(rule(&Source::new(&path, &text)).iter().map(|finding| format!("{path}: {finding}")));
    }
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

fn assert_passes(rule: Rule, path: &str, text: &str) {
    assert_eq!(rule(&Source::new(path, text)), Vec::<String>::new(), "{path}\n{text}");
}

fn assert_fails(rule: Rule, path: &str, text: &str) {
    assert_ne!(rule(&Source::new(path, text)), Vec::<String>::new(), "{path}\n{text}");
}
