//! `./x test`: all that must hold before a change is done, in the order of how soon it tells.

use std::num::NonZero;
use std::time::Instant;
use std::{env, thread};

use anyhow::{Context, Result, bail};

use crate::command::CommandLine;
use crate::{agents, r#gen, install, lint, repository, web};

/// A heading and what to do under it.
type Step = (&'static str, fn() -> Result<()>);

const STEPS: [Step; 11] = [
    ("install what is missing", install),
    ("agents under test", agents::install),
    ("web page", web::build),
    ("tests of the web page", web::test),
    ("format", lint::format),
    ("clippy", lint::clippy),
    ("documentation", lint::documentation),
    ("tests", tests),
    ("browser tests", web::browse),
    ("documentation tests", documentation_tests),
    ("generated files", r#gen::check),
];

pub(crate) fn core() -> Result<()> {
    CommandLine::new("cargo test --package liminal-core").run()
}

pub(crate) fn everything() -> Result<()> {
    let start = now();
    let before = repository::status()?;
    for (title, work) in STEPS {
        step(title, work)?;
    }
    step("clean work tree", || clean(before.as_deref()))?;
    println!("test: all {} steps passed in {:.1} s", STEPS.len() + 1, start.elapsed().as_secs_f64());
    Ok(())
}

fn step(title: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    eprintln!("\n== {title}");
    let start = now();
    work().context(title.to_owned())?;
    eprintln!("== {title}: {:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn install() -> Result<()> {
    install::ensure(install::TESTS)?;
    install::ensure_components()
}

fn tests() -> Result<()> {
    if CommandLine::new("cargo nextest --version").succeeds() {
        let profile = if in_ci() { "ci" } else { "default" };
        let command = format!("cargo nextest run --workspace --profile {profile} --test-threads");
        return CommandLine::new(&command).word(test_threads().to_string()).run();
    }
    // As nextest's profile: these measure, and need a machine of their own.
    let skipped =
        ["abuse", "agents", "crowds", "full", "slow"].map(|part| format!(" --skip reliability::{part}::"));
    CommandLine::new(&format!("cargo test --workspace --lib --bins --tests --{}", skipped.concat())).run()
}

/// More than the machine has, because most tests wait for a process or a timer half of the time.
fn test_threads() -> usize {
    thread::available_parallelism().map_or(2, NonZero::get) + 2
}

/// Apart, because nextest does not run them.
fn documentation_tests() -> Result<()> {
    CommandLine::new("cargo test --workspace --doc").run()
}

fn clean(before: Option<&str>) -> Result<()> {
    let (Some(before), Some(after)) = (before, repository::status()?) else {
        eprintln!("no git checkout, nothing to compare");
        return Ok(());
    };
    compare(if in_ci() { "" } else { before }, &after)
}

fn in_ci() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty())
}

fn compare(expected: &str, found: &str) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    let expected = if expected.is_empty() { "a clean one\n" } else { expected };
    bail!("the work tree is not as it should be; expected:\n{expected}found:\n{found}")
}

#[expect(clippy::disallowed_methods, reason = "a chore may tell how long it took")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_left_behind_is_an_error() {
        assert!(compare(" M a\n", " M a\n").is_ok());
        let error = compare("", "?? left-behind\n").unwrap_err();
        assert!(error.to_string().contains("left-behind"));
    }
}
