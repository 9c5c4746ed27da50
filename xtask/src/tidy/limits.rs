//! Limits may only get tighter: every change of `bench/limits.toml` is compared with what was before it. One that
//! allows more is a commit of its own, and its subject says so.

use figures::LIMITS;

use crate::repository;

/// How the subject of a commit begins that may allow more.
const LOOSENING: &str = "limits: loosen";
/// Changes before these were looked at when they were made.
const LOOKED_AT: &str = "60";

/// A commit that changes the limits.
struct Change {
    commit: String,
    parents: Vec<String>,
    subject: String,
}

impl Change {
    fn read(line: &str) -> Option<Self> {
        let mut fields = line.splitn(3, '\t');
        let (commit, parents, subject) = (fields.next()?, fields.next()?, fields.next()?);
        Some(Self {
            commit: commit.to_owned(),
            parents: parents.split_whitespace().map(str::to_owned).collect(),
            subject: subject.to_owned(),
        })
    }

    /// What it allows more than all that was before it. A merge joins what its parents allow.
    fn loosened(&self) -> Option<Vec<String>> {
        let after = limits_of(&self.commit)?;
        let parents = self.parents.iter().filter_map(|parent| limits_of(parent));
        parents.map(|before| difference(&before, &after)).min_by_key(Vec::len)
    }

    fn files(&self) -> Vec<String> {
        let listed =
            repository::ask_git(&["show", "--format=", "--name-only", &self.commit]).unwrap_or_default();
        listed.lines().map(str::to_owned).collect()
    }
}

/// What is wrong with a change that allows more.
fn fault(subject: &str, files: &[String], loosened: &[String]) -> Option<String> {
    let is_told = subject.starts_with(LOOSENING) && files.iter().all(|file| file == LIMITS);
    (!is_told && !loosened.is_empty()).then(|| {
        format!(
            "{}: change {LIMITS} in a commit of its own whose subject begins with `{LOOSENING}`, with the reason in its body",
            loosened.join(", ")
        )
    })
}

/// The file as a commit has it; nothing where it is not there, or its form is not known any more.
fn limits_of(commit: &str) -> Option<String> {
    let text = repository::ask_git(&["show", &format!("{commit}:{LIMITS}")])?;
    figures::parse(&text).is_ok().then_some(text)
}

fn difference(before: &str, after: &str) -> Vec<String> {
    let [before, after] = [before, after].map(|text| figures::parse(text).unwrap());
    figures::loosened(&before, &after)
}

#[test]
fn limits_only_get_tighter() {
    let format = "--format=%H\t%P\t%s";
    let Some(log) = repository::ask_git(&["log", "-n", LOOKED_AT, format, "--", LIMITS]) else {
        println!("no git checkout, nothing is compared");
        return;
    };
    let changes: Vec<Change> = log.lines().filter_map(Change::read).collect();
    let (mut compared, mut faults) = (0, Vec::new());
    for change in &changes {
        // A shallow clone does not know what was before.
        let Some(loosened) = change.loosened() else { continue };
        compared += 1;
        let fault = fault(&change.subject, &change.files(), &loosened);
        faults.extend(fault.map(|fault| format!("{} {}: {fault}", change.commit, change.subject)));
    }
    println!("{compared} of {} changes of {LIMITS} are compared", changes.len());
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn what_is_not_committed_gets_tighter_too() {
    let Some(before) = limits_of("HEAD") else {
        println!("no commit has {LIMITS}, nothing is compared");
        return;
    };
    let after = std::fs::read_to_string(repository::root().join(LIMITS)).unwrap();
    let loosened = difference(&before, &after);
    assert!(loosened.is_empty(), "not committed yet: {}", fault("", &[], &loosened).unwrap_or_default());
}

#[test]
fn looser_limits_stand_alone_and_say_so() {
    let (loosened, limits) = (vec!["a.b is gone".to_owned()], vec![LIMITS.to_owned()]);
    let two = vec![LIMITS.to_owned(), "crates/a.rs".to_owned()];
    assert_eq!(fault("core: do more", &two, &[]), None);
    assert_eq!(fault("limits: loosen a.b", &limits, &loosened), None);
    assert!(fault("limits: loosen a.b", &two, &loosened).is_some());
    assert!(fault("core: do more", &limits, &loosened).is_some());
}

#[test]
fn a_change_is_read_from_a_line_of_the_log() {
    let change = Change::read("c0ffee\tbeef cafe\tlimits: loosen\ta.b").unwrap();
    assert_eq!((change.commit.as_str(), change.parents.len()), ("c0ffee", 2));
    assert_eq!(change.subject, "limits: loosen\ta.b");
    let first = Change::read("c0ffee\t\tfirst").unwrap();
    assert!(first.parents.is_empty());
}
