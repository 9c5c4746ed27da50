//! npm's packages on this machine. Owns where global packages lie, and the folder that is ours to install into.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::process::{Environment, SpawnError, run_for_output};

/// npm is slow to start.
const ROOT_PATIENCE: Duration = Duration::from_secs(20);
/// Hundreds of megabytes over a slow line.
const INSTALL_PATIENCE: Duration = Duration::from_secs(1_800);

const SYSTEM_ROOTS: [&str; 3] =
    ["/usr/local/lib/node_modules", "/usr/lib/node_modules", "/opt/homebrew/lib/node_modules"];

/// Folders of global packages, the likeliest first. The system's are guessed where npm does not tell its own.
pub(super) async fn roots(environment: &Environment) -> Vec<PathBuf> {
    let told = told_root(environment).await;
    let guessed: &[&str] = if told.is_some() { &[] } else { &SYSTEM_ROOTS };
    let mut roots: Vec<PathBuf> = told.into_iter().collect();
    if let Some(home) = environment.get("HOME").map(PathBuf::from) {
        roots.push(home.join(".npm-global/lib/node_modules"));
        roots.extend(versions(&home.join(".nvm/versions/node"), "lib/node_modules"));
        roots.extend(versions(&home.join(".local/share/fnm/node-versions"), "installation/lib/node_modules"));
        roots.push(home.join(".volta/tools/shared"));
    }
    roots.extend(guessed.iter().map(PathBuf::from));
    roots
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
