//! No file tells where somebody keeps the repository.

use super::{Source, assert_fails, assert_passes, holds};

/// Written in parts, so that this file keeps its own rule.
const FORBIDDEN: [&str; 5] = [
    concat!("/ho", "me/"),
    concat!("/Us", "ers/"),
    concat!("/ro", "ot/"),
    concat!("/wo", "rk/"),
    concat!("/tmp/", "bash"),
];
/// Paths that examples may use.
const EXAMPLES: [&str; 1] = ["/home/dev"];

fn machine_paths(source: &Source) -> Vec<String> {
    // Checksums may hold any letters.
    if source.is_fixture() || source.name() == "package-lock.json" || source.has_ending(&["lock"]) {
        return Vec::new();
    }
    let lines = source.text.lines().enumerate();
    let found = lines.flat_map(|(index, line)| machine_paths_of(line).map(move |path| (index + 1, path)));
    found.map(|(line, path)| format!("line {line} holds the path of a machine: {path}")).collect()
}

fn machine_paths_of(line: &str) -> impl Iterator<Item = &str> {
    let found = FORBIDDEN.iter().flat_map(move |start| line.match_indices(start));
    let absolute = found.filter(|(at, _)| is_absolute(line, *at));
    let named = absolute
        .map(|(at, start)| (path_at(line, at), start))
        .filter(|(path, start)| path.len() > start.len());
    named.map(|(path, _)| path).filter(|path| !EXAMPLES.iter().any(|example| is_below(path, example)))
}

/// Whether a path begins here, rather than goes on.
fn is_absolute(line: &str, at: usize) -> bool {
    let before = line.get(..at).and_then(|text| text.chars().next_back());
    !before.is_some_and(|character| character.is_alphanumeric() || "._-~})>".contains(character))
}

fn path_at(line: &str, at: usize) -> &str {
    let rest = &line[at..];
    let end = rest.find(|character| !is_path_character(character)).unwrap_or(rest.len());
    &rest[..end]
}

fn is_path_character(character: char) -> bool {
    character.is_alphanumeric() || "._-/".contains(character)
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[test]
fn no_file_names_a_machine() {
    holds(machine_paths);
}

#[test]
fn machine_paths_sample() {
    assert_passes(machine_paths, "a.md", "see /home/dev/project, /srv/app and /home/<user>/app\n");
    assert_passes(machine_paths, "a.md", "/usr/bin/env ~/.cache");
    for start in FORBIDDEN {
        assert_fails(machine_paths, "a.md", &format!("cd {start}somebody/app\n"));
        assert_fails(machine_paths, "a.rs", &format!("\"file://{start}x\""));
        assert_passes(machine_paths, "a.md", &format!("cd crates{start}x\n"));
        assert_passes(machine_paths, "a/tests/fixtures/b.json", &format!("{start}x"));
    }
    assert_fails(machine_paths, "a.md", concat!("/ho", "me/developer"));
}
