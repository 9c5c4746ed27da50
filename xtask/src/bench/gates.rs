//! All gates at once: the figures of one run of a whole form, those that tests recorded before it, and their limits.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use figures::{Form, LIMITS, Limits, Row, Samples, Verdict};

use super::report::{RESULTS, quantiles};
use super::results::{self, Kept, Results};
use super::table;
use crate::repository;

/// The figures of a run by their groups.
pub(crate) type Figures = BTreeMap<String, Vec<Samples>>;

/// Which figures must have been measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Those of tests as well.
    All,
    /// Tests need not have run before.
    AllButTests,
}

/// A figure of a group.
struct Gate {
    group: String,
    row: Row,
}

impl Gate {
    fn name(&self) -> String {
        format!("{}.{}", self.group, self.row.figure)
    }

    fn fails(&self, expected: Expected) -> bool {
        let is_of_tests = self.row.limit.as_ref().is_some_and(|limit| limit.form == Form::Test);
        let is_excused = self.row.verdict() == Verdict::NotMeasured && is_of_tests;
        self.row.fails() && !(is_excused && expected == Expected::AllButTests)
    }
}

/// Prints the table of all gates and writes the figures; fails if one is beyond its limit, or was not measured.
pub(crate) fn judge(mut figures: Figures, form: Form, expected: Expected, keep: bool) -> Result<()> {
    let root = repository::root();
    let limits = figures::read(&root.join(LIMITS))?;
    add_recorded(&mut figures, &limits)?;
    let kept = results::read(&root.join(RESULTS))?;
    let gates = gates(&figures, &limits, form, &kept)?;
    print!("\n{}", table::of_gates(gates.iter().map(|gate| (gate.name(), &gate.row))));
    let results = measured(&figures)?;
    let path = repository::target().join("bench").join(file(form));
    results::write(&path, &results)?;
    println!("\n{} gates, figures in {}", gates.len(), path.display());
    if keep {
        results.into_iter().try_for_each(|(group, run)| results::keep(&root.join(RESULTS), &group, run))?;
        println!("kept in {RESULTS}");
    }
    let failed: Vec<String> = gates.iter().filter(|gate| gate.fails(expected)).map(Gate::name).collect();
    ensure!(failed.is_empty(), "beyond the limits of {LIMITS}, or not measured: {}", failed.join(", "));
    Ok(())
}

const fn file(form: Form) -> &'static str {
    match form {
        Form::Full => "full.json",
        Form::Quick | Form::Test => "quick.json",
    }
}

/// Adds what tests recorded for the groups of the limits.
fn add_recorded(figures: &mut Figures, limits: &BTreeMap<String, Limits>) -> Result<()> {
    for group in limits.keys() {
        let recorded = figures::recorded(group)?;
        if !recorded.is_empty() {
            figures.entry(group.clone()).or_default().extend(recorded);
        }
    }
    Ok(())
}

fn gates(
    figures: &Figures,
    limits: &BTreeMap<String, Limits>,
    form: Form,
    kept: &Results,
) -> Result<Vec<Gate>> {
    let mut gates = Vec::new();
    let groups: Vec<&String> =
        figures.keys().chain(limits.keys().filter(|group| !figures.contains_key(*group))).collect();
    for group in groups {
        let mut of_form = limits.get(group).cloned().unwrap_or_default();
        of_form.retain(|_, limit| form == Form::Full || limit.form != Form::Full);
        let kept = kept.get(group).map(|kept| kept.figures.clone()).unwrap_or_default();
        let measured = quantiles(figures.get(group).map(Vec::as_slice).unwrap_or_default())?;
        let rows = figures::compare(&measured, &of_form, &kept)?;
        gates.extend(rows.into_iter().map(|row| Gate { group: group.clone(), row }));
    }
    Ok(gates)
}

fn measured(figures: &Figures) -> Result<Results> {
    let run = |(group, samples): (&String, &Vec<Samples>)| {
        Ok((group.clone(), Kept::of_this_machine(quantiles(samples)?.into_iter().collect())?))
    };
    figures.iter().map(run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use figures::Unit;

    fn limits() -> BTreeMap<String, Limits> {
        let limit = |name: &str, form: &str| {
            format!(
                "[{name}]\nunit = \"count\"\naim = 10.0\ntolerance = 1.1\njudged = \"worst\"\nform = \"{form}\"\n\
                 source = \"s\"\nreason = \"r\"\n"
            )
        };
        let text =
            [limit("one.quick", "quick"), limit("one.test", "test"), limit("two.full", "full")].concat();
        figures::parse(&text).unwrap()
    }

    fn failed(figures: &[(&str, f64)], form: Form, expected: Expected) -> Vec<String> {
        let samples = |(name, value): &(&str, f64)| Samples::new(name, Unit::Count, vec![*value]);
        let figures = Figures::from([("one".to_owned(), figures.iter().map(samples).collect())]);
        let gates = gates(&figures, &limits(), form, &Results::new()).unwrap();
        gates.iter().filter(|gate| gate.fails(expected)).map(Gate::name).collect()
    }

    #[test]
    fn a_figure_beyond_its_limit_fails_and_others_do_not() {
        let both = |quick, test| failed(&[("quick", quick), ("test", test)], Form::Quick, Expected::All);
        assert_eq!(both(11.0, 10.0), [""; 0]);
        assert_eq!(both(11.1, 10.0), ["one.quick"]);
        assert_eq!(both(1.0, 12.0), ["one.test"]);
    }

    #[test]
    fn what_was_not_measured_fails_but_for_tests_that_did_not_run() {
        assert_eq!(failed(&[], Form::Quick, Expected::All), ["one.quick", "one.test"]);
        assert_eq!(failed(&[], Form::Quick, Expected::AllButTests), ["one.quick"]);
        assert_eq!(
            failed(&[("quick", 1.0), ("test", 12.0)], Form::Quick, Expected::AllButTests),
            ["one.test"]
        );
    }

    #[test]
    fn the_full_form_has_the_limits_of_all_forms() {
        assert_eq!(failed(&[("quick", 1.0)], Form::Full, Expected::All), ["one.test", "two.full"]);
    }
}
