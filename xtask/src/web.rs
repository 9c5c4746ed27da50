//! `./x web`: builds and tests the web page. Knows npm, not what the page does.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::command::CommandLine;
use crate::{install, node, repository};

pub(crate) fn build() -> Result<()> {
    let folder = folder();
    let stamp = repository::target().join("web-sources");
    let sources = fingerprint(&folder)?;
    if folder.join("dist/index.html").exists() && fs::read_to_string(&stamp).is_ok_and(|old| old == sources) {
        eprintln!("web: up to date");
        return Ok(());
    }
    install()?;
    CommandLine::new("npm run build").directory(&folder).run()?;
    fs::write(&stamp, sources).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Types, style, tests and the size of what was built; `build` comes first.
pub(crate) fn test() -> Result<()> {
    if !folder().join("node_modules").exists() {
        install()?;
    }
    CommandLine::new("npm test").directory(&folder()).run()
}

/// The whole program in a browser, with the binary of the tests and the agents under test.
pub(crate) fn browse() -> Result<()> {
    end_to_end(CommandLine::new("npm run e2e"))
}

/// The browser tests whose titles contain `name`, `count` times each.
pub(crate) fn repeat(count: u32, name: &str) -> Result<()> {
    let tests = CommandLine::new("npm run e2e -- --repeat-each").word(count.to_string()).word("--grep");
    end_to_end(tests.word(name))
}

/// Many rounds of typing in a browser while requests of the fake agent come and go.
pub(crate) fn soak(variable: &str) -> Result<()> {
    end_to_end(CommandLine::new("npm run e2e -- typing.spec.ts --grep fake").variable(variable, "1"))
}

fn end_to_end(tests: CommandLine) -> Result<()> {
    install::ensure(install::BROWSER)?;
    build()?;
    // As the tests are built, which have built it already: a build of its own would begin with all dependencies.
    CommandLine::new("cargo test --workspace --test it --no-run").run()?;
    tests.directory(&folder()).variable("CARGO_TARGET_DIR", repository::target()).run()
}

/// Figures of the page in a browser, served by the program as it is released.
pub(crate) fn bench(arguments: &[String]) -> Result<()> {
    install::ensure(install::BROWSER)?;
    build()?;
    CommandLine::new("cargo build --release --package liminal-builder --bin liminal").run()?;
    CommandLine::new("npm run bench --")
        .words(arguments)
        .directory(&folder())
        .variable("LIMINAL_PROGRAM", repository::target().join("release/liminal"))
        .run()
}

fn install() -> Result<()> {
    install::ensure(install::WEB)?;
    node::ensure()?;
    CommandLine::new("npm ci --no-audit --no-fund").directory(&folder()).run()
}

fn folder() -> PathBuf {
    repository::root().join("web")
}

/// Changes when a source file is added, removed, renamed or edited.
fn fingerprint(folder: &Path) -> io::Result<String> {
    let mut hasher = DefaultHasher::new();
    for path in repository::files_under(folder, folder)? {
        path.hash(&mut hasher);
        fs::read(folder.join(path))?.hash(&mut hasher);
    }
    Ok(format!("{:016x}\n", hasher.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_follows_the_sources_and_ignores_what_they_become() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
            fs::write(folder.path().join(path), text).unwrap();
        };
        write("src/main.ts", "one");
        let first = fingerprint(folder.path()).unwrap();
        write("dist/main.js", "built");
        assert_eq!(fingerprint(folder.path()).unwrap(), first);
        write("src/main.ts", "two");
        assert_ne!(fingerprint(folder.path()).unwrap(), first);
    }
}
