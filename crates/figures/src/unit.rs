//! The units that figures are measured in.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Of what is done many times.
    #[serde(rename = "us")]
    Microseconds,
    #[serde(rename = "ms")]
    Milliseconds,
    #[serde(rename = "MB")]
    Megabytes,
    #[serde(rename = "bytes")]
    Bytes,
    /// A number of things, such as allocations, rows, system calls or instructions.
    #[serde(rename = "count")]
    Count,
    /// One figure divided by another one of the same run.
    #[serde(rename = "ratio")]
    Ratio,
}

impl Unit {
    #[must_use]
    pub fn format(self, value: f64) -> String {
        match self {
            Self::Microseconds => format!("{value:.2} µs"),
            Self::Milliseconds => format!("{value:.1} ms"),
            Self::Megabytes => format!("{value:.0} MB"),
            Self::Bytes => format!("{value:.0} B"),
            Self::Count if value < 1e3 => {
                format!("{value:.3}").trim_end_matches('0').trim_end_matches('.').to_owned()
            }
            Self::Count => format!("{value:.0}"),
            Self::Ratio => format!("{value:.2} x"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_as_many_digits_as_they_need() {
        assert_eq!(Unit::Count.format(3.0), "3");
        assert_eq!(Unit::Count.format(0.025), "0.025");
        assert_eq!(Unit::Count.format(123_456.7), "123457");
    }
}
