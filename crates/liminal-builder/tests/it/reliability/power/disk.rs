//! A disk that keeps what it was made to sync, and of all else whatever it likes. Knows files, not what is in them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::super::figures::Chance;
use super::trace::{Call, Moment};

/// The smallest part that is written as a whole.
const SECTOR: usize = 512;

#[derive(Debug, Clone)]
enum Change {
    Write { at: usize, bytes: Vec<u8> },
    Cut(usize),
}

/// A change that was asked for and not promised yet.
#[derive(Debug)]
struct Pending {
    call: usize,
    file: PathBuf,
    change: Change,
    is_done: bool,
}

#[derive(Debug, Default)]
pub(super) struct Disk {
    /// What is there for certain.
    synced: BTreeMap<PathBuf, Vec<u8>>,
    /// Files whose names are there for certain.
    named: BTreeSet<PathBuf>,
    /// In the order in which they were asked for.
    pending: Vec<Pending>,
    /// The changes that a sync covers which is under way.
    covered: BTreeMap<usize, BTreeSet<usize>>,
    syncs: BTreeMap<usize, PathBuf>,
}

impl Disk {
    /// One with these files, as they are now.
    pub(super) fn of(files: &[PathBuf]) -> Self {
        let synced = files.iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect();
        Self { synced, named: files.iter().cloned().collect(), ..Self::default() }
    }

    pub(super) fn apply(&mut self, moment: &Moment) {
        match moment {
            Moment::Begun(call, Call::Write { file, at, bytes }) => {
                self.ask(*call, file, Change::Write { at: *at, bytes: bytes.clone() });
            }
            Moment::Begun(call, Call::Cut { file, length }) => self.ask(*call, file, Change::Cut(*length)),
            Moment::Begun(call, Call::Sync(file)) => self.begin_sync(*call, file),
            Moment::Begun(_, Call::Say(_) | Call::Remove(_)) => {}
            Moment::Done(call) => self.finish(*call),
        }
    }

    fn ask(&mut self, call: usize, file: &Path, change: Change) {
        self.pending.push(Pending { call, file: file.to_owned(), change, is_done: false });
    }

    /// Only what had ended before it began is sure to be covered.
    fn begin_sync(&mut self, call: usize, file: &Path) {
        let covered = self.pending.iter().filter(|pending| pending.is_done && pending.file == file);
        self.covered.insert(call, covered.map(|pending| pending.call).collect());
        self.syncs.insert(call, file.to_owned());
    }

    fn finish(&mut self, call: usize) {
        let Some(covered) = self.covered.remove(&call) else {
            self.pending
                .iter_mut()
                .filter(|pending| pending.call == call)
                .for_each(|pending| pending.is_done = true);
            return;
        };
        let (now, later) = std::mem::take(&mut self.pending)
            .into_iter()
            .partition(|pending| covered.contains(&pending.call));
        self.pending = later;
        for Pending { file, change, .. } in Vec::<Pending>::from_iter(now) {
            change.apply(self.synced.entry(file).or_default());
        }
        let synced = self.syncs.remove(&call).unwrap();
        // A directory that is synced has the names of its files.
        self.named.extend(self.synced.keys().filter(|file| file.parent() == Some(&synced)).cloned());
        let fresh = self.pending.iter().map(|pending| &pending.file);
        self.named.extend(fresh.filter(|file| file.parent() == Some(&synced)).cloned());
    }

    /// Writes what the power may have left: `keeps` says how many of a hundred parts that were not promised are there.
    pub(super) fn leave(&self, directory: &Path, keeps: u64, chance: &mut Chance) {
        let mut files = self.synced.clone();
        for Pending { file, change, .. } in &self.pending {
            change.apply_partly(files.entry(file.clone()).or_default(), || chance.below(100) < keeps);
        }
        for (file, content) in files {
            if self.named.contains(&file) || chance.below(100) < keeps {
                fs::write(directory.join(file.file_name().unwrap()), content).unwrap();
            }
        }
    }
}

impl Change {
    fn apply(&self, file: &mut Vec<u8>) {
        self.apply_partly(file, || true);
    }

    /// Some of its sectors.
    fn apply_partly(&self, file: &mut Vec<u8>, mut is_kept: impl FnMut() -> bool) {
        match self {
            Self::Cut(length) if is_kept() => file.resize(*length, 0),
            Self::Cut(_) => {}
            Self::Write { at, bytes } => {
                sectors(*at, bytes).filter(|_| is_kept()).for_each(|(at, part)| put(file, at, part));
            }
        }
    }
}

fn sectors(at: usize, bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let (first, rest) = bytes.split_at(bytes.len().min(at.next_multiple_of(SECTOR) - at));
    let after = at + first.len();
    let whole = rest.chunks(SECTOR).enumerate().map(move |(number, part)| (after + number * SECTOR, part));
    std::iter::once((at, first)).chain(whole)
}

fn put(file: &mut Vec<u8>, at: usize, part: &[u8]) {
    let end = at + part.len();
    file.resize(file.len().max(end), 0);
    file[at..end].copy_from_slice(part);
}

#[test]
fn what_was_not_synced_may_be_there_in_parts() {
    let file = PathBuf::from("/d/a");
    let write = |call, at, bytes: &[u8]| {
        Moment::Begun(call, Call::Write { file: file.clone(), at, bytes: bytes.to_vec() })
    };
    let mut disk = Disk::default();
    for moment in [
        write(0, 0, &[1; 600]),
        Moment::Done(0),
        Moment::Begun(1, Call::Sync("/d/a".into())),
        write(2, 600, &[2; 600]),
        Moment::Done(2),
        Moment::Done(1),
        Moment::Begun(3, Call::Sync("/d".into())),
        Moment::Done(3),
    ] {
        disk.apply(&moment);
    }
    let left = tempfile::tempdir().unwrap();
    for (keeps, lengths) in [(0, 600..=600), (100, 1200..=1200), (50, 600..=1200)] {
        disk.leave(left.path(), keeps, &mut Chance::new(9));
        let found = fs::read(left.path().join("a")).unwrap();
        assert!(lengths.contains(&found.len()) && found[..600] == [1; 600], "{keeps}: {}", found.len());
    }
}
