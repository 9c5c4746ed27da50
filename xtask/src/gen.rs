//! `./x gen`: writes the files that are made from the Rust code and kept in git. Knows how to keep them fresh, not
//! what they say.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::command::CommandLine;
use crate::{acceptance, repository};

/// The folders that hold generated files and nothing else.
const FOLDERS: [&str; 2] = ["schema", "web/src/gen"];
/// Generated from the routes, too, so liminal-builder prints it.
const DOCUMENT: &str = "schema/openapi.json";

/// One file, by its path below the root of the repository.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GeneratedFile {
    pub(crate) path: String,
    pub(crate) contents: String,
}

/// What must happen to a file to make it fresh.
#[derive(Debug, PartialEq)]
enum Change {
    Write(String),
    Delete,
}

pub(crate) fn write() -> Result<()> {
    let root = repository::root();
    let changes = changes(&root, files()?)?;
    if changes.is_empty() {
        eprintln!("gen: up to date");
    }
    changes.iter().try_for_each(|(path, change)| apply(&root, path, change))
}

pub(crate) fn check() -> Result<()> {
    let changes = changes(&repository::root(), files()?)?;
    if changes.is_empty() {
        return Ok(());
    }
    let paths: Vec<_> = changes.into_keys().collect();
    bail!("generated files are stale; run `./x gen` and commit:\n  {}", paths.join("\n  "))
}

/// Other programs print them: linking those crates would make every chore wait for their build.
fn files() -> Result<Vec<GeneratedFile>> {
    let document =
        CommandLine::new("cargo run --quiet --package liminal-builder --example openapi").output()?;
    let contracts =
        CommandLine::new("cargo run --quiet --package liminal-core --example contracts").output()?;
    let contracts: BTreeMap<String, String> = serde_json::from_str(&contracts)?;
    let files = contracts.into_iter().map(|(path, contents)| GeneratedFile { path, contents });
    let mut files: Vec<GeneratedFile> = files.collect();
    files.push(GeneratedFile { path: DOCUMENT.to_owned(), contents: document });
    files.push(acceptance::page(&repository::root())?);
    Ok(files)
}

fn changes(root: &Path, files: Vec<GeneratedFile>) -> Result<BTreeMap<String, Change>> {
    let mut changes = BTreeMap::new();
    for folder in FOLDERS {
        let present = repository::files_under(&root.join(folder), root)?;
        changes.extend(present.into_iter().map(|path| (path, Change::Delete)));
    }
    for GeneratedFile { path, contents } in files {
        let is_in_folder = FOLDERS.iter().any(|folder| Path::new(&path).starts_with(folder));
        ensure!(is_in_folder || path == acceptance::PAGE, "{path} is in no generated folder");
        changes.remove(&path);
        if !fs::read(root.join(&path)).is_ok_and(|present| present == contents.as_bytes()) {
            changes.insert(path, Change::Write(contents));
        }
    }
    Ok(changes)
}

fn apply(root: &Path, path: &str, change: &Change) -> Result<()> {
    let target = root.join(path);
    match change {
        Change::Write(contents) => {
            println!("write {path}");
            target.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(target, contents).with_context(|| format!("cannot write {path}"))
        }
        Change::Delete => {
            println!("delete {path}");
            fs::remove_file(target).with_context(|| format!("cannot delete {path}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, contents: &str) -> GeneratedFile {
        GeneratedFile { path: path.to_owned(), contents: contents.to_owned() }
    }

    #[test]
    fn changes_are_the_missing_the_different_and_the_leftover() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("schema")).unwrap();
        for name in ["same", "different", "leftover"] {
            fs::write(root.path().join("schema").join(name), "old").unwrap();
        }
        let wanted = vec![
            file("schema/same", "old"),
            file("schema/different", "new"),
            file("web/src/gen/missing", "new"),
        ];
        let changes = changes(root.path(), wanted.clone()).unwrap();
        let expected = BTreeMap::from([
            ("schema/different".to_owned(), Change::Write("new".to_owned())),
            ("schema/leftover".to_owned(), Change::Delete),
            ("web/src/gen/missing".to_owned(), Change::Write("new".to_owned())),
        ]);
        assert_eq!(changes, expected);

        changes.iter().try_for_each(|(path, change)| apply(root.path(), path, change)).unwrap();
        assert!(super::changes(root.path(), wanted).unwrap().is_empty());
    }

    #[test]
    fn a_file_outside_the_generated_folders_is_refused() {
        let root = tempfile::tempdir().unwrap();
        assert!(changes(root.path(), vec![file("src/lib.rs", "")]).is_err());
    }
}
