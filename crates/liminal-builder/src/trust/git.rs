//! Programs that a repository makes git run. Owns which settings and hooks matter: those that take effect when an agent
//! merely looks at a repository, as `git status`, `git diff` and `git log` do.

use std::path::{Path, PathBuf};

use crate::foreign_file;

/// Git writes less than this into the files that say where a repository is.
const LONGEST: u64 = 4096;

/// Settings by section and name; any subsection.
const PROGRAMS: [(&str, &str); 9] = [
    ("core", "fsmonitor"),
    ("diff", "external"),
    ("diff", "command"),
    ("diff", "textconv"),
    ("filter", "clean"),
    ("filter", "smudge"),
    ("filter", "process"),
    ("include", "path"),
    ("includeif", "path"),
];

/// The one hook that commands run which change nothing but the index.
const HOOKS: [&str; 1] = ["hooks/post-index-change"];

/// The configuration files of a repository, given its `.git`, or the directory of one without files.
pub(super) fn configurations(git: &Path) -> Vec<PathBuf> {
    let directories = directories(git);
    let of = |directory: &PathBuf| [directory.join("config"), directory.join("config.worktree")];
    directories.iter().flat_map(of).collect()
}

/// The hooks of a repository that may run.
pub(super) fn hooks(git: &Path) -> Vec<PathBuf> {
    directories(git).iter().flat_map(|directory| HOOKS.map(|hook| directory.join(hook))).collect()
}

/// Where git keeps a repository: in a worktree or submodule `.git` is a file that says where, and a worktree shares most
/// of another directory.
fn directories(git: &Path) -> Vec<PathBuf> {
    let Some(own) = resolve(git) else { return Vec::new() };
    let shared = short_text(&own.join("commondir")).map(|place| own.join(place));
    [Some(own), shared].into_iter().flatten().collect()
}

fn resolve(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        let is_repository = ["HEAD", "objects", "refs"].iter().all(|name| git.join(name).exists());
        // A damaged one may still be of use to git, but a directory of another kind is not.
        return (is_repository || git.file_name().is_some_and(|name| name == ".git")).then(|| git.to_owned());
    }
    let text = short_text(git)?;
    Some(git.parent()?.join(text.strip_prefix("gitdir:")?.trim()))
}

fn short_text(path: &Path) -> Option<String> {
    let text = foreign_file::read_text(path, LONGEST).ok()??;
    Some(text.trim().to_owned())
}

/// The settings of a configuration file that name a program, or another file with more settings.
pub(super) fn programs(text: &str) -> Vec<String> {
    let text = text.trim_start_matches('\u{feff}').replace("\\\r\n", "").replace("\\\n", "");
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let (head, more) = split_head(rest);
            section = head.split([' ', '\t', '.', '"']).next().unwrap_or_default().to_ascii_lowercase();
            line = more.trim();
        }
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        let is_program = PROGRAMS.contains(&(section.as_str(), name.as_str()));
        if is_program && !is_switch(&name, value) {
            found.push(format!("{section} {name}: {value}"));
        }
    }
    found
}

/// A subsection is quoted and may contain a bracket.
fn split_head(rest: &str) -> (&str, &str) {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, character) in rest.char_indices() {
        match (character, is_quoted, is_escaped) {
            (_, _, true) => is_escaped = false,
            ('\\', true, false) => is_escaped = true,
            ('"', _, false) => is_quoted = !is_quoted,
            (']', false, false) => {
                return (rest.get(..at).unwrap_or_default(), rest.get(at + 1..).unwrap_or_default());
            }
            _ => {}
        }
    }
    (rest, "")
}

/// `core.fsmonitor` is git's own watcher if it is only switched on or off.
fn is_switch(name: &str, value: &str) -> bool {
    let value = value.trim_matches('"').to_ascii_lowercase();
    name == "fsmonitor" && ["", "true", "false", "yes", "no", "on", "off", "0", "1"].contains(&value.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_name_a_program_are_found_in_every_spelling() {
        let plain = "[core]\n\tbare = false\n\tfsmonitor = true\n[remote \"origin\"]\n\turl = x\n[clean]\n\trequireForce = no\n";
        assert_eq!(programs(plain), Vec::<String>::new());
        for (text, expected) in [
            ("[core]\n\tfsmonitor = ./spy\n", "core fsmonitor: ./spy"),
            ("[CORE] FsMonitor=./spy", "core fsmonitor: ./spy"),
            ("[core]\nfsmonitor = \\\n./spy\n", "core fsmonitor: ./spy"),
            ("[filter \"a]\\\"b\"]\nclean = c\n", "filter clean: c"),
            ("[filter.x] process = p", "filter process: p"),
            ("[diff \"x\"]\n textconv = t\n", "diff textconv: t"),
            ("[diff]\nexternal = e\n", "diff external: e"),
            ("[includeIf \"gitdir:/\"]\npath = ../more\n", "includeif path: ../more"),
        ] {
            assert_eq!(programs(text), [expected], "{text}");
        }
    }
}
