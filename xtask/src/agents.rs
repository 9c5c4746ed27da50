//! The real agents that the tests drive, as pinned npm packages. Knows where they are listed, not what they do.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::command::CommandLine;
use crate::{install, node, repository};

const FOLDER: &str = "crates/liminal-builder/tests/agents";

/// Installs what the lock file names, unless that has been done.
pub(crate) fn install() -> Result<()> {
    let folder = repository::root().join(FOLDER);
    if is_fresh(&folder)? {
        eprintln!("agents: up to date");
        return Ok(());
    }
    install::ensure(install::WEB)?;
    node::ensure()?;
    CommandLine::new("npm ci --no-audit --no-fund --ignore-scripts").directory(&folder).run()?;
    let stamp = stamp(&folder);
    fs::copy(folder.join("package-lock.json"), &stamp)
        .with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(())
}

/// The pinned versions by the names of their packages.
pub(crate) fn versions() -> Result<BTreeMap<String, String>> {
    #[derive(Deserialize)]
    struct Manifest {
        dependencies: BTreeMap<String, String>,
    }
    let path = repository::root().join(FOLDER).join("package.json");
    let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let manifest: Manifest =
        serde_json::from_slice(&text).with_context(|| format!("{} lists no versions", path.display()))?;
    Ok(manifest.dependencies)
}

fn is_fresh(folder: &Path) -> Result<bool> {
    let wanted = fs::read(folder.join("package-lock.json")).context("the agents have no lock file")?;
    Ok(fs::read(stamp(folder)).is_ok_and(|installed| installed == wanted))
}

/// Lies where the packages lie, and goes when they go.
fn stamp(folder: &Path) -> std::path::PathBuf {
    folder.join("node_modules/.installed-lock.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_a_pinned_version() {
        let versions = versions().unwrap();
        assert!(versions.contains_key("@anthropic-ai/claude-code"), "{versions:?}");
        assert!(versions.values().all(|version| !version.contains(['^', '~', '*'])), "{versions:?}");
    }

    #[test]
    fn a_changed_lock_file_is_not_fresh() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("node_modules")).unwrap();
        fs::write(folder.path().join("package-lock.json"), "one").unwrap();
        assert!(!is_fresh(folder.path()).unwrap());
        fs::copy(folder.path().join("package-lock.json"), stamp(folder.path())).unwrap();
        assert!(is_fresh(folder.path()).unwrap());
        fs::write(folder.path().join("package-lock.json"), "two").unwrap();
        assert!(!is_fresh(folder.path()).unwrap());
    }
}
