//! `./x fuzz`: random input for the parsers, by cargo-fuzz. Knows nothing of what a target checks.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail, ensure};

use crate::command::CommandLine;
use crate::{repository, tools};

/// Runs one target, or one after the other until one finds something.
pub(crate) fn run(target: Option<&str>, seconds: u32) -> Result<()> {
    let mut targets = targets()?;
    targets.retain(|found| target.is_none_or(|wanted| wanted == found));
    ensure!(!targets.is_empty(), "no such target in fuzz/fuzz_targets");
    ensure_tools()?;
    targets.iter().try_for_each(|target| fuzz(target, seconds))
}

/// Runs every target, whatever the others find, and tells at the end which found something.
pub(crate) fn all(seconds: u32) -> Result<()> {
    ensure_tools()?;
    CommandLine::new("cargo +nightly fuzz build").variable("PATH", tools::path()?).run()?;
    let targets = targets()?;
    let failed: Vec<String> =
        targets.iter().filter_map(|target| fuzz(target, seconds).err().map(|_| target.clone())).collect();
    println!("fuzz: {} targets for {seconds} s each, {} found something", targets.len(), failed.len());
    if failed.is_empty() {
        return Ok(());
    }
    bail!(
        "{}: fix what was found, and keep the input, so that ./x test tries it again: mv fuzz/artifacts/TARGET/* \
         fuzz/inputs/TARGET/",
        failed.join(", ")
    )
}

fn targets() -> Result<Vec<String>> {
    Ok(repository::rust_names(&repository::root().join("fuzz/fuzz_targets"))?)
}

/// What is found on the way is added to the first folder; the second has the inputs that are kept.
fn fuzz(target: &str, seconds: u32) -> Result<()> {
    let (found, kept) = (Path::new("fuzz/corpus").join(target), Path::new("fuzz/inputs").join(target));
    fs::create_dir_all(repository::root().join(&found))?;
    CommandLine::new("cargo +nightly fuzz run")
        .word(target)
        .words([found, kept])
        .word("--")
        .words(["-verbosity=0", "-print_funcs=0", "-print_final_stats=1", "-timeout=25"])
        .word(format!("-max_total_time={seconds}"))
        .variable("PATH", tools::path()?)
        .run()
}

fn ensure_tools() -> Result<()> {
    let nightly = CommandLine::new("cargo +nightly --version").succeeds();
    ensure!(nightly, "fuzzing needs a nightly toolchain: rustup toolchain install nightly --profile minimal");
    tools::ensure("fuzz")
}
