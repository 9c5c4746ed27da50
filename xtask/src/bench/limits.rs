//! `bench/limits.toml`: what figures aim at and what they may not exceed. Knows no bench.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::samples::{Measured, Unit};

/// The limits of one bench by the names of their figures.
pub(crate) type Limits = BTreeMap<String, Limit>;

/// What one figure aims at. The rules for `tolerance` are in the file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limit {
    pub(crate) unit: Unit,
    pub(crate) aim: f64,
    pub(crate) tolerance: f64,
    /// Which quantile is compared.
    pub(crate) judged: Quantile,
    /// Where the aim comes from.
    source: String,
    /// Why the tolerance is what it is.
    reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Quantile {
    Median,
    P95,
}

impl Limit {
    /// What the figure may not exceed.
    pub(crate) fn most(&self) -> f64 {
        match self.unit {
            Unit::Ratio => self.aim + self.tolerance,
            Unit::Milliseconds | Unit::Megabytes => self.aim * self.tolerance,
        }
    }

    /// The value that is compared.
    pub(crate) fn judged(&self, measured: &Measured) -> f64 {
        match self.judged {
            Quantile::Median => measured.median,
            Quantile::P95 => measured.p95,
        }
    }

    fn check(&self, figure: &str) -> Result<()> {
        ensure!(self.aim > 0.0, "{figure}: `aim` must be positive");
        ensure!(self.most() >= self.aim, "{figure}: `tolerance` makes the limit stricter than the aim");
        ensure!(!self.source.is_empty(), "{figure}: `source` must say where the aim comes from");
        ensure!(!self.reason.is_empty(), "{figure}: `reason` must say why the tolerance is what it is");
        Ok(())
    }
}

/// The limits of all benches.
pub(crate) fn read(path: &Path) -> Result<BTreeMap<String, Limits>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text).with_context(|| format!("{} is not usable", path.display()))
}

pub(super) fn parse(text: &str) -> Result<BTreeMap<String, Limits>> {
    let benches: BTreeMap<String, Limits> = toml::from_str(text)?;
    benches.values().flatten().try_for_each(|(figure, limit)| limit.check(figure))?;
    Ok(benches)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository;

    fn one(unit: &str, tolerance: &str) -> Result<Limit> {
        let text = format!(
            "[agents.\"a.b\"]\nunit = \"{unit}\"\naim = 200.0\ntolerance = {tolerance}\njudged = \"p95\"\n\
             source = \"NFR 4\"\nreason = \"noise\"\n"
        );
        Ok(parse(&text)?.remove("agents").unwrap().remove("a.b").unwrap())
    }

    #[test]
    fn times_are_multiplied_and_ratios_added_to() {
        assert_eq!(one("ms", "3.0").unwrap().most(), 600.0);
        assert_eq!(one("ratio", "3.0").unwrap().most(), 203.0);
    }

    #[test]
    fn the_named_quantile_is_compared() {
        let limit = one("ms", "3.0").unwrap();
        let measured = Measured { unit: Unit::Milliseconds, median: 1.0, p95: 2.0 };
        assert_eq!(limit.judged(&measured), 2.0);
        assert_eq!(Limit { judged: Quantile::Median, ..limit }.judged(&measured), 1.0);
    }

    #[test]
    fn a_limit_that_means_nothing_is_an_error_that_names_it() {
        let error = one("ms", "0.5").unwrap_err().to_string();
        assert_eq!(error, "a.b: `tolerance` makes the limit stricter than the aim");
        assert!(parse("[agents.a]\naim = 1.0\n").is_err(), "source and tolerance are missing");
    }

    #[test]
    fn the_limits_of_this_repository_are_usable() {
        assert!(!read(&repository::root().join("bench/limits.toml")).unwrap().is_empty());
    }
}
