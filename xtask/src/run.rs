//! `./x run`: builds the web page and the server with the profile `local`, and becomes the server.

mod progress;

use std::io::IsTerminal;

use anyhow::Result;

use self::progress::Progress;
use crate::command::CommandLine;
use crate::{repository, web};

/// See `[profile.local]` in Cargo.toml.
const PROFILE: &str = "local";

pub(crate) fn serve(arguments: &[String]) -> Result<()> {
    eprintln!("[1/3] The web page. Next: the server, then its start.");
    web::build()?;
    eprintln!("[2/3] The server. The first build takes some minutes. Next: its start.");
    build()?;
    eprintln!("[3/3] Starting. Open the address below in a browser; Ctrl-C ends the server.");
    CommandLine::program(repository::target().join(PROFILE).join("liminal"))
        .word("serve")
        .words(arguments)
        // Set by rustup for this tool; it would pin the toolchain of every project the server works on.
        .without_variable("RUSTUP_TOOLCHAIN")
        .replace()
}

fn build() -> Result<()> {
    let mut progress = Progress::new(std::io::stderr().is_terminal());
    let built = CommandLine::new("cargo build --package liminal-builder --bin liminal --profile")
        .word(PROFILE)
        .variable("CARGO_TERM_COLOR", "never")
        .variable("CARGO_TERM_PROGRESS_WHEN", "always")
        .variable("CARGO_TERM_PROGRESS_WIDTH", "160")
        .run_reading_errors(|line| progress.read(line));
    progress.end();
    built
}
