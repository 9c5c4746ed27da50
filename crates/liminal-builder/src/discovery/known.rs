//! Directories that agents have worked in, as their session files tell. Owns how much is read for that: the first lines
//! of a bounded number of files, the newest first.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::files::{self, Outline, Stamp};

/// Files that are looked into; a head is mostly 16 KiB.
const MOST_READ: usize = 1000;

/// A directory that an agent has worked in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownDirectory {
    /// The directory, as the agent wrote it down; it need not exist any more.
    pub path: PathBuf,
    /// How many sessions were begun there.
    pub sessions: u32,
    /// When one of their files was last written.
    pub last_activity: jiff::Timestamp,
}

/// What was found, and whether that is everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownDirectories {
    /// The directories.
    pub directories: Vec<KnownDirectory>,
    /// There are more files than were read.
    pub is_cut: bool,
}

/// Session files that were begun in one directory, in whatever order.
pub(super) struct Group(pub(super) Vec<PathBuf>);

/// The directories of groups of files; `directory_of` reads it from an outline.
pub(super) fn directories<O: Outline>(
    groups: Vec<Group>,
    directory_of: impl Fn(&O) -> Option<PathBuf>,
) -> KnownDirectories {
    let mut groups: Vec<Dated> = groups.into_iter().filter_map(Dated::of).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.last_activity));
    let mut found = BTreeMap::<PathBuf, KnownDirectory>::new();
    let mut left = MOST_READ;
    let mut is_cut = false;
    for group in groups {
        let path = group.directory(&directory_of, &mut left);
        is_cut |= left == 0 && path.is_none();
        if let Some(path) = path {
            let known = group.as_known(path.clone());
            found.entry(path).and_modify(|other| other.add(&known)).or_insert(known);
        }
    }
    KnownDirectories { directories: found.into_values().collect(), is_cut }
}

/// A group whose newest file comes first.
struct Dated {
    files: Vec<PathBuf>,
    last_activity: jiff::Timestamp,
}

impl Dated {
    fn of(Group(files): Group) -> Option<Self> {
        let mut dated: Vec<(jiff::Timestamp, PathBuf)> = files
            .into_iter()
            .filter_map(|file| Stamp::of(&file).ok().map(|stamp| (stamp.modified(), file)))
            .collect();
        dated.sort_by(|one, other| other.cmp(one));
        let last_activity = dated.first()?.0;
        Some(Self { files: dated.into_iter().map(|(_, file)| file).collect(), last_activity })
    }

    /// From the newest file that tells.
    fn directory<O: Outline>(
        &self,
        directory_of: &impl Fn(&O) -> Option<PathBuf>,
        left: &mut usize,
    ) -> Option<PathBuf> {
        self.files.iter().find_map(|file| {
            *left = left.checked_sub(1)?;
            files::head::<O>(file, |outline| directory_of(outline).is_some())
                .ok()
                .and_then(|o| directory_of(&o))
        })
    }

    fn as_known(&self, path: PathBuf) -> KnownDirectory {
        let sessions = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        KnownDirectory { path, sessions, last_activity: self.last_activity }
    }
}

impl KnownDirectory {
    fn add(&mut self, other: &Self) {
        self.sessions = self.sessions.saturating_add(other.sessions);
        self.last_activity = self.last_activity.max(other.last_activity);
    }
}

/// The directories in a directory, no links; one that is not there has none.
pub(super) fn folders(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}
