//! The benches that report figures, and how each is built. A bench that joins is one line here, and its limits are the
//! group of its name in `bench/limits.toml`.

use anyhow::{Context, Result};

use figures::{Form, Samples};

use crate::command::CommandLine;
use crate::repository;

/// A bench that prints its figures as lines of JSON.
#[derive(Debug)]
pub(crate) struct Reporting {
    pub(crate) name: &'static str,
    build: Build,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Build {
    /// With the profile of counted instructions.
    Counts,
    /// As tests are, so that little is compiled for it.
    Test,
    Release,
}

pub(crate) const REPORTING: [Reporting; 7] = [
    Reporting { name: "counts", build: Build::Counts },
    Reporting { name: "traffic", build: Build::Test },
    Reporting { name: "load", build: Build::Release },
    Reporting { name: "agents", build: Build::Release },
    Reporting { name: "filter", build: Build::Release },
    Reporting { name: "log", build: Build::Release },
    Reporting { name: "processor", build: Build::Release },
];

pub(crate) fn find(name: &str) -> Option<&'static Reporting> {
    REPORTING.iter().find(|bench| bench.name == name)
}

impl Reporting {
    /// The smallest form that it is a part of.
    pub(crate) const fn form(&self) -> Form {
        match self.build {
            Build::Counts | Build::Test => Form::Quick,
            Build::Release => Form::Full,
        }
    }

    /// Runs it; gives its figures, and prints what else it says.
    pub(crate) fn run(&self, arguments: &[String]) -> Result<Vec<Samples>> {
        let output = self.command(arguments)?.output()?;
        output.lines().filter(|line| !line.starts_with('{')).for_each(|line| println!("{line}"));
        Samples::read(&output)
    }

    fn command(&self, arguments: &[String]) -> Result<CommandLine> {
        let (name, package) = (self.name, package(self.name)?);
        let line = match self.build {
            Build::Counts => format!("cargo bench --profile counts --package {package} --bench {name} --"),
            // The whole workspace, because features of dependencies are those that the tests were built with.
            Build::Test => format!("cargo test --workspace --bench {name} --"),
            Build::Release => return Ok(command(package, &[name.to_owned()], arguments)),
        };
        Ok(CommandLine::new(&line).words(arguments))
    }
}

/// Names each bench, because cargo would hand their arguments to the unit tests of the library too.
pub(crate) fn command(package: &str, benches: &[String], arguments: &[String]) -> CommandLine {
    CommandLine::new(&format!("cargo bench --package {package}"))
        .words(benches.iter().flat_map(|name| ["--bench", name]))
        .word("--")
        .words(arguments)
}

fn package(bench: &str) -> Result<&'static str> {
    let has =
        |package: &&&str| repository::root().join(format!("crates/{package}/benches/{bench}.rs")).is_file();
    super::PACKAGES.iter().find(has).copied().with_context(|| format!("no package has a bench {bench}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bench_that_reports_is_there() {
        for bench in &REPORTING {
            assert!(package(bench.name).is_ok(), "{}", bench.name);
        }
    }

    #[test]
    fn the_quick_form_needs_no_release_build() {
        for bench in REPORTING.iter().filter(|bench| bench.form() == Form::Quick) {
            let line = bench.command(&[]).unwrap().to_string();
            assert!(line.contains("--profile counts") || line.starts_with("cargo test"), "{line}");
        }
    }
}
