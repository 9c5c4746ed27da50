//! Figures that tests record for `./x bench --check`: a file each, because tests run in processes of their own.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use anyhow::{Context, Result};

use crate::LIMITS;
use crate::samples::Samples;

/// The repository, looked for when called: a copied folder must not look at its original.
pub(crate) fn root() -> Result<PathBuf> {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
    let start = manifest.canonicalize().with_context(|| format!("cannot find {}", manifest.display()))?;
    let mut folders = start.ancestors();
    let root = folders.find(|folder| folder.join(LIMITS).is_file());
    root.map(Path::to_path_buf).with_context(|| format!("no {LIMITS} above {}", start.display()))
}

/// Below the target directory, which no checkout tracks.
fn folder(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root.join("target"), |path| root.join(path))
        .join("figures")
}

/// Replaces what an earlier run recorded of this figure.
pub(crate) fn write(group: &str, samples: &Samples) -> Result<()> {
    let folder = folder(&root()?).join(group);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join(format!("{}.json", samples.figure));
    fs::write(&path, serde_json::to_string(samples)?)
        .with_context(|| format!("cannot write {}", path.display()))
}

/// What the tests of the last run recorded for a group, sorted by name.
pub fn recorded(group: &str) -> Result<Vec<Samples>> {
    let folder = folder(&root()?).join(group);
    let mut paths = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?,
    };
    paths.sort();
    paths.iter().map(|path| Samples::read_one(&fs::read_to_string(path)?)).collect()
}

/// Removes what earlier runs recorded, so that a figure that is no longer measured is noticed.
pub fn clear() -> Result<()> {
    match fs::remove_dir_all(folder(&root()?)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
