//! `./x fuzz`: random input for the parsers, by cargo-fuzz. Knows nothing of what a target calls.

use anyhow::{Result, ensure};

use crate::command::CommandLine;
use crate::{repository, tools};

pub(crate) fn run(target: Option<&str>, seconds: u32) -> Result<()> {
    let mut targets = repository::rust_names(&repository::root().join("fuzz/fuzz_targets"))?;
    targets.retain(|found| target.is_none_or(|wanted| wanted == found));
    ensure!(!targets.is_empty(), "no such target in fuzz/fuzz_targets");
    ensure_tools()?;
    targets.iter().try_for_each(|target| fuzz(target, seconds))
}

fn fuzz(target: &str, seconds: u32) -> Result<()> {
    CommandLine::new("cargo +nightly fuzz run")
        .word(target)
        .word("--")
        .words(["-verbosity=0", "-print_funcs=0", "-print_final_stats=1"])
        .word(format!("-max_total_time={seconds}"))
        .variable("PATH", tools::path()?)
        .run()
}

fn ensure_tools() -> Result<()> {
    let nightly = CommandLine::new("cargo +nightly --version").succeeds();
    ensure!(nightly, "fuzzing needs a nightly toolchain: rustup toolchain install nightly --profile minimal");
    tools::ensure("fuzz")
}
