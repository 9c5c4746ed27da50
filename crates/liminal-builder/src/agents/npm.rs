//! npm's packages on this machine. Owns where global packages lie, and the folder that is ours to install into.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::stamp::Stamp;
use crate::process::{Environment, SpawnError, run_for_output};

/// npm is slow to start.
const ROOT_PATIENCE: Duration = Duration::from_secs(20);
/// Hundreds of megabytes over a slow line.
const INSTALL_PATIENCE: Duration = Duration::from_secs(1_800);

const SYSTEM_ROOTS: [&str; 3] =
    ["/usr/local/lib/node_modules", "/usr/lib/node_modules", "/opt/homebrew/lib/node_modules"];

/// Variables by which npm is told to keep its packages elsewhere, or where it reads that.
const MOVING: [&str; 5] =
    ["PREFIX", "DESTDIR", "npm_config_prefix", "npm_config_userconfig", "npm_config_globalconfig"];

/// What npm said of where it keeps global packages, while its files were as `stamps` say.
#[derive(Debug, Clone)]
pub(super) struct NpmRoot {
    stamps: Vec<Stamp>,
    told: Option<PathBuf>,
}

impl NpmRoot {
    /// Asks npm, which takes half a second, on a busy machine many.
    pub(super) async fn ask(environment: &Environment) -> Self {
        let stamps = stamps(environment);
        Self { stamps, told: told_root(environment).await }
    }

    fn is_current(&self, environment: &Environment) -> bool {
        self.stamps == stamps(environment)
    }
}

/// Folders of global packages.
#[derive(Debug)]
pub(super) struct Roots {
    /// The likeliest first.
    pub(super) folders: Vec<PathBuf>,
    /// npm itself has to be asked where its own is.
    pub(super) lacks_npm: bool,
}

/// Folders of global packages. The system's are guessed where npm does not tell its own.
pub(super) fn roots(environment: &Environment, npm: Option<&NpmRoot>) -> Roots {
    let usual = usual_root(environment);
    let current = npm.filter(|npm| npm.is_current(environment));
    let lacks_npm = usual.is_none() && current.is_none() && environment.find_program("npm").is_some();
    let told = usual.or_else(|| current.and_then(|npm| npm.told.clone()));
    let guessed: &[&str] = if told.is_some() { &[] } else { &SYSTEM_ROOTS };
    let mut roots: Vec<PathBuf> = told.into_iter().collect();
    if let Some(home) = environment.get("HOME").map(PathBuf::from) {
        roots.push(home.join(".npm-global/lib/node_modules"));
        roots.extend(versions(&home.join(".nvm/versions/node"), "lib/node_modules"));
        roots.extend(versions(&home.join(".local/share/fnm/node-versions"), "installation/lib/node_modules"));
        roots.push(home.join(".volta/tools/shared"));
    }
    roots.extend(guessed.iter().map(PathBuf::from));
    Roots { folders: roots, lacks_npm }
}

/// npm and what it reads its prefix from, apart from its own installation.
fn stamps(environment: &Environment) -> Vec<Stamp> {
    let home = environment.get("HOME").map(PathBuf::from).unwrap_or_default();
    let files =
        [environment.find_program("npm"), environment.find_program("node"), Some(home.join(".npmrc"))];
    files.iter().flatten().map(|file| Stamp::of(file)).collect()
}

/// Where npm keeps packages unless somebody moved them: beside the node that runs it. To ask it takes half a second of
/// every start, on a busy machine many.
fn usual_root(environment: &Environment) -> Option<PathBuf> {
    let node = environment.find_program("node")?.canonicalize().ok()?;
    let prefix = node.parent()?.parent()?;
    let root = prefix.join("lib/node_modules");
    // A node that only looks for another one has no npm of its own.
    let npm = environment.find_program("npm")?.canonicalize().ok()?;
    (npm == root.join("npm/bin/npm-cli.js") && !is_moved(prefix, &root, environment)).then_some(root)
}

fn is_moved(prefix: &Path, root: &Path, environment: &Environment) -> bool {
    let home = environment.get("HOME").map(PathBuf::from).unwrap_or_default();
    let files = [root.join("npm/npmrc"), prefix.join("etc/npmrc"), home.join(".npmrc")];
    let moves = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.lines().any(|line| line.trim_start().starts_with("prefix"))
    };
    let is_moving = |name: &OsStr| MOVING.iter().any(|moving| name.eq_ignore_ascii_case(moving));
    environment.iter().any(|(name, _)| is_moving(name)) || files.iter().any(moves)
}

