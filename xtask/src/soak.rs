//! `./x soak`: the tests of reliability many times over, one after another, with their figures.

use anyhow::Result;

use crate::command::CommandLine;

/// Read by the tests.
const VARIABLE: &str = "LIMINAL_SOAK";

pub(crate) fn run(name: Option<&str>) -> Result<()> {
    let tests = format!("reliability::{}", name.unwrap_or_default());
    CommandLine::new("cargo test --release --package liminal-builder --test it")
        .word(tests.trim_end_matches("::"))
        .words(["--", "--nocapture", "--test-threads=1"])
        .variable(VARIABLE, "1")
        .run()
}
