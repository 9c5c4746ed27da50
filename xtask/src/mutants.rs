//! `./x mutants`: changes the code of liminal-core in small ways, by cargo-mutants, and looks whether a test notices.
//! `.cargo/mutants.toml` says what is changed and which tests run.

mod report;

use std::fs;
use std::str::FromStr;

use anyhow::{Context, Result, bail};

use crate::command::CommandLine;
use crate::{repository, tools};
use report::{Accepted, Report};

/// Mutants that survive, each with the reason why no test is written for it.
const ACCEPTED: &str = "crates/liminal-core/mutants.toml";
/// Sequences for each law. A mutant that only a rare sequence finds is found by `./x soak` as well.
const SEQUENCES: &str = "16";

/// One part of all mutants, from 1. Each part has mutants of every file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    number: u32,
    of: u32,
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let part = text.split_once('/').and_then(|(number, of)| {
            let (number, of) = (number.parse().ok()?, of.parse().ok()?);
            (1..=of).contains(&number).then_some(Self { number, of })
        });
        part.ok_or_else(|| "expected a part such as 3/20, from 1/20 to 20/20".to_owned())
    }
}

pub(crate) fn run(part: Option<Part>) -> Result<()> {
    let accepted = fs::read_to_string(repository::root().join(ACCEPTED)).context(ACCEPTED)?;
    let accepted = Accepted::read(&accepted).context(ACCEPTED)?;
    tools::ensure("mutants")?;
    test_mutants(part)?;
    let outcomes = repository::target().join("mutants.out/outcomes.json");
    let outcomes = fs::read_to_string(&outcomes).with_context(|| outcomes.display().to_string())?;
    let report = Report::read(&outcomes)?;
    print(&report, &accepted, part);
    report.ensure_enough()
}

/// The exit code says whether all mutants were caught; only the report says whether enough were.
fn test_mutants(part: Option<Part>) -> Result<()> {
    let mut command = CommandLine::new("cargo mutants --package liminal-core --sharding round-robin");
    if let Some(Part { number, of }) = part {
        command = command.word("--shard").word(format!("{}/{of}", number - 1));
    }
    let code = command
        .word("--output")
        .word(repository::target())
        .variable("PATH", tools::path()?)
        .variable("PROPTEST_CASES", SEQUENCES)
        // Each copy of the sources is built in a folder of its own.
        .without_variable("CARGO_TARGET_DIR")
        .code()?;
    match code {
        0 | 2 | 3 => Ok(()),
        4 => bail!("the tests fail without any change; run `./x test --fast`"),
        other => bail!("cargo-mutants ended with exit code {other}"),
    }
}

fn print(report: &Report, accepted: &Accepted, part: Option<Part>) {
    println!("{report}");
    for survivor in report.survivors.iter().filter(|survivor| !accepted.has(survivor)) {
        println!("no test notices: {survivor}");
    }
    if part.is_none() {
        for pattern in accepted.unused(&report.survivors) {
            println!("survives no more, so remove it from {ACCEPTED}: {pattern}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_from_one() {
        assert_eq!("3/20".parse(), Ok(Part { number: 3, of: 20 }));
        assert_eq!("20/20".parse(), Ok(Part { number: 20, of: 20 }));
        for wrong in ["", "3", "0/20", "21/20", "a/b", "1/0", "-1/2"] {
            assert!(wrong.parse::<Part>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_accepted_survivors_can_be_read() {
        Accepted::read(&fs::read_to_string(repository::root().join(ACCEPTED)).unwrap()).unwrap();
    }
}
