//! `./x bench`: the benches of liminal-core.

use anyhow::{Result, ensure};

use crate::command::CommandLine;
use crate::repository;

/// Names each bench, because cargo would hand their arguments to the unit tests of the library too.
pub(crate) fn run(name: Option<&str>, arguments: &[String]) -> Result<()> {
    let mut names = repository::rust_names(&repository::root().join("crates/liminal-core/benches"))?;
    names.retain(|found| name.is_none_or(|wanted| wanted == found));
    ensure!(!names.is_empty(), "no such bench in crates/liminal-core/benches");
    CommandLine::new("cargo bench --package liminal-core")
        .words(names.iter().flat_map(|name| ["--bench", name]))
        .word("--")
        .words(arguments)
        .run()
}
