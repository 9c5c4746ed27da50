//! `bench/results.json`: the figures of the last run that was kept, for each bench. Keys are sorted, so that a diff
//! shows what changed; there is no date, so that two equal runs make no diff.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::thread;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use figures::Measured;

use crate::agents;

/// The kept runs by the names of their benches.
pub(crate) type Results = BTreeMap<String, Kept>;

/// One run, and what it depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Kept {
    pub(crate) cores: usize,
    /// The versions of the agents that were measured.
    pub(crate) versions: BTreeMap<String, String>,
    pub(crate) figures: BTreeMap<String, Measured>,
}

impl Kept {
    /// Figures that were measured here and now.
    pub(crate) fn of_this_machine(figures: BTreeMap<String, Measured>) -> Result<Self> {
        Ok(Self { cores: thread::available_parallelism()?.get(), versions: agents::versions()?, figures })
    }
}

/// What was kept; nothing if there is no such file.
pub(crate) fn read(path: &Path) -> Result<Results> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Results::new()),
        text => text.with_context(|| format!("cannot read {}", path.display()))?,
    };
    serde_json::from_str(&text)
        .with_context(|| format!("{} is not usable; `--keep` writes it after its removal", path.display()))
}

/// Replaces what was kept of one bench.
pub(crate) fn keep(path: &Path, bench: &str, run: Kept) -> Result<()> {
    let mut results = read(path)?;
    results.insert(bench.to_owned(), run);
    write(path, &results)
}

/// Replaces the file.
pub(crate) fn write(path: &Path, results: &Results) -> Result<()> {
    let text = serde_json::to_string_pretty(results)? + "\n";
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use figures::Unit;

    fn run(median: f64) -> Kept {
        let measured = Measured { unit: Unit::Milliseconds, best: 0.5, median, p95: 2.0, worst: 2.5 };
        Kept {
            cores: 2,
            versions: [("codex".to_owned(), "0.166.0".to_owned())].into(),
            figures: ["z", "a"].map(|figure| (figure.to_owned(), measured)).into(),
        }
    }

    #[test]
    fn what_is_kept_is_read_again_and_other_benches_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        assert_eq!(read(&path).unwrap(), Results::new());
        keep(&path, "one", run(1.0)).unwrap();
        keep(&path, "two", run(1.5)).unwrap();
        keep(&path, "one", run(1.25)).unwrap();
        let expected = [("one".to_owned(), run(1.25)), ("two".to_owned(), run(1.5))];
        assert_eq!(read(&path).unwrap(), expected.into());
    }

    #[test]
    fn keys_are_sorted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        keep(&path, "one", run(1.0)).unwrap();
        let expected = r#"{
  "one": {
    "cores": 2,
    "versions": {
      "codex": "0.166.0"
    },
    "figures": {
      "a": {
        "unit": "ms",
        "best": 0.5,
        "median": 1.0,
        "p95": 2.0,
        "worst": 2.5
      },
      "z": {
        "unit": "ms",
        "best": 0.5,
        "median": 1.0,
        "p95": 2.0,
        "worst": 2.5
      }
    }
  }
}
"#;
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    }

    #[test]
    fn a_damaged_file_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.json");
        fs::write(&path, "{").unwrap();
        assert!(keep(&path, "one", run(1.0)).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "{");
    }
}
