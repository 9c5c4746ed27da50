//! Whether Node is new enough for the web page. Knows versions, not what runs on Node.

use std::fs;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::command::CommandLine;
use crate::repository;

/// Says which version is needed, as `"engines": { "node": ">=20.19" }`.
const MANIFEST: &str = "web/package.json";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: u32,
    minor: u32,
}

/// Fails with what to do unless Node is new enough. npm itself only warns, and the build then fails with something
/// else.
pub(crate) fn ensure() -> Result<()> {
    let found = CommandLine::new("node --version").output().context("Node is missing")?;
    let manifest = fs::read_to_string(repository::root().join(MANIFEST)).context(MANIFEST)?;
    compare(found.trim(), &needed(&manifest).context(MANIFEST)?)
}

fn compare(found: &str, needed: &str) -> Result<()> {
    if version(found)? >= version(needed)? {
        return Ok(());
    }
    let (found, major) = (found.trim_start_matches('v'), version(needed)?.major);
    bail!(
        "Node {found} is too old: the web page needs {needed} or newer\n\
         Get one from https://nodejs.org/en/download, or by a version manager: `nvm install {major}`, `fnm install {major}`.\n\
         Debian 12 has only Node 18; https://deb.nodesource.com has packages for it. Then run ./x again."
    )
}

/// Reads `v20.19.4` as well as `20.19`.
fn version(text: &str) -> Result<Version> {
    let mut numbers = text.trim_start_matches('v').split('.').map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => Ok(Version { major, minor }),
        _ => bail!("`{text}` is no version of Node"),
    }
}

fn needed(manifest: &str) -> Result<String> {
    #[derive(Deserialize)]
    struct Manifest {
        engines: Engines,
    }
    #[derive(Deserialize)]
    struct Engines {
        node: String,
    }
    let Manifest { engines } = serde_json::from_str(manifest)?;
    let version = engines.node.strip_prefix(">=").context("`engines.node` does not begin with `>=`")?;
    Ok(version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        for new_enough in ["v20.19.0", "v20.20.2", "v22.0.0", "v100.1.0"] {
            assert!(compare(new_enough, "20.19").is_ok(), "{new_enough}");
        }
        for too_old in ["v20.9.1", "v20.18.3", "v18.20.4", "v9.99.0"] {
            assert!(compare(too_old, "20.19").is_err(), "{too_old}");
        }
    }

    #[test]
    fn an_old_version_is_named_with_the_needed_one_and_where_to_get_it() {
        let error = compare("v18.19.1", "20.19").unwrap_err().to_string();
        for part in ["Node 18.19.1 is too old", "needs 20.19 or newer", "nodejs.org", "nvm install 20"] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn what_is_no_version_is_an_error() {
        for text in ["", "v20", "node", "v20.x.1"] {
            assert!(version(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_manifest_of_the_page_says_what_is_needed() {
        let manifest = fs::read_to_string(repository::root().join(MANIFEST)).unwrap();
        version(&needed(&manifest).unwrap()).unwrap();
        assert!(needed(r#"{ "engines": { "node": "20" } }"#).is_err());
    }
}
