//! How long each part of `./x test` took the last time, kept below the target directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

use super::parts::Part;

const FILE: &str = "test-times.json";

#[derive(Debug)]
pub(super) struct Times {
    path: PathBuf,
    /// Seconds by the names of parts.
    seconds: BTreeMap<String, f64>,
}

impl Times {
    /// What earlier runs kept; nothing if there was none, or if its file is damaged.
    pub(super) fn read(target: &Path) -> Self {
        let path = target.join(FILE);
        let seconds = fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        Self { path, seconds: seconds.unwrap_or_default() }
    }

    pub(super) fn keep(&mut self, part: &str, took: Duration) -> Result<()> {
        self.seconds.insert(part.to_owned(), (took.as_secs_f64() * 10.0).round() / 10.0);
        fs::write(&self.path, serde_json::to_string_pretty(&self.seconds)?)
            .with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// What will be done, and how long it took the last time.
    pub(super) fn announcement(&self, parts: &[Part]) -> String {
        let known = |part: &Part| self.seconds.get(part.name).copied();
        let row = |part: &Part| {
            let last = known(part).map_or_else(|| "not run here yet".to_owned(), minutes);
            format!("  {:<11} {:<44} {last}\n", part.name, part.what)
        };
        let sum = parts.iter().map(known).sum::<Option<f64>>();
        let sum = sum.map(|sum| format!("; the last time they took {}", minutes(sum))).unwrap_or_default();
        format!("test: {} parts{sum}\n{}", parts.len(), parts.iter().map(row).collect::<String>())
    }
}

fn minutes(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    if whole < 60 { format!("{seconds:.1} s") } else { format!("{} min {} s", whole / 60, whole % 60) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARTS: [Part; 2] = [
        Part { name: "format", what: "the format", work: || Ok(()) },
        Part { name: "rust", what: "the tests", work: || Ok(()) },
    ];

    #[test]
    fn the_last_times_are_announced_once_they_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let mut times = Times::read(folder.path());
        assert!(times.announcement(&PARTS).starts_with("test: 2 parts\n"));
        times.keep("format", Duration::from_millis(1_549)).unwrap();
        assert!(times.announcement(&PARTS).contains("not run here yet"));
        times.keep("rust", Duration::from_secs(620)).unwrap();
        let text = Times::read(folder.path()).announcement(&PARTS);
        assert!(text.starts_with("test: 2 parts; the last time they took 10 min 22 s\n"), "{text}");
        assert!(text.contains("1.5 s") && text.contains("10 min 20 s"), "{text}");
    }

    #[test]
    fn a_damaged_file_is_as_good_as_none() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(FILE), "{").unwrap();
        assert!(Times::read(folder.path()).seconds.is_empty());
    }
}
