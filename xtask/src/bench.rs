//! `./x bench`: the benches of both crates, and of the page in a browser.

mod limits;
mod report;
mod results;
mod samples;
mod table;
mod verdict;

use anyhow::{Result, ensure};

pub(crate) use self::report::Wishes;
use crate::command::CommandLine;
use crate::{repository, web};

/// The bench that is not cargo's.
const PAGE: &str = "web";

const PACKAGES: [&str; 2] = ["liminal-core", "liminal-builder"];

/// The benches that report figures, which are compared with limits and with kept ones.
const REPORTING: [&str; 1] = ["agents"];

const CHECK: &str = "--check";
const KEEP: &str = "--keep";

pub(crate) fn run(name: Option<&str>, wishes: Wishes, arguments: &[String]) -> Result<()> {
    let (wishes, arguments) = split(wishes, arguments);
    if name == Some(PAGE) {
        ensure!(!wishes.any(), "the bench of the page reports no figures that could be kept or checked");
        return web::bench(&arguments);
    }
    let mut found = false;
    for package in PACKAGES {
        found |= run_package(package, name, wishes, &arguments)?;
    }
    ensure!(found, "no such bench; they are in crates/*/benches, and `{PAGE}` is that of the page");
    Ok(())
}

/// What is for this program, and what is for the benches.
fn split(wishes: Wishes, arguments: &[String]) -> (Wishes, Vec<String>) {
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let wishes = Wishes { check: wishes.check || has(CHECK), keep: wishes.keep || has(KEEP) };
    let rest = arguments.iter().filter(|argument| ![CHECK, KEEP].contains(&argument.as_str()));
    (wishes, rest.cloned().collect())
}

fn run_package(package: &str, name: Option<&str>, wishes: Wishes, arguments: &[String]) -> Result<bool> {
    let mut names = repository::rust_names(&repository::root().join(format!("crates/{package}/benches")))?;
    names.retain(|found| name.is_none_or(|wanted| wanted == found));
    let found = !names.is_empty();
    let (reporting, mut printing): (Vec<String>, Vec<String>) =
        names.into_iter().partition(|name| REPORTING.contains(&name.as_str()));
    if wishes.any() {
        ensure!(name.is_none() || printing.is_empty(), "this bench reports no figures; {REPORTING:?} do");
        printing.clear();
    }
    if !printing.is_empty() {
        command(package, &printing, arguments).run()?;
    }
    for bench in &reporting {
        let output = command(package, std::slice::from_ref(bench), arguments).output()?;
        report::report(bench, &output, wishes)?;
    }
    Ok(found)
}

/// Names each bench, because cargo would hand their arguments to the unit tests of the library too.
fn command(package: &str, benches: &[String], arguments: &[String]) -> CommandLine {
    CommandLine::new(&format!("cargo bench --package {package}"))
        .words(benches.iter().flat_map(|name| ["--bench", name]))
        .word("--")
        .words(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_this_program_do_not_reach_the_bench() {
        let arguments = ["--runs", "3", "--keep"].map(str::to_owned);
        let (wishes, rest) = split(Wishes::default(), &arguments);
        assert!(wishes.keep && !wishes.check);
        assert_eq!(rest, ["--runs", "3"]);
    }

    #[test]
    fn a_bench_without_figures_cannot_be_checked() {
        for name in ["web", "server"] {
            assert!(run(Some(name), Wishes { check: true, keep: false }, &[]).is_err(), "{name}");
        }
    }
}
