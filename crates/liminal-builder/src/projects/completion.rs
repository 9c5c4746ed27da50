//! Directories that begin like what was typed. Owns how many are looked at and shown.

use std::fs::{self, DirEntry};
use std::path::Path;

use super::expand_home;

/// More are not shown; nobody reads them.
pub const MOST_DIRECTORIES: usize = 50;
/// A directory with more entries is shown in part.
const MOST_LOOKED_AT: usize = 20_000;

/// Which directories are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hidden {
    Shown,
    LeftOut,
}

/// The directories that go on from what was typed, sorted. Those with a leading dot are among them if one was typed or
/// they are asked for. What cannot be read has none.
#[must_use]
pub fn complete(typed: &str, home: Option<&Path>, with_hidden: bool) -> Vec<String> {
    let typed = if typed == "~" { "~/" } else { typed };
    let Some((folder, start)) = typed.rsplit_once('/') else { return Vec::new() };
    let folder = expand_home(&format!("{folder}/"), home);
    if !folder.is_absolute() {
        return Vec::new();
    }
    let hidden = if with_hidden || start.starts_with('.') { Hidden::Shown } else { Hidden::LeftOut };
    let Ok(entries) = fs::read_dir(&folder) else { return Vec::new() };
    let entries = entries.take(MOST_LOOKED_AT).filter_map(Result::ok);
    let mut found: Vec<String> =
        entries.filter_map(|entry| matching(&entry, &start.to_lowercase(), hidden)).collect();
    found.sort_by_cached_key(|name| (name.to_lowercase(), name.clone()));
    found.truncate(MOST_DIRECTORIES);
    found.iter().map(|name| folder.join(name).display().to_string()).collect()
}

fn matching(entry: &DirEntry, start: &str, hidden: Hidden) -> Option<String> {
    let name = entry.file_name().into_string().ok()?;
    let is_left_out = name.starts_with('.') && hidden == Hidden::LeftOut;
    let matches = !is_left_out && name.to_lowercase().starts_with(start);
    // A link to a directory is one to choose; it is resolved when it is chosen.
    (matches && entry.path().is_dir()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(typed: &str, home: &Path, with_hidden: bool) -> Vec<String> {
        let paths = complete(typed, Some(home), with_hidden);
        paths.iter().map(|path| path.rsplit('/').next().unwrap().to_owned()).collect()
    }

    #[test]
    fn directories_go_on_from_what_was_typed() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        for name in ["project", "Prose", "other", ".private", "other/inner"] {
            fs::create_dir(home.join(name)).unwrap();
        }
        fs::write(home.join("profile"), "").unwrap();
        std::os::unix::fs::symlink(home.join("other"), home.join("profane")).unwrap();
        assert_eq!(names("~/pro", home, false), ["profane", "project", "Prose"]);
        assert_eq!(names("~", home, false), ["other", "profane", "project", "Prose"]);
        assert_eq!(names("~/.p", home, false), [".private"]);
        assert_eq!(names("~/", home, true).first().unwrap(), ".private");
        assert_eq!(names("~/other/", home, false), ["inner"]);
        let full = complete("~/other/in", Some(home), false);
        assert_eq!(full, [home.join("other/inner").display().to_string()]);
        for nothing in ["", "relative", "relative/", "~/none/", "~/profile/", "~other/"] {
            assert_eq!(names(nothing, home, false), Vec::<String>::new(), "{nothing}");
        }
    }

    #[test]
    fn not_more_than_a_person_reads_are_shown() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..120 {
            fs::create_dir(folder.path().join(format!("d{number:03}"))).unwrap();
        }
        let found = names("~/", folder.path(), false);
        assert_eq!((found.len(), found.last().unwrap().as_str()), (MOST_DIRECTORIES, "d049"));
    }
}
