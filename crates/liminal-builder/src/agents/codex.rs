//! Finding Codex's ACP adapter. Two packages install a program of the same name; owns telling them apart.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Launch, Machine, first_line, npm};
use crate::process::{Environment, run_for_output};

pub(super) const NAME: &str = "codex";
const PROGRAM: &str = "codex-acp";
const PACKAGE: &str = "@agentclientprotocol/codex-acp";
const ENTRY: &str = "@agentclientprotocol/codex-acp/dist/index.js";
/// One of the two answers at once, the other fails at once; both would otherwise start to serve.
const PATIENCE: Duration = Duration::from_secs(20);

/// Which of the two packages it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// `@agentclientprotocol/codex-acp`: follows current Codex.
    Node,
    /// `@zed-industries/codex-acp`: one program with an older Codex inside.
    Zed,
}

pub(super) struct Found {
    pub(super) launch: Launch,
    pub(super) version: String,
}

/// As set, on the `PATH`, among npm's packages, or installed for us alone.
pub(super) async fn find(machine: &Machine<'_>) -> Result<Found, String> {
    let setting = machine.setting(NAME);
    let set = setting.map(|agent| agent.args.clone()).unwrap_or_default();
    if let Some(command) = setting.and_then(|agent| agent.command.as_deref()) {
        let program = machine
            .resolve(command)
            .ok_or_else(|| format!("cannot find {}; correct command in [agents.codex]", command.display()))?;
        return described(Launch { program, args: set }, machine.environment).await;
    }
    if let Some(program) = machine.environment.find_program(PROGRAM) {
        return described(Launch { program, args: set }, machine.environment).await;
    }
    match entry(machine).await {
        Some(entry) => through_node(&entry, set, machine.environment).await,
        None => Err(format!(
            "Codex's adapter is not installed; install it with: npm install -g {PACKAGE}, or liminal doctor --install codex"
        )),
    }
}

async fn entry(machine: &Machine<'_>) -> Option<PathBuf> {
    let mut roots = npm::roots(machine.environment).await;
    roots.push(machine.managed.join("node_modules"));
    roots.into_iter().map(|root| root.join(ENTRY)).find(|entry| entry.is_file())
}

async fn through_node(entry: &Path, set: Vec<String>, environment: &Environment) -> Result<Found, String> {
    let node =
        environment.find_program("node").ok_or("Codex's adapter needs node, which is not on the PATH")?;
    let args = std::iter::once(entry.display().to_string()).chain(set).collect();
    described(Launch { program: node, args }, environment).await
}

async fn described(launch: Launch, environment: &Environment) -> Result<Found, String> {
    let mut args: Vec<&str> = launch.args.iter().map(String::as_str).collect();
    args.push("--version");
    let run = run_for_output(&launch.program, &args, environment, PATIENCE).await;
    let run = run.map_err(|error| error.to_string())?;
    match variant(&run.stdout, &run.stderr) {
        Some((Variant::Node, version)) => Ok(Found { launch, version }),
        Some((Variant::Zed, version)) => Ok(Found { launch, version: format!("{version} (older Codex)") }),
        None => {
            let said =
                if run.stdout.trim().is_empty() { first_line(&run.stderr) } else { first_line(&run.stdout) };
            Err(format!("{} is not Codex's adapter: it says `{said}`", launch.program.display()))
        }
    }
}

/// The one prints its package and version; the other does not know the flag.
fn variant(stdout: &str, stderr: &str) -> Option<(Variant, String)> {
    if let Some(version) = stdout.trim().strip_prefix(PACKAGE) {
        return Some((Variant::Node, version.trim().to_owned()));
    }
    let is_zed = stderr.contains("unexpected argument") && stderr.contains("--version");
    is_zed.then(|| (Variant::Zed, "zed".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_packages_are_told_apart() {
        let node = variant("@agentclientprotocol/codex-acp 2.6.0\n", "");
        assert_eq!(node, Some((Variant::Node, "2.6.0".to_owned())));
        let zed = variant("", "error: unexpected argument '--version' found\n\nUsage: codex-acp [OPTIONS]\n");
        assert_eq!(zed.map(|(variant, _)| variant), Some(Variant::Zed));
        assert_eq!(variant("codex-cli 0.166.0", ""), None);
        assert_eq!(variant("", "command failed"), None);
    }
}
