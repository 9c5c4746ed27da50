//! `./x lint`: everything that can be wrong without running the code.

use anyhow::Result;

use crate::command::CommandLine;
use crate::install;

pub(crate) fn everything() -> Result<()> {
    install::ensure_components()?;
    format()?;
    clippy()?;
    documentation()?;
    dependencies()
}

pub(crate) fn format() -> Result<()> {
    CommandLine::new("cargo fmt --all --check").run()?;
    CommandLine::new("cargo fmt --manifest-path fuzz/Cargo.toml --check").run()
}

pub(crate) fn clippy() -> Result<()> {
    CommandLine::new("cargo clippy --workspace --all-targets -- -D warnings").run()
}

pub(crate) fn documentation() -> Result<()> {
    CommandLine::new("cargo doc --workspace --no-deps --document-private-items")
        .variable("RUSTDOCFLAGS", "-D warnings")
        .run()
}

/// cargo-deny wants the network for its advisories, so it is welcome but not required.
fn dependencies() -> Result<()> {
    if CommandLine::new("cargo deny --version").succeeds() {
        return CommandLine::new("cargo deny check").run();
    }
    eprintln!("dependencies not checked; to check them: cargo install --locked cargo-deny");
    Ok(())
}
