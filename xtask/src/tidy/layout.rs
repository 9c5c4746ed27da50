//! How files are cut and named.

use std::path::Path;

use super::{Source, assert_fails, assert_passes, holds};
use crate::repository;

const LIMIT: usize = 400;
const LIMIT_WITH_TESTS: usize = 600;
/// Tests grow with what they test, and nobody reads generated files top-down.
const UNLIMITED: [&str; 5] = ["tests", "test", "e2e", "fixtures", "gen"];

fn length(source: &Source) -> Vec<String> {
    let unlimited = UNLIMITED.iter().any(|folder| source.has_folder(folder)) || source.name() == "tests.rs";
    if unlimited || !source.has_ending(&["rs", "ts", "tsx", "css"]) {
        return Vec::new();
    }
    let has_tests = source.text.lines().any(|line| line.starts_with("mod tests {"));
    let limit = if has_tests { LIMIT_WITH_TESTS } else { LIMIT };
    let lines = source.text.lines().count();
    if lines <= limit { Vec::new() } else { vec![format!("{lines} lines, {limit} are allowed: split it")] }
}

fn module_comment(source: &Source) -> Vec<String> {
    let is_module = source.has_ending(&["rs"]) && source.has_folder("src") && !source.is_fixture();
    let is_test = source.name() == "tests.rs" || source.has_folder("tests");
    if !is_module || is_test || source.text.starts_with("//!") {
        return Vec::new();
    }
    vec!["begin with a `//!` comment: what the module owns and what it may not know".to_owned()]
}

fn module_name(source: &Source) -> Vec<String> {
    if source.name() != "mod.rs" || source.is_fixture() {
        return Vec::new();
    }
    vec!["name it after its module, next to the folder".to_owned()]
}

/// Folders that hold no file, at any depth.
fn empty_folders(folder: &Path) -> Vec<String> {
    let inner = repository::entries(folder).unwrap().into_iter().filter(|path| path.is_dir());
    let mut empty: Vec<_> = inner.flat_map(|path| empty_folders(&path)).collect();
    if repository::entries(folder).unwrap().is_empty() {
        empty.push(folder.display().to_string());
    }
    empty
}

#[test]
fn files_are_short() {
    holds(length);
}

#[test]
fn modules_say_what_they_are() {
    holds(module_comment);
}

#[test]
fn no_module_is_called_mod() {
    holds(module_name);
}

#[test]
fn fixture_folders_are_not_empty() {
    let members = repository::entries(&repository::root().join("crates")).unwrap().into_iter();
    let fixtures = members.map(|member| member.join("tests/fixtures")).filter(|folder| folder.exists());
    assert_eq!(fixtures.flat_map(|folder| empty_folders(&folder)).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn length_sample() {
    assert_passes(length, "a/src/b.rs", &"\n".repeat(400));
    assert_fails(length, "a/src/b.rs", &"\n".repeat(401));
    assert_fails(length, "web/src/a.css", &"\n".repeat(401));
    assert_passes(length, "a/src/b.rs", &("mod tests {\n".to_owned() + &"\n".repeat(599)));
    assert_fails(length, "a/src/b.rs", &("mod tests {\n".to_owned() + &"\n".repeat(600)));
    assert_passes(length, "a/tests/b.rs", &"\n".repeat(900));
    assert_passes(length, "web/src/gen/b.ts", &"\n".repeat(900));
}

#[test]
fn module_comment_sample() {
    assert_passes(module_comment, "a/src/b.rs", "//! The b.\n");
    assert_passes(module_comment, "a/tests/b.rs", "use a::b;\n");
    assert_passes(module_comment, "a/src/b/tests.rs", "use a::b;\n");
    assert_fails(module_comment, "a/src/b.rs", "use a::b;\n");
}

#[test]
fn module_name_sample() {
    assert_passes(module_name, "a/src/b.rs", "");
    assert_fails(module_name, "a/src/b/mod.rs", "");
}

#[test]
fn empty_folders_sample() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("suite/case")).unwrap();
    assert_eq!(empty_folders(folder.path()).len(), 1);
    std::fs::write(folder.path().join("suite/case/in.ndjson"), "").unwrap();
    assert_eq!(empty_folders(folder.path()).len(), 0);
}
