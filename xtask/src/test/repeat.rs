//! `./x test --repeat N NAME`: runs the tests whose names contain NAME many times, to find those that fail sometimes.

use anyhow::{Result, ensure};

use crate::command::CommandLine;
use crate::{install, web};

pub(crate) fn repeat(count: u32, name: &str) -> Result<()> {
    ensure!(count > 0, "a test that is repeated 0 times shows nothing");
    install::ensure_nextest()?;
    if !is_rust_test(name)? {
        eprintln!("no Rust test is called `{name}`, so it is looked for among the browser tests");
        return web::repeat(count, name);
    }
    CommandLine::new("cargo nextest run --workspace --no-fail-fast --final-status-level fail --stress-count")
        .word(count.to_string())
        .word(name)
        .run()
}

fn is_rust_test(name: &str) -> Result<bool> {
    let list =
        CommandLine::new("cargo nextest list --workspace --message-format oneline").word(name).output()?;
    Ok(!list.trim().is_empty())
}
