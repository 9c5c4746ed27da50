//! What only Codex knows: why it cannot start, how to log in, what it left on disk. Owns asking it, and finding it for
//! that.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

use crate::agents::Launch;
use crate::discovery::Listing;
use crate::discovery::codex::{Sessions, home_directory};
use crate::process::{Environment, run_for_output};
use crate::provider::OpenError;

const PATIENCE: Duration = Duration::from_secs(20);

/// Where Codex keeps its sessions.
pub(super) fn rollouts(environment: &Environment) -> Arc<Mutex<Sessions>> {
    Arc::new(Mutex::new(Sessions::new(&home(environment))))
}

/// Where Codex keeps its state.
pub(super) fn home(environment: &Environment) -> PathBuf {
    let home = environment.get("HOME").map(PathBuf::from).unwrap_or_default();
    home_directory(environment.get("CODEX_HOME"), &home)
}

/// The sessions of a directory, the latest first.
pub(super) fn found(rollouts: &Mutex<Sessions>, directory: &Path) -> Result<Listing, OpenError> {
    let mut sessions = rollouts.lock().unwrap_or_else(PoisonError::into_inner);
    sessions.list(directory).map_err(|error| OpenError::Unusable(error.to_string()))
}

/// What is wrong with Codex's configuration, if anything is.
pub(super) async fn configuration_fault(launch: &Launch, environment: &Environment) -> Option<String> {
    let (program, mut arguments) = program(launch, environment)?;
    arguments.extend(["app-server".to_owned(), "--print-startup-config".to_owned()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let run = run_for_output(&program, &arguments, environment, PATIENCE).await.ok()?;
    run.stdout.lines().chain(run.stderr.lines()).find_map(fault)
}

/// What people run to log in to the Codex that the adapter uses.
pub(super) fn login_command(launch: &Launch, environment: &Environment) -> Option<String> {
    let (program, arguments) = program(launch, environment)?;
    let words = [program.display().to_string()].into_iter().chain(arguments).chain(["login".to_owned()]);
    Some(words.collect::<Vec<_>>().join(" "))
}

/// Whether the Codex that the adapter uses has a login; nothing, if it does not tell.
pub async fn login(launch: &Launch, environment: &Environment, patience: Duration) -> Option<bool> {
    let (program, mut arguments) = program(launch, environment)?;
    arguments.extend(["login".to_owned(), "status".to_owned()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let run = run_for_output(&program, &arguments, environment, patience).await.ok()?;
    let told = |words| run.stdout.lines().chain(run.stderr.lines()).any(|line| line.starts_with(words));
    match (told("Logged in"), told("Not logged in")) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        (true, true) | (false, false) => None,
    }
}

/// The Codex that the adapter uses: the one that is set, or the one beside it, or the one on the `PATH`.
fn program(launch: &Launch, environment: &Environment) -> Option<(PathBuf, Vec<String>)> {
    if let Some(set) = environment.get("CODEX_PATH") {
        return Some((set.into(), Vec::new()));
    }
    let adapter = launch.args.first().map(Path::new).or(Some(&launch.program))?;
    let beside = adapter.ancestors().find_map(|folder| {
        let script = folder.join("@openai/codex/bin/codex.js");
        script.is_file().then_some(script)
    });
    match beside {
        Some(script) => Some((environment.find_program("node")?, vec![script.display().to_string()])),
        None => Some((environment.find_program("codex")?, Vec::new())),
    }
}

fn fault(line: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(line).ok()?;
    let error = answer.get("error")?;
    let detail = error.pointer("/data/detail").or_else(|| error.get("message"))?.as_str()?;
    Some(format!("Codex cannot read its configuration: {detail}; correct it and try again"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_told_with_its_place() {
        let line = r#"{"error":{"code":-32600,"message":"x","data":{"reason":"configLoad","filePath":"/home/dev/.codex/config.toml","line":2,"column":1,"detail":"/home/dev/.codex/config.toml:2:1: unclosed array"}}}"#;
        let told = fault(line).unwrap();
        assert!(told.contains("/home/dev/.codex/config.toml:2:1: unclosed array; correct"), "{told}");
        assert_eq!(fault("{}"), None);
        assert_eq!(fault("not json"), None);
    }
}
