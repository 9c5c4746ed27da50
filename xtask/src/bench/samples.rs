//! What a bench reports: samples, one figure per line of JSON on its standard output. Knows no limits.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// One figure as a bench measured it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Samples {
    figure: String,
    unit: Unit,
    samples: Vec<f64>,
    /// What the samples are divided by if the figure is a ratio.
    #[serde(default)]
    base: Vec<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Unit {
    #[serde(rename = "ms")]
    Milliseconds,
    #[serde(rename = "MB")]
    Megabytes,
    #[serde(rename = "ratio")]
    Ratio,
}

impl Unit {
    pub(crate) fn format(self, value: f64) -> String {
        match self {
            Self::Milliseconds => format!("{value:.1} ms"),
            Self::Megabytes => format!("{value:.0} MB"),
            Self::Ratio => format!("{value:.2} x"),
        }
    }
}

/// The two quantiles by which a figure is printed, kept and compared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Measured {
    pub(crate) unit: Unit,
    pub(crate) median: f64,
    pub(crate) p95: f64,
}

/// The figures of a bench's output, in its order.
pub(crate) fn read(output: &str) -> Result<Vec<(String, Measured)>> {
    output.lines().filter(|line| line.starts_with('{')).map(read_line).collect()
}

fn read_line(line: &str) -> Result<(String, Measured)> {
    let samples: Samples =
        serde_json::from_str(line).with_context(|| format!("the bench printed no figure: {line}"))?;
    let measured = samples.measured().with_context(|| format!("{} has no samples", samples.figure))?;
    Ok((samples.figure, measured))
}

impl Samples {
    /// The quantiles of a ratio are the ratios of the quantiles.
    fn measured(&self) -> Option<Measured> {
        let of = |share| {
            let value = quantile(&self.samples, share)?;
            match self.unit {
                Unit::Ratio => Some(value / quantile(&self.base, share)?),
                Unit::Milliseconds | Unit::Megabytes => Some(value),
            }
        };
        Some(Measured { unit: self.unit, median: rounded(of(0.5)?), p95: rounded(of(0.95)?) })
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
        assert_eq!(quantile(&values, 0.5), Some(10.0));
        assert_eq!(quantile(&values, 0.95), Some(19.0));
        assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.5), Some(2.0));
        assert_eq!(quantile(&[7.0], 0.95), Some(7.0));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn a_line_of_samples_is_a_figure_and_other_lines_are_not() {
        let output = "warming up\n{\"figure\":\"a.b\",\"unit\":\"ms\",\"samples\":[3,1.00049,2]}\n";
        let expected = Measured { unit: Unit::Milliseconds, median: 2.0, p95: 3.0 };
        assert_eq!(read(output).unwrap(), [("a.b".to_owned(), expected)]);
    }

    #[test]
    fn a_ratio_is_that_of_the_quantiles() {
        let line = "{\"figure\":\"a\",\"unit\":\"ratio\",\"samples\":[2,4,12],\"base\":[1,2,3]}";
        let expected = Measured { unit: Unit::Ratio, median: 2.0, p95: 4.0 };
        assert_eq!(read(line).unwrap(), [("a".to_owned(), expected)]);
    }

    #[test]
    fn a_figure_without_samples_is_an_error_that_names_it() {
        for line in [
            "{\"figure\":\"a.b\",\"unit\":\"ms\",\"samples\":[]}",
            "{\"figure\":\"a.b\",\"unit\":\"ratio\",\"samples\":[1]}",
        ] {
            assert_eq!(read(line).unwrap_err().to_string(), "a.b has no samples");
        }
        assert!(read("{\"other\":1}").is_err());
    }
}
