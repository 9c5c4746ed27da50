//! `./x run`: the server as a user gets it.

use anyhow::Result;

use crate::command::CommandLine;
use crate::{repository, web};

pub(crate) fn serve(arguments: &[String]) -> Result<()> {
    web::build()?;
    CommandLine::new("cargo build --release --package liminal-builder --bin liminal").run()?;
    CommandLine::program(repository::target().join("release/liminal"))
        .word("serve")
        .words(arguments)
        // Set by rustup for this tool; it would pin the toolchain of every project the server works on.
        .without_variable("RUSTUP_TOOLCHAIN")
        .replace()
}
