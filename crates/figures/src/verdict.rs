//! Compares what was measured with what is aimed at and with what was kept.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Result, ensure};

use crate::limits::{Limit, Limits};
use crate::samples::Measured;

/// One figure, and what it is compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub figure: String,
    pub measured: Option<Measured>,
    pub limit: Option<Limit>,
    pub kept: Option<Measured>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is aimed at.
    None,
    Met,
    /// Worse than the aim, but within the limit.
    Missed,
    /// Worse than the limit.
    Failed,
    NotMeasured,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::None => "-",
            Self::Met => "met",
            Self::Missed => "missed, within its limit",
            Self::Failed => "FAILED",
            Self::NotMeasured => "NOT MEASURED",
        })
    }
}

impl Row {
    pub fn verdict(&self) -> Verdict {
        let Some(limit) = &self.limit else { return Verdict::None };
        let Some(measured) = &self.measured else { return Verdict::NotMeasured };
        let value = limit.judged(measured);
        if value <= limit.aim {
            return Verdict::Met;
        }
        // A value that is no number fails, too.
        if value <= limit.most() { Verdict::Missed } else { Verdict::Failed }
    }

    /// Whether `--check` must fail.
    pub fn fails(&self) -> bool {
        match self.verdict() {
            Verdict::Failed | Verdict::NotMeasured => true,
            Verdict::None | Verdict::Met | Verdict::Missed => false,
        }
    }
}

/// A row for each figure that was measured, in this order, and for each that has a limit and was not.
pub fn compare(
    measured: &[(String, Measured)],
    limits: &Limits,
    kept: &BTreeMap<String, Measured>,
) -> Result<Vec<Row>> {
    let row = |figure: &String, measured| Row {
        figure: figure.clone(),
        measured,
        limit: limits.get(figure).cloned(),
        kept: kept.get(figure).copied(),
    };
    let mut rows: Vec<Row> = measured.iter().map(|(figure, measured)| row(figure, Some(*measured))).collect();
    let is_missing = |figure: &&String| !measured.iter().any(|(found, _)| found == *figure);
    rows.extend(limits.keys().filter(is_missing).map(|figure| row(figure, None)));
    rows.iter().try_for_each(check_units)?;
    Ok(rows)
}

fn check_units(row: &Row) -> Result<()> {
    let (Some(measured), Some(limit)) = (&row.measured, &row.limit) else { return Ok(()) };
    ensure!(
        measured.unit == limit.unit,
        "{} is measured in {:?}, but its limit is in {:?}: correct bench/limits.toml",
        row.figure,
        measured.unit,
        limit.unit
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits;
    use crate::unit::Unit;

    fn measured(unit: Unit, median: f64) -> Measured {
        Measured { unit, best: median, median, p95: median * 2.0, worst: median * 2.0 }
    }

    fn limits() -> Limits {
        let text = "[agents.time]\nunit = \"ms\"\naim = 200.0\ntolerance = 3.0\njudged = \"median\"\n\
                    source = \"s\"\nreason = \"r\"\n\
                    [agents.ratio]\nunit = \"ratio\"\naim = 1.1\ntolerance = 0.05\njudged = \"p95\"\n\
                    source = \"s\"\nreason = \"r\"\n";
        limits::parse(text).unwrap().remove("agents").unwrap()
    }

    fn verdicts(time: f64, ratio: f64) -> Vec<(String, Verdict)> {
        let measured = [
            ("time".to_owned(), measured(Unit::Milliseconds, time)),
            ("ratio".to_owned(), measured(Unit::Ratio, ratio)),
        ];
        let rows = compare(&measured, &limits(), &BTreeMap::new()).unwrap();
        rows.iter().map(|row| (row.figure.clone(), row.verdict())).collect()
    }

    #[test]
    fn a_figure_meets_its_aim_misses_it_or_fails() {
        let expected = |time, ratio| [("time".to_owned(), time), ("ratio".to_owned(), ratio)];
        assert_eq!(verdicts(200.0, 0.55), expected(Verdict::Met, Verdict::Met));
        assert_eq!(verdicts(500.0, 0.57), expected(Verdict::Missed, Verdict::Missed));
        assert_eq!(verdicts(600.1, 0.58), expected(Verdict::Failed, Verdict::Failed));
        assert_eq!(verdicts(f64::NAN, 0.5), expected(Verdict::Failed, Verdict::Met));
    }

    #[test]
    fn a_limit_whose_figure_is_missing_fails() {
        let rows = compare(&[], &limits(), &BTreeMap::new()).unwrap();
        assert_eq!(rows.len(), 2);
        assert!(rows.iter().all(|row| row.verdict() == Verdict::NotMeasured && row.fails()));
    }

    #[test]
    fn a_figure_without_a_limit_is_printed_with_what_was_kept() {
        let (now, then) = (measured(Unit::Megabytes, 3.0), measured(Unit::Megabytes, 2.0));
        let kept = BTreeMap::from([("memory".to_owned(), then)]);
        let rows = compare(&[("memory".to_owned(), now)], &Limits::new(), &kept).unwrap();
        assert_eq!((rows[0].verdict(), rows[0].kept, rows[0].fails()), (Verdict::None, Some(then), false));
    }

    #[test]
    fn a_limit_in_another_unit_is_an_error() {
        let measured = [("time".to_owned(), measured(Unit::Ratio, 1.0))];
        assert!(compare(&measured, &limits(), &BTreeMap::new()).is_err());
    }
}
