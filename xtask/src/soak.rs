//! `./x soak`: the tests of reliability many times over, one after another, with their figures; then the laws of the
//! processor for many more sequences, and typing in a browser while requests come and go.

use anyhow::Result;

use crate::command::CommandLine;
use crate::web;

/// Read by the tests.
const VARIABLE: &str = "LIMINAL_SOAK";
/// Sequences for each law: over a million for all of them.
const SEQUENCES: &str = "100000";

/// The name of the part in the browser.
const TYPING: &str = "typing";

pub(crate) fn run(name: Option<&str>) -> Result<()> {
    if name == Some(TYPING) {
        return web::soak(VARIABLE);
    }
    let tests = format!("reliability::{}", name.unwrap_or_default());
    CommandLine::new("cargo test --release --package liminal-builder --test it")
        .word(tests.trim_end_matches("::"))
        .words(["--", "--nocapture", "--test-threads=1"])
        .variable(VARIABLE, "1")
        .run()?;
    if name.is_some() {
        return Ok(());
    }
    CommandLine::new("cargo test --release --package liminal-core --test laws")
        .variable("PROPTEST_CASES", std::env::var("PROPTEST_CASES").unwrap_or_else(|_| SEQUENCES.to_owned()))
        .run()?;
    web::soak(VARIABLE)
}
