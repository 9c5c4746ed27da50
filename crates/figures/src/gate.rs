//! How a test fails by a figure.

use anyhow::{Context, Result, ensure};

use crate::limits::Limit;
use crate::samples::Samples;
use crate::{LIMITS, limits, record};

/// Records a figure of a group and fails if it exceeds its limit in `bench/limits.toml`, or has none.
///
/// # Panics
///
/// Panics with the figure and its limit.
#[expect(clippy::panic, reason = "this is an assertion of tests")]
#[track_caller]
pub fn gate(group: &str, samples: &Samples) {
    if let Err(error) = check(group, samples) {
        panic!("{error:#}");
    }
}

fn check(group: &str, samples: &Samples) -> Result<()> {
    record::write(group, samples)?;
    let limits = limits::read(&record::root()?.join(LIMITS))?;
    let limit = limits.get(group).and_then(|limits| limits.get(&samples.figure));
    let limit = limit.with_context(|| format!("{group}.{} has no limit in {LIMITS}", samples.figure))?;
    judge(group, samples, limit)
}

fn judge(group: &str, samples: &Samples, limit: &Limit) -> Result<()> {
    let (figure, measured) = (&samples.figure, samples.measured()?);
    ensure!(measured.unit == limit.unit, "{group}.{figure} and its limit have different units");
    let value = limit.judged(&measured);
    let (quantile, unit) = (limit.judged, limit.unit);
    println_figure(&format!(
        "{group}.{figure}: {quantile} {} (aim {})",
        unit.format(value),
        unit.format(limit.aim)
    ));
    ensure!(
        value <= limit.most(),
        "{group}.{figure}: {quantile} is {}, beyond the limit of {} in {LIMITS}; samples: {samples:?}",
        unit.format(value),
        unit.format(limit.most())
    );
    Ok(())
}

/// Shown with `--nocapture`, and with a failure.
#[expect(clippy::print_stdout, reason = "tests print their figures")]
fn println_figure(line: &str) {
    println!("{line}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::Unit;

    fn limit() -> Limit {
        let text = "[a.b]\nunit = \"ms\"\naim = 10.0\ntolerance = 3.0\njudged = \"best\"\nsource = \"s\"\nreason = \"r\"\n";
        limits::parse(text).unwrap().remove("a").unwrap().remove("b").unwrap()
    }

    fn judged(unit: Unit, samples: &[f64]) -> Result<()> {
        judge("a", &Samples::new("b", unit, samples.to_vec()), &limit())
    }

    #[test]
    fn the_best_of_several_samples_counts() {
        assert!(judged(Unit::Milliseconds, &[100.0, 30.0]).is_ok());
        let error = judged(Unit::Milliseconds, &[100.0, 30.1]).unwrap_err().to_string();
        assert!(
            error.starts_with("a.b: best is 30.1 ms, beyond the limit of 30.0 ms in bench/limits.toml"),
            "{error}"
        );
    }

    #[test]
    fn a_figure_that_is_no_number_or_in_another_unit_fails() {
        assert!(judged(Unit::Milliseconds, &[f64::NAN]).is_err());
        assert!(judged(Unit::Bytes, &[1.0]).is_err());
    }

    #[test]
    fn a_figure_without_a_limit_fails() {
        let error =
            check("figures", &Samples::new("unknown", Unit::Count, vec![1.0])).unwrap_err().to_string();
        assert_eq!(error, "figures.unknown has no limit in bench/limits.toml");
    }
}