async fn told_root(environment: &Environment) -> Option<PathBuf> {
    let npm = environment.find_program("npm")?;
    let run = run_for_output(&npm, &["root", "-g"], environment, ROOT_PATIENCE).await.ok()?;
    run.succeeded.then(|| PathBuf::from(run.stdout.trim()))
}

/// The package folders of each installed version, the newest first.
fn versions(folder: &Path, packages: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path().join(packages)).collect();
    found.sort();
    found.reverse();
    found
}

/// Installs a package into a folder of ours, without running scripts of packages.
pub async fn install(package: &str, folder: &Path, environment: &Environment) -> Result<(), InstallError> {
    let npm = environment.find_program("npm").ok_or(InstallError::NoNpm)?;
    std::fs::create_dir_all(folder)?;
    let prefix = format!("--prefix={}", folder.display());
    let args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", &prefix, package];
    let run = run_for_output(&npm, &args, environment, INSTALL_PATIENCE).await?;
    if run.succeeded { Ok(()) } else { Err(InstallError::Failed(run.stderr.trim().to_owned())) }
}

/// Why a package was not installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// There is no npm.
    #[error("npm is not on the PATH; install Node first")]
    NoNpm,
    /// npm could not be run.
    #[error(transparent)]
    Run(#[from] SpawnError),
    /// The folder could not be made.
    #[error(transparent)]
    Folder(#[from] std::io::Error),
    /// npm failed.
    #[error("npm failed: {0}")]
    Failed(String),
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// Node and npm as they are installed together; this npm tells that it was asked.
    fn installed() -> tempfile::TempDir {
        let prefix = tempfile::tempdir().unwrap();
        let at = |path: &str| prefix.path().join(path);
        for folder in ["bin", "etc", "home", "lib/node_modules/npm/bin"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for program in ["bin/node", "lib/node_modules/npm/bin/npm-cli.js"] {
            fs::write(at(program), "#!/bin/sh\necho /asked\n").unwrap();
            fs::set_permissions(at(program), fs::Permissions::from_mode(0o755)).unwrap();
        }
        symlink("../lib/node_modules/npm/bin/npm-cli.js", at("bin/npm")).unwrap();
        prefix
    }

    fn environment(prefix: &Path) -> Environment {
        let bare = Environment::inherited().only(|_| false);
        bare.with("PATH", prefix.join("bin")).with("HOME", prefix.join("home"))
    }

    async fn roots(environment: &Environment) -> Vec<PathBuf> {
        let guess = super::roots(environment, None);
        if !guess.lacks_npm {
            return guess.folders;
        }
        let npm = NpmRoot::ask(environment).await;
        let asked = super::roots(environment, Some(&npm));
        assert!(!asked.lacks_npm);
        asked.folders
    }

    #[tokio::test]
    async fn npm_is_asked_only_where_its_packages_may_lie_elsewhere() {
        let prefix = installed();
        let prefix = prefix.path().canonicalize().unwrap();
        let usual = prefix.join("lib/node_modules");
        assert_eq!(roots(&environment(&prefix)).await.first(), Some(&usual));
        let asked = PathBuf::from("/asked");
        for variable in ["PREFIX", "NPM_CONFIG_PREFIX", "npm_config_userconfig"] {
            let environment = environment(&prefix).with(variable, "/other");
            assert_eq!(roots(&environment).await.first(), Some(&asked), "{variable}");
        }
        for file in ["etc/npmrc", "home/.npmrc", "lib/node_modules/npm/npmrc"] {
            fs::write(prefix.join(file), "fund=false\n prefix = ${HOME}/other\n").unwrap();
            assert_eq!(roots(&environment(&prefix)).await.first(), Some(&asked), "{file}");
            fs::remove_file(prefix.join(file)).unwrap();
        }
        assert_eq!(roots(&environment(&prefix)).await.first(), Some(&usual));
        fs::remove_file(prefix.join("bin/npm")).unwrap();
        fs::copy(usual.join("npm/bin/npm-cli.js"), prefix.join("bin/npm")).unwrap();
        assert_eq!(roots(&environment(&prefix)).await.first(), Some(&asked), "a npm of elsewhere");
    }
}
