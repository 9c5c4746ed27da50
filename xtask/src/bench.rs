//! `./x bench`: the benches of both crates, and of the page in a browser.

use anyhow::{Result, ensure};

use crate::command::CommandLine;
use crate::{repository, web};

/// The bench that is not cargo's.
const PAGE: &str = "web";

const PACKAGES: [&str; 2] = ["liminal-core", "liminal-builder"];

pub(crate) fn run(name: Option<&str>, arguments: &[String]) -> Result<()> {
    if name == Some(PAGE) {
        return web::bench(arguments);
    }
    let mut found = false;
    for package in PACKAGES {
        found |= run_package(package, name, arguments)?;
    }
    ensure!(found, "no such bench; they are in crates/*/benches, and `{PAGE}` is that of the page");
    Ok(())
}

/// Names each bench, because cargo would hand their arguments to the unit tests of the library too.
fn run_package(package: &str, name: Option<&str>, arguments: &[String]) -> Result<bool> {
    let mut names = repository::rust_names(&repository::root().join(format!("crates/{package}/benches")))?;
    names.retain(|found| name.is_none_or(|wanted| wanted == found));
    if names.is_empty() {
        return Ok(false);
    }
    CommandLine::new(&format!("cargo bench --package {package}"))
        .words(names.iter().flat_map(|name| ["--bench", name]))
        .word("--")
        .words(arguments)
        .run()?;
    Ok(true)
}
