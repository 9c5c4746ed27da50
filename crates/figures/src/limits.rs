//! `bench/limits.toml`: what figures aim at and what they may not exceed. Knows no bench.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fmt, fs};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::samples::Measured;
use crate::unit::Unit;

/// The limits of one group by the names of their figures.
pub type Limits = BTreeMap<String, Limit>;

/// What one figure aims at. The head of the file explains the fields.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    pub unit: Unit,
    pub aim: f64,
    /// The figure when its limit was set, as long as it misses the aim.
    pub reached: Option<f64>,
    tolerance: f64,
    /// Which quantile is compared.
    pub judged: Quantile,
    /// Where the figure is measured.
    #[serde(default)]
    pub form: Form,
    /// Where the aim comes from.
    source: String,
    /// Why the tolerance is what it is.
    reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Quantile {
    Best,
    Median,
    P95,
    Worst,
}

impl fmt::Display for Quantile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Best => "best",
            Self::Median => "median",
            Self::P95 => "P95",
            Self::Worst => "worst",
        })
    }
}

/// Which run measures a figure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// A test of `./x test` records it.
    Test,
    /// A bench of `./x bench --check` prints it.
    Quick,
    /// A bench of `./x bench --full` prints it.
    #[default]
    Full,
}

impl Limit {
    /// What the figure may not exceed.
    #[must_use]
    pub fn most(&self) -> f64 {
        let base = self.reached.unwrap_or(self.aim);
        match self.unit {
            Unit::Ratio => base + self.tolerance,
            Unit::Microseconds | Unit::Milliseconds | Unit::Megabytes | Unit::Bytes | Unit::Count => {
                base * self.tolerance
            }
        }
    }

    /// The value that is compared.
    #[must_use]
    pub fn judged(&self, measured: &Measured) -> f64 {
        match self.judged {
            Quantile::Best => measured.best,
            Quantile::Median => measured.median,
            Quantile::P95 => measured.p95,
            Quantile::Worst => measured.worst,
        }
    }

    fn check(&self, figure: &str) -> Result<()> {
        ensure!(self.aim >= 0.0, "{figure}: `aim` must not be negative");
        let reached = self.reached.unwrap_or(f64::INFINITY);
        ensure!(reached > self.aim, "{figure}: `reached` meets the aim, so remove it");
        ensure!(self.most() >= self.aim, "{figure}: `tolerance` makes the limit stricter than the aim");
        ensure!(!self.source.is_empty(), "{figure}: `source` must say where the aim comes from");
        ensure!(!self.reason.is_empty(), "{figure}: `reason` must say why the tolerance is what it is");
        Ok(())
    }
}

/// The limits of all groups.
pub fn read(path: &Path) -> Result<BTreeMap<String, Limits>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text).with_context(|| format!("{} is not usable", path.display()))
}

pub fn parse(text: &str) -> Result<BTreeMap<String, Limits>> {
    let groups: BTreeMap<String, Limits> = toml::from_str(text)?;
    groups.values().flatten().try_for_each(|(figure, limit)| limit.check(figure))?;
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(unit: &str, tolerance: &str, more: &str) -> Result<Limit> {
        let text = format!(
            "[agents.\"a.b\"]\nunit = \"{unit}\"\naim = 200.0\ntolerance = {tolerance}\njudged = \"p95\"\n\
             source = \"NFR 4\"\nreason = \"noise\"\n{more}"
        );
        Ok(parse(&text)?.remove("agents").unwrap().remove("a.b").unwrap())
    }

    #[test]
    fn times_are_multiplied_and_ratios_added_to() {
        assert_eq!(one("ms", "3.0", "").unwrap().most(), 600.0);
        assert_eq!(one("ratio", "3.0", "").unwrap().most(), 203.0);
    }

    #[test]
    fn a_missed_aim_is_limited_by_what_was_reached() {
        assert_eq!(one("bytes", "1.1", "reached = 300.0").unwrap().most(), 330.0);
        let error = one("bytes", "1.1", "reached = 200.0").unwrap_err().to_string();
        assert_eq!(error, "a.b: `reached` meets the aim, so remove it");
    }

    #[test]
    fn the_named_quantile_is_compared() {
        let limit = one("ms", "3.0", "").unwrap();
        let measured = Measured { unit: Unit::Milliseconds, best: 0.5, median: 1.0, p95: 2.0, worst: 3.0 };
        let judged = |judged| Limit { judged, ..limit.clone() }.judged(&measured);
        let all = [Quantile::Best, Quantile::Median, Quantile::P95, Quantile::Worst];
        assert_eq!(all.map(judged), [0.5, 1.0, 2.0, 3.0]);
    }

    #[test]
    fn a_limit_that_means_nothing_is_an_error_that_names_it() {
        let error = one("ms", "0.5", "").unwrap_err().to_string();
        assert_eq!(error, "a.b: `tolerance` makes the limit stricter than the aim");
        assert!(parse("[agents.a]\naim = 1.0\n").is_err(), "source and tolerance are missing");
    }

    #[test]
    fn the_limits_of_this_repository_are_usable() {
        let root = crate::record::root().unwrap();
        assert!(!read(&root.join(crate::LIMITS)).unwrap().is_empty());
    }
}
