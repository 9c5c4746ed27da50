//! Every chore of this repository, behind `./x`. Knows the verbs; each verb is a file of its own.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool speaks by printing")]

mod acceptance;
mod agents;
mod bench;
mod command;
mod demo_cluster;
mod fuzz;
mod r#gen;
mod install;
mod lint;
mod mutants;
mod node;
mod repository;
mod run;
mod soak;
mod test;
#[cfg(test)]
mod tidy;
mod tools;
mod web;

use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;

use bench::Wishes;

#[derive(Debug, Parser)]
#[command(name = "x", bin_name = "./x", about = "Every chore of this repository")]
enum Verb {
    /// Build the web page and the server, then start it
    Run {
        /// Arguments for `liminal serve`, after `--`
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Check and test everything, as continuous integration does
    Test {
        /// Only these parts, such as `rust` or `browser`; all of them by default
        parts: Vec<String>,
        /// Only the tests of liminal-core
        #[arg(long, conflicts_with = "parts")]
        fast: bool,
        /// Run the tests whose names contain NAME several times, to find flaky ones
        #[arg(long, num_args = 2, value_names = ["N", "NAME"], conflicts_with_all = ["parts", "fast"])]
        repeat: Option<Vec<String>>,
    },
    /// Check format, lints, documentation and dependencies
    Lint,
    /// Write the JSON Schema, TypeScript and OpenAPI files made from the Rust code
    Gen {
        /// Write nothing; fail when a file is stale
        #[arg(long)]
        check: bool,
    },
    /// Run the benches of both crates
    Bench {
        /// A file of a benches folder, without `.rs`, or `web` for the page in a browser; all of cargo's by default
        name: Option<String>,
        /// Fail if a figure exceeds its limit in bench/limits.toml; without NAME, for all that need no release build
        #[arg(long)]
        check: bool,
        /// The same for everything that has a limit, built for release
        #[arg(long, conflicts_with = "name")]
        full: bool,
        /// Write the figures to bench/results.json, with which later runs are compared
        #[arg(long)]
        keep: bool,
        /// Arguments for the benches, after `--`; the flags above may stand there too
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Feed random input to the parsers; needs a nightly toolchain
    Fuzz {
        /// A file of fuzz/fuzz_targets, without `.rs`; all of them by default
        target: Option<String>,
        /// How long each target runs
        #[arg(default_value_t = 20)]
        seconds: u32,
        /// Run every target for so long, also after one has found something
        #[arg(long, value_name = "SECONDS", conflicts_with_all = ["target", "seconds"])]
        all: Option<u32>,
    },
    /// Change liminal-core in small ways and look whether a test notices; takes hours
    Mutants {
        /// Only a part of the changes, from 1/20 to 20/20; all of them by default
        part: Option<mutants::Part>,
    },
    /// Run the tests of reliability for much longer
    Soak {
        /// A part of their names; all of them by default
        name: Option<String>,
    },
    /// Start two servers on one Redis behind nginx, to be looked at
    DemoCluster,
    /// Build the web page if its sources changed
    Web,
    /// Test the whole program in Chromium
    Browse,
}

fn main() -> ExitCode {
    match perform(Verb::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("x: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn repeat(words: &[String]) -> anyhow::Result<()> {
    let [count, name] = words else { anyhow::bail!("`--repeat` takes a number and a name") };
    test::repeat(count.parse().context("`--repeat` takes a number first")?, name)
}

fn perform(verb: Verb) -> anyhow::Result<()> {
    match verb {
        Verb::Run { arguments } => run::serve(&arguments),
        Verb::Test { repeat: Some(words), .. } => repeat(&words),
        Verb::Test { fast: true, .. } => test::core(),
        Verb::Test { parts, .. } => test::run(&parts),
        Verb::Lint => lint::everything(),
        Verb::Gen { check: true } => r#gen::check(),
        Verb::Gen { check: false } => r#gen::write(),
        Verb::Bench { name, check, full, keep, arguments } => {
            bench::run(name.as_deref(), Wishes { check, full, keep }, &arguments)
        }
        Verb::Fuzz { all: Some(seconds), .. } => fuzz::all(seconds),
        Verb::Fuzz { target, seconds, all: None } => fuzz::run(target.as_deref(), seconds),
        Verb::Mutants { part } => mutants::run(part),
        Verb::Soak { name } => soak::run(name.as_deref()),
        Verb::DemoCluster => demo_cluster::run(),
        Verb::Web => web::build(),
        Verb::Browse => web::browse(),
    }
}
