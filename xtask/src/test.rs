//! `./x test`: what must hold before a change is done, as parts in the order of how soon they tell.

mod parts;
mod repeat;
mod times;

use std::env;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use self::parts::Part;
use self::times::Times;
use crate::command::CommandLine;
use crate::repository;

pub(crate) use self::repeat::repeat;

pub(crate) fn core() -> Result<()> {
    CommandLine::new("cargo test --package liminal-core").run()
}

/// Runs the named parts, or all of them.
pub(crate) fn run(names: &[String]) -> Result<()> {
    let parts = parts::named(names)?;
    let mut times = Times::read(&repository::target());
    eprint!("{}", times.announcement(&parts));
    if names.is_empty() {
        figures::clear()?;
    }
    let (start, before) = (now(), repository::status()?);
    for part in &parts {
        times.keep(part.name, perform(part)?)?;
    }
    clean(before.as_deref())?;
    println!("test: {} parts passed in {:.1} s", parts.len(), start.elapsed().as_secs_f64());
    Ok(())
}

fn perform(part: &Part) -> Result<Duration> {
    eprintln!("\n== {}: {}", part.name, part.what);
    let start = now();
    (part.work)().context(part.name)?;
    let elapsed = start.elapsed();
    eprintln!("== {}: {:.1} s", part.name, elapsed.as_secs_f64());
    Ok(elapsed)
}

fn clean(before: Option<&str>) -> Result<()> {
    let (Some(before), Some(after)) = (before, repository::status()?) else {
        eprintln!("no git checkout, so files left behind are not looked for");
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

    #[test]
    fn all_parts_run_unless_some_are_named() {
        assert_eq!(parts::named(&[]).unwrap().len(), parts::PARTS.len());
    }
}
