//! The parts of `./x test`, each of which can be run alone.

use std::num::NonZero;
use std::thread;

use anyhow::{Context, Result};

use crate::command::CommandLine;
use crate::{agents, bench, r#gen, install, lint, web};

/// Something that must hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) what: &'static str,
    pub(super) work: fn() -> Result<()>,
}

pub(super) const PARTS: [Part; 12] = [
    Part { name: "install", what: "install what is missing on this machine", work: install },
    Part { name: "agents", what: "install the agents under test", work: agents::install },
    Part { name: "page", what: "build the web page", work: web::build },
    Part { name: "page-tests", what: "types, lints and unit tests of the web page", work: web::test },
    Part { name: "format", what: "format of the Rust code", work: lint::format },
    Part { name: "clippy", what: "lints of the Rust code", work: lint::clippy },
    Part { name: "docs", what: "Rust documentation", work: lint::documentation },
    Part { name: "rust", what: "Rust tests", work: rust },
    Part { name: "browser", what: "the whole program in a browser", work: web::browse },
    Part { name: "figures", what: "figures of tests and benches against their limits", work: bench::check },
    Part { name: "doc-tests", what: "examples in the Rust documentation", work: documentation_tests },
    Part { name: "gen", what: "generated files are fresh", work: r#gen::check },
];

/// The parts with these names, in the order of all parts; all of them if none is named.
pub(super) fn named(names: &[String]) -> Result<Vec<Part>> {
    names.iter().try_for_each(|name| find(name).map(drop))?;
    let is_wanted = |part: &&Part| names.is_empty() || names.iter().any(|name| name == part.name);
    Ok(PARTS.iter().filter(is_wanted).copied().collect())
}

fn find(name: &str) -> Result<&'static Part> {
    let all = || PARTS.map(|part| part.name).join(", ");
    PARTS
        .iter()
        .find(|part| part.name == name)
        .with_context(|| format!("no part `{name}`; there are {}", all()))
}

fn install() -> Result<()> {
    install::ensure(install::TESTS)?;
    install::ensure_components()?;
    install::ensure_nextest()
}

fn rust() -> Result<()> {
    install::ensure_nextest()?;
    CommandLine::new("cargo nextest run --workspace --test-threads").word(test_threads().to_string()).run()
}

/// More than the machine has, because most tests wait for a process or a timer half of the time.
fn test_threads() -> usize {
    thread::available_parallelism().map_or(2, NonZero::get) + 2
}

/// Apart, because nextest does not run them.
fn documentation_tests() -> Result<()> {
    CommandLine::new("cargo test --workspace --doc").run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_parts_keep_their_order() {
        let names = ["rust", "format"].map(str::to_owned);
        let parts: Vec<&str> = named(&names).unwrap().iter().map(|part| part.name).collect();
        assert_eq!(parts, ["format", "rust"]);
    }

    #[test]
    fn an_unknown_part_is_an_error_that_lists_the_others() {
        let error = named(&["rsut".to_owned()]).unwrap_err().to_string();
        assert!(error.starts_with("no part `rsut`; there are install, agents"), "{error}");
    }
}
