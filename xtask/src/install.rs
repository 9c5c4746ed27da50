//! What the verbs need on this machine, and how to get it. A new need is one line in a table.

use std::env;

use anyhow::{Result, bail};

use crate::command::CommandLine;

/// A program and the Debian package that brings it.
type Need = (&'static str, &'static str);

pub(crate) const TESTS: &[Need] =
    &[("faketime", "faketime"), ("git", "git"), ("redis-server", "redis-server"), ("strace", "strace")];

pub(crate) const BENCHES: &[Need] = &[("strace", "strace"), ("valgrind", "valgrind")];

pub(crate) const WEB: &[Need] = &[("node", "nodejs"), ("npm", "npm")];

pub(crate) const BROWSER: &[Need] = &[("chromium", "chromium"), ("firefox-esr", "firefox-esr")];

pub(crate) const CLUSTER: &[Need] =
    &[("redis-server", "redis-server"), ("redis-cli", "redis-tools"), ("nginx", "nginx-light")];

const NEXTEST: &str = "0.9.143";

/// Installs with apt-get as root; tells anybody else what to install.
pub(crate) fn ensure(needs: &[Need]) -> Result<()> {
    let missing = missing(needs, is_installed);
    if missing.is_empty() {
        return Ok(());
    }
    if !is_installed("apt-get") || CommandLine::new("id -u").output()?.trim() != "0" {
        bail!("missing on this machine; as root, run: apt-get install {}", missing.join(" "));
    }
    CommandLine::new("apt-get update -qq").run()?;
    CommandLine::new("apt-get install -y -qq --no-install-recommends")
        .words(missing)
        .variable("DEBIAN_FRONTEND", "noninteractive")
        .run()
}

/// The parts of the toolchain that a minimal one lacks.
pub(crate) fn ensure_components() -> Result<()> {
    for (probe, component) in [("cargo fmt --version", "rustfmt"), ("cargo clippy --version", "clippy")] {
        if !CommandLine::new(probe).succeeds() {
            CommandLine::new("rustup component add").word(component).run()?;
        }
    }
    Ok(())
}

/// Runs each test in a process of its own, with a time limit. `cargo test` cannot, so there is no substitute.
pub(crate) fn ensure_nextest() -> Result<()> {
    if CommandLine::new("cargo nextest --version").succeeds() {
        return Ok(());
    }
    eprintln!("installing cargo-nextest {NEXTEST}, which takes some minutes once");
    CommandLine::new("cargo install --locked cargo-nextest --version").word(NEXTEST).run()
}

fn missing(needs: &[Need], is_installed: fn(&str) -> bool) -> Vec<&'static str> {
    needs.iter().filter(|(program, _)| !is_installed(program)).map(|(_, package)| *package).collect()
}

fn is_installed(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_absent_is_missing() {
        let needs = [("present", "one"), ("absent", "two")];
        assert_eq!(missing(&needs, |program| program == "present"), ["two"]);
    }

    #[test]
    fn programs_are_found_on_the_path() {
        assert!(is_installed("sh"));
        assert!(!is_installed("no-such-program"));
    }
}
