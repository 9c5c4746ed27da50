//! `./x bench`: the benches of both crates, and of the page in a browser. `--check` runs those whose figures are the same
//! on every machine, `--full` all that report figures.

mod gates;
mod report;
mod results;
mod suite;
mod table;

use anyhow::{Result, ensure};

use figures::Form;

use self::gates::{Expected, Figures};
pub(crate) use self::report::Wishes;
use self::suite::Reporting;
use crate::{install, repository, web};

/// The bench that is not cargo's.
const PAGE: &str = "web";

const PACKAGES: [&str; 2] = ["liminal-core", "liminal-builder"];

const CHECK: &str = "--check";
const FULL: &str = "--full";
const KEEP: &str = "--keep";

pub(crate) fn run(name: Option<&str>, wishes: Wishes, arguments: &[String]) -> Result<()> {
    let (wishes, arguments) = split(wishes, arguments);
    match name {
        None if wishes.full => whole(Form::Full, Expected::AllButTests, wishes.keep, &arguments),
        None if wishes.any() => whole(Form::Quick, Expected::AllButTests, wishes.keep, &arguments),
        Some(PAGE) => {
            ensure!(!wishes.any(), "the bench of the page reports no figures that could be kept or checked");
            web::bench(&arguments)
        }
        name => some(name, wishes, &arguments),
    }
}

/// The quick form after the tests: figures that tests record must be there, too.
pub(crate) fn check() -> Result<()> {
    whole(Form::Quick, Expected::All, false, &[])
}

/// Runs a whole form, and compares its figures with all limits of that form.
fn whole(form: Form, expected: Expected, keep: bool, arguments: &[String]) -> Result<()> {
    install::ensure(install::BENCHES)?;
    let mut figures = Figures::new();
    for bench in suite::REPORTING.iter().filter(|bench| form == Form::Full || bench.form() == Form::Quick) {
        figures.insert(bench.name.to_owned(), bench.run(arguments)?);
    }
    gates::judge(figures, form, expected, keep)
}

/// What is for this program, and what is for the benches.
fn split(wishes: Wishes, arguments: &[String]) -> (Wishes, Vec<String>) {
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let wishes = Wishes {
        check: wishes.check || has(CHECK),
        full: wishes.full || has(FULL),
        keep: wishes.keep || has(KEEP),
    };
    let rest = arguments.iter().filter(|argument| ![CHECK, FULL, KEEP].contains(&argument.as_str()));
    (wishes, rest.cloned().collect())
}

/// Runs the benches of a name, or all of them.
fn some(name: Option<&str>, wishes: Wishes, arguments: &[String]) -> Result<()> {
    let mut found = false;
    for package in PACKAGES {
        found |= run_package(package, name, wishes, arguments)?;
    }
    ensure!(found, "no such bench; they are in crates/*/benches, and `{PAGE}` is that of the page");
    Ok(())
}

fn run_package(package: &str, name: Option<&str>, wishes: Wishes, arguments: &[String]) -> Result<bool> {
    let mut names = repository::rust_names(&repository::root().join(format!("crates/{package}/benches")))?;
    names.retain(|found| name.is_none_or(|wanted| wanted == found));
    let found = !names.is_empty();
    let (reporting, printing): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| suite::find(name).is_some());
    ensure!(
        !wishes.any() || printing.is_empty(),
        "this bench reports no figures that could be kept or checked"
    );
    if !printing.is_empty() {
        suite::command(package, &printing, arguments).run()?;
    }
    for bench in reporting.iter().filter_map(|name| suite::find(name)) {
        run_reporting(bench, wishes, arguments)?;
    }
    Ok(found)
}

fn run_reporting(bench: &Reporting, wishes: Wishes, arguments: &[String]) -> Result<()> {
    install::ensure(install::BENCHES)?;
    report::report(bench.name, &bench.run(arguments)?, wishes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_this_program_do_not_reach_the_bench() {
        let arguments = ["--runs", "3", "--keep"].map(str::to_owned);
        let (wishes, rest) = split(Wishes::default(), &arguments);
        assert!(wishes.keep && !wishes.check && !wishes.full);
        assert_eq!(rest, ["--runs", "3"]);
    }

    #[test]
    fn a_bench_without_figures_cannot_be_checked() {
        for name in ["web", "server"] {
            let wishes = Wishes { check: true, ..Wishes::default() };
            assert!(run(Some(name), wishes, &[]).is_err(), "{name}");
        }
    }
}
