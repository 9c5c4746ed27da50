//! What cargo-mutants found. Owns how its `outcomes.json` is read, how many mutants must be caught, and which survivors are
//! accepted.

use std::fmt;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// How many of a hundred viable mutants a test must notice.
const ENOUGH: usize = 95;

/// How many mutants were caught, and which were not.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    /// A test failed, or did not end in time.
    pub(crate) caught: usize,
    /// Did not compile, so nothing could notice them.
    pub(crate) unviable: usize,
    /// No test noticed them.
    pub(crate) survivors: Vec<String>,
}

#[derive(Deserialize)]
struct Outcomes {
    outcomes: Vec<Outcome>,
}

#[derive(Deserialize)]
struct Outcome {
    scenario: Scenario,
    summary: Summary,
}

#[derive(Deserialize)]
enum Scenario {
    Baseline,
    Mutant(Mutant),
}

#[derive(Deserialize)]
struct Mutant {
    name: String,
}

#[derive(Deserialize)]
enum Summary {
    Success,
    CaughtMutant,
    MissedMutant,
    Unviable,
    Failure,
    Timeout,
}

impl Report {
    pub(crate) fn read(json: &str) -> Result<Self> {
        let Outcomes { outcomes } =
            serde_json::from_str(json).context("outcomes.json is not as this version of ./x knows it")?;
        let mut report = Self::default();
        for outcome in outcomes {
            match outcome.scenario {
                Scenario::Baseline => {}
                Scenario::Mutant(mutant) => report.take(mutant.name, &outcome.summary),
            }
        }
        Ok(report)
    }

    fn take(&mut self, name: String, summary: &Summary) {
        match summary {
            Summary::CaughtMutant | Summary::Timeout => self.caught += 1,
            Summary::Unviable => self.unviable += 1,
            // The last two are what a run that was broken off leaves.
            Summary::MissedMutant | Summary::Success | Summary::Failure => self.survivors.push(name),
        }
    }

    const fn viable(&self) -> usize {
        self.caught + self.survivors.len()
    }

    /// Accepted survivors count as well: the list explains them, and must not grow unnoticed.
    pub(crate) fn ensure_enough(&self) -> Result<()> {
        ensure!(self.viable() > 0, "no mutant could be tested");
        let is_enough = self.caught * 100 >= self.viable() * ENOUGH;
        ensure!(is_enough, "fewer than {ENOUGH} % were caught; write tests that notice the others");
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = (self.caught * 1000).checked_div(self.viable()).unwrap_or_default();
        let (whole, tenth) = (share / 10, share % 10);
        write!(formatter, "caught {} of {} mutants, {whole}.{tenth} %", self.caught, self.viable())?;
        write!(formatter, "; {} did not compile", self.unviable)
    }
}

/// Survivors that somebody looked at.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accepted {
    #[serde(default, rename = "survivor")]
    survivors: Vec<Survivor>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Survivor {
    /// Below `src`; without a line, since lines move.
    file: String,
    /// In the words of cargo-mutants.
    change: String,
    /// Why no test is written for it.
    reason: String,
}

impl Accepted {
    pub(crate) fn read(text: &str) -> Result<Self> {
        let accepted: Self = toml::from_str(text)?;
        for Survivor { file, change, reason } in &accepted.survivors {
            let is_whole = [file, change, reason].iter().all(|field| !field.trim().is_empty());
            ensure!(is_whole, "a survivor needs a file, a change and a reason: {file}: {change}");
        }
        Ok(accepted)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.survivors.iter().any(|survivor| survivor.is(name))
    }

    /// Those that are among no survivors.
    pub(crate) fn unused(&self, survivors: &[String]) -> Vec<String> {
        let unused = self.survivors.iter().filter(|accepted| !survivors.iter().any(|name| accepted.is(name)));
        unused.map(|Survivor { file, change, .. }| format!("{file}: {change}")).collect()
    }
}

impl Survivor {
    /// A name is `file:line:column: change`.
    fn is(&self, name: &str) -> bool {
        let of_file = name.strip_prefix("crates/liminal-core/src/").and_then(|name| name.split_once(':'));
        of_file.is_some_and(|(file, rest)| {
            file == self.file && rest.split_once(": ").is_some_and(|(_, change)| change == self.change)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "crates/liminal-core/src/turns.rs:7:9: replace > with >= in Turns::settle";

    fn outcomes(summaries: &[&str]) -> String {
        let mutants = summaries.iter().map(|summary| {
            format!(
                r#"{{"scenario": {{"Mutant": {{"name": "{NAME}", "genre": "x"}}}}, "summary": "{summary}"}}"#
            )
        });
        let baseline = r#"{"scenario": "Baseline", "summary": "Success", "log_path": "l"}"#.to_owned();
        let outcomes: Vec<String> = [baseline].into_iter().chain(mutants).collect();
        format!(r#"{{"outcomes": [{}], "total_mutants": 3}}"#, outcomes.join(","))
    }

    fn report(caught: usize, survivors: usize) -> Report {
        Report { caught, unviable: 7, survivors: vec![NAME.to_owned(); survivors] }
    }

    #[test]
    fn outcomes_are_counted() {
        let json = outcomes(&["CaughtMutant", "MissedMutant", "Timeout", "Unviable"]);
        let report = Report::read(&json).unwrap();
        assert_eq!(report, Report { caught: 2, unviable: 1, survivors: vec![NAME.to_owned()] });
        assert_eq!(report.to_string(), "caught 2 of 3 mutants, 66.6 %; 1 did not compile");
        assert!(Report::read(&outcomes(&["Eaten"])).is_err(), "a later version must not pass unseen");
    }

    #[test]
    fn a_mutant_that_was_not_tested_to_its_end_is_not_caught() {
        assert_eq!(Report::read(&outcomes(&["Success", "Failure"])).unwrap().survivors.len(), 2);
    }

    #[test]
    fn of_a_hundred_viable_mutants_ninety_five_must_be_caught() {
        report(95, 5).ensure_enough().unwrap();
        report(1, 0).ensure_enough().unwrap();
        for (caught, survivors) in [(94, 6), (949, 51), (0, 0), (0, 1)] {
            assert!(report(caught, survivors).ensure_enough().is_err(), "{caught} of {}", caught + survivors);
        }
    }

    #[test]
    fn accepted_survivors_are_known_by_file_and_change() {
        let text = "[[survivor]]\nfile = \"turns.rs\"\nchange = \"replace > with >= in Turns::settle\"\n\
            reason = \"it happens later\"\n";
        let accepted = Accepted::read(text).unwrap();
        assert!(accepted.has(NAME) && accepted.has(&NAME.replace(":7:9:", ":8:1:")));
        assert!(!accepted.has(&NAME.replace("turns.rs", "upsert.rs")));
        assert!(!accepted.has(&NAME.replace(">=", "==")));
        assert_eq!(accepted.unused(&[NAME.to_owned()]), Vec::<String>::new());
        assert_eq!(accepted.unused(&[]), ["turns.rs: replace > with >= in Turns::settle"]);
    }

    #[test]
    fn a_survivor_without_a_reason_is_refused() {
        assert!(Accepted::read("").is_ok());
        for text in ["reason = \"\"", "", "reason = \"x\"\nline = 3"] {
            let text = format!("[[survivor]]\nfile = \"a.rs\"\nchange = \"b\"\n{text}\n");
            assert!(Accepted::read(&text).is_err(), "{text}");
        }
    }
}
