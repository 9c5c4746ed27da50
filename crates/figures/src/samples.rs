//! Samples of one figure, and the quantiles by which they are judged. Knows no limits.

use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::unit::Unit;

/// One figure as it was measured. A bench prints it as a line of JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Samples {
    pub figure: String,
    unit: Unit,
    samples: Vec<f64>,
    /// What the samples are divided by if the figure is a ratio.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    base: Vec<f64>,
}

/// The quantiles by which a figure is printed, kept and compared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    pub unit: Unit,
    pub best: f64,
    pub median: f64,
    pub p95: f64,
    pub worst: f64,
}

impl Samples {
    #[must_use]
    pub fn new(figure: &str, unit: Unit, samples: Vec<f64>) -> Self {
        Self { figure: figure.to_owned(), unit, samples, base: Vec::new() }
    }

    #[must_use]
    pub fn times(figure: &str, times: &[Duration]) -> Self {
        let milliseconds = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
        Self::new(figure, Unit::Milliseconds, milliseconds)
    }

    /// The quantiles of `samples` divided by the same quantiles of `base`.
    #[must_use]
    pub fn ratio(figure: &str, samples: Vec<f64>, base: Vec<f64>) -> Self {
        Self { base, ..Self::new(figure, Unit::Ratio, samples) }
    }

    /// Reads what a bench printed: one figure per line of JSON; other lines are skipped.
    pub fn read(output: &str) -> Result<Vec<Self>> {
        output.lines().filter(|line| line.starts_with('{')).map(Self::read_one).collect()
    }

    /// Reads one figure.
    pub fn read_one(line: &str) -> Result<Self> {
        serde_json::from_str(line).with_context(|| format!("not a figure: {line}"))
    }

    pub fn measured(&self) -> Result<Measured> {
        self.quantiles().with_context(|| format!("{} has no samples", self.figure))
    }

    fn quantiles(&self) -> Option<Measured> {
        Some(Measured {
            unit: self.unit,
            best: self.quantile(0.0)?,
            median: self.quantile(0.5)?,
            p95: self.quantile(0.95)?,
            worst: self.quantile(1.0)?,
        })
    }

    fn quantile(&self, share: f64) -> Option<f64> {
        let value = quantile(&self.samples, share)?;
        Some(rounded(if self.unit == Unit::Ratio { value / quantile(&self.base, share)? } else { value }))
    }
}

/// The smallest value that at least this share of all values does not exceed.
fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

/// More digits are noise in a file that is committed.
fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_ranks() {
        let values: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        assert_eq!(quantile(&values, 0.0), Some(1.0));
        assert_eq!(quantile(&values, 0.5), Some(10.0));
        assert_eq!(quantile(&values, 0.95), Some(19.0));
        assert_eq!(quantile(&values, 1.0), Some(20.0));
        assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.5), Some(2.0));
        assert_eq!(quantile(&[7.0], 0.95), Some(7.0));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn a_line_of_samples_is_a_figure_and_other_lines_are_not() {
        let output = "warming up\n{\"figure\":\"a.b\",\"unit\":\"ms\",\"samples\":[3,1.00049,2]}\n";
        let read = Samples::read(output).unwrap();
        let expected = Measured { unit: Unit::Milliseconds, best: 1.0, median: 2.0, p95: 3.0, worst: 3.0 };
        assert_eq!((read[0].figure.as_str(), read[0].measured().unwrap()), ("a.b", expected));
        assert_eq!(read.len(), 1);
    }

    #[test]
    fn a_ratio_is_that_of_the_quantiles() {
        let measured = Samples::ratio("a", vec![2.0, 4.0, 12.0], vec![1.0, 2.0, 3.0]).measured().unwrap();
        assert_eq!((measured.median, measured.p95), (2.0, 4.0));
    }

    #[test]
    fn a_figure_without_samples_is_an_error_that_names_it() {
        let without_base = Samples::ratio("a.b", vec![1.0], Vec::new());
        for samples in [Samples::times("a.b", &[]), without_base] {
            assert_eq!(samples.measured().unwrap_err().to_string(), "a.b has no samples");
        }
        assert!(Samples::read("{\"other\":1}").is_err());
    }
}
