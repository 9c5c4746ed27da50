//! What becomes of a bench's figures: they are compared and printed, and kept or checked if that is asked for.

use anyhow::{Result, ensure};

use figures::{LIMITS, Measured, Samples};

use super::results::Kept;
use super::{results, table};
use crate::repository;

pub(super) const RESULTS: &str = "bench/results.json";

/// What is asked for besides the table.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wishes {
    /// Fail if a figure exceeds its limit.
    pub(crate) check: bool,
    /// Run everything that has a limit, built for release.
    pub(crate) full: bool,
    /// Write the figures to the file that later runs are compared with.
    pub(crate) keep: bool,
}

impl Wishes {
    pub(crate) fn any(self) -> bool {
        self.check || self.full || self.keep
    }
}

pub(crate) fn report(bench: &str, samples: &[Samples], wishes: Wishes) -> Result<()> {
    let root = repository::root();
    let limits = figures::read(&root.join(LIMITS))?.remove(bench).unwrap_or_default();
    let kept = results::read(&root.join(RESULTS))?.remove(bench);
    let measured = quantiles(samples)?;
    let run = Kept::of_this_machine(measured.iter().cloned().collect())?;
    let figures = kept.as_ref().map(|kept| kept.figures.clone()).unwrap_or_default();
    let rows = figures::compare(&measured, &limits, &figures)?;
    print!("\n{}", table::format(&rows));
    kept.iter().filter_map(|kept| difference(&run, kept)).for_each(|note| println!("\n{note}"));
    if wishes.keep {
        results::keep(&root.join(RESULTS), bench, run)?;
        println!("\nkept in {RESULTS}");
    }
    let failed: Vec<&str> = rows.iter().filter(|row| row.fails()).map(|row| row.figure.as_str()).collect();
    ensure!(!wishes.check || failed.is_empty(), "beyond the limits of {LIMITS}: {}", failed.join(", "));
    Ok(())
}

/// Figures by their names, in the order of the bench.
pub(super) fn quantiles(samples: &[Samples]) -> Result<Vec<(String, Measured)>> {
    samples.iter().map(|samples| Ok((samples.figure.clone(), samples.measured()?))).collect()
}

/// Why the kept figures cannot simply be compared with those of this run.
fn difference(run: &Kept, kept: &Kept) -> Option<String> {
    let agents: Vec<&str> = kept
        .versions
        .iter()
        .filter(|(name, version)| run.versions.get(*name) != Some(version))
        .map(|(name, _)| name.as_str())
        .collect();
    if run.cores == kept.cores && agents.is_empty() {
        return None;
    }
    let versions =
        if agents.is_empty() { "the same".to_owned() } else { format!("others of {}", agents.join(", ")) };
    Some(format!("kept figures: {} cores (here {}), versions: {versions}", kept.cores, run.cores))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn another_machine_or_version_is_named() {
        let kept = Kept {
            cores: 2,
            versions: [("codex".to_owned(), "1".to_owned())].into(),
            figures: BTreeMap::new(),
        };
        assert_eq!(difference(&kept, &kept), None);
        let run = Kept { cores: 8, ..kept.clone() };
        let note = "kept figures: 2 cores (here 8), versions: the same";
        assert_eq!(difference(&run, &kept).as_deref(), Some(note));
        let run = Kept { versions: BTreeMap::new(), ..kept.clone() };
        let note = "kept figures: 2 cores (here 2), versions: others of codex";
        assert_eq!(difference(&run, &kept).as_deref(), Some(note));
    }
}
