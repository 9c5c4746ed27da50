//! `./x fuzz`: random input for the parsers, by cargo-fuzz. Knows nothing of what a target calls.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::command::CommandLine;
use crate::repository;

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
        .variable("PATH", path_with_tools()?)
        .run()
}

fn ensure_tools() -> Result<()> {
    let nightly = CommandLine::new("cargo +nightly --version").succeeds();
    ensure!(nightly, "fuzzing needs a nightly toolchain: rustup toolchain install nightly --profile minimal");
    let found = CommandLine::new("cargo fuzz --version").variable("PATH", path_with_tools()?).succeeds();
    if found {
        return Ok(());
    }
    CommandLine::new("cargo install cargo-fuzz --locked --root").word(tools()).run()
}

/// Not the user's own folder of tools: a chore must leave the machine as it found it.
fn tools() -> PathBuf {
    repository::target().join("tools")
}

fn path_with_tools() -> Result<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([tools().join("bin")]);
    env::join_paths(folders).context("the path of this repository holds a colon")
}
