//! Which snapshots somebody has read. `tests/fixtures/reviewed.txt` has a line for each, with the sum of its files: when
//! one of them changes, the line is void until the snapshot was read again. `REVIEWED='claude/86_clear acp/zed_modes'`
//! writes the lines of those that are named, and of no others.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::directories::names_in;

const FOLDERS: [&str; 6] = ["acp", "anthropic", "claude", "claude-history", "claude-newest", "openai"];

/// Names of snapshots, each with a sum.
type Sums = BTreeMap<String, String>;

#[test]
fn every_snapshot_was_read_as_it_is() {
    let list = fixtures().join("reviewed.txt");
    let (sums, mut reviewed) = (sums(), read(&fs::read_to_string(&list).unwrap()));
    if let Ok(names) = std::env::var("REVIEWED") {
        reviewed.retain(|name, _| sums.contains_key(name));
        reviewed.extend(names.split_whitespace().map(|name| (name.to_owned(), sums[name].clone())));
        fs::write(&list, written(&reviewed)).unwrap();
    }
    let unread: Vec<&str> = sums
        .iter()
        .filter(|(name, sum)| reviewed.get(*name) != Some(sum))
        .map(|(name, _)| name.as_str())
        .collect();
    assert!(unread.is_empty(), "read these, then run this test with REVIEWED='{}'", unread.join(" "));
    assert_eq!(read(&written(&sums)), reviewed, "reviewed.txt names snapshots that are no more");
}

/// A sum of every snapshot, of whatever lies in its directory.
fn sums() -> Sums {
    let folders = FOLDERS.into_iter().map(|folder| (folder, fixtures().join(folder)));
    let snapshots = folders.flat_map(|(folder, path)| {
        let sum = move |name: String| (format!("{folder}/{name}"), sum(&path.join(name)));
        names_in(&fixtures().join(folder)).into_iter().map(sum)
    });
    snapshots.collect()
}

fn sum(directory: &Path) -> String {
    let mut sum = Sum(0xcbf2_9ce4_8422_2325);
    sum.add_all(directory);
    format!("{:016x}", sum.0)
}

/// FNV-1a: nobody forges a review, and no dependency is needed.
struct Sum(u64);

impl Sum {
    fn add_all(&mut self, directory: &Path) {
        for name in names_in(directory) {
            self.add(name.as_bytes());
            let path = directory.join(name);
            if path.is_dir() { self.add_all(&path) } else { self.add(&fs::read(&path).unwrap()) }
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&[0]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

fn read(list: &str) -> Sums {
    let lines = list.lines().map(|line| line.split_once(' ').unwrap());
    lines.map(|(name, sum)| (name.to_owned(), sum.to_owned())).collect()
}

fn written(sums: &Sums) -> String {
    sums.iter().map(|(name, sum)| format!("{name} {sum}\n")).collect()
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}
