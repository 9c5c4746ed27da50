//! Finding Codex's ACP adapter. Two packages install a program of the same name; owns telling them apart.

use std::path::{Path, PathBuf};

use super::locate::{Place, Program, Question};
use super::npm::{self, NpmRoot};
use super::{Launch, Machine, first_line, probe};
use crate::process::Environment;

pub(super) const NAME: &str = "codex";
const PROGRAM: &str = "codex-acp";
const PACKAGE: &str = "@agentclientprotocol/codex-acp";
const ENTRY: &str = "@agentclientprotocol/codex-acp/dist/index.js";

/// Which of the two packages it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variant {
    /// `@agentclientprotocol/codex-acp`: follows current Codex.
    Node,
    /// `@zed-industries/codex-acp`: one program with an older Codex inside.
    Zed,
}

/// On the `PATH`, among npm's packages, or installed for us alone.
pub(super) fn locate(machine: &Machine, npm: Option<&NpmRoot>) -> Place {
    if let Some(program) = machine.find_program(NAME, PROGRAM) {
        let launch = Launch { program, args: machine.arguments(NAME) };
        return Place::Program(Program::new(launch, Question::Codex));
    }
    let roots = npm::roots(&machine.environment, npm);
    match entry(&roots.folders, &machine.managed) {
        Some(entry) => through_node(machine, &entry),
        None if roots.lacks_npm => Place::AtNpm,
        None => Place::Missing(format!(
            "Codex adapter not installed; install it with: npm install -g {PACKAGE}, or liminal doctor --install codex"
        )),
    }
}

fn entry(roots: &[PathBuf], managed: &Path) -> Option<PathBuf> {
    let managed = managed.join("node_modules");
    let folders = roots.iter().chain([&managed]);
    folders.map(|root| root.join(ENTRY)).find(|entry| entry.is_file())
}

fn through_node(machine: &Machine, entry: &Path) -> Place {
    let Some(node) = machine.find_program(NAME, "node") else {
        return Place::Misconfigured("Codex's adapter needs node, which is not on the PATH".to_owned());
    };
    let args = std::iter::once(entry.display().to_string()).chain(machine.arguments(NAME)).collect();
    Place::Program(Program::new(Launch { program: node, args }, Question::Codex))
}

/// What the adapter calls itself. One of the two answers at once, the other fails at once; both would otherwise start to
/// serve.
pub(super) async fn version(launch: &Launch, environment: &Environment) -> Result<String, String> {
    let words: Vec<&str> = launch.args.iter().map(String::as_str).chain(["--version"]).collect();
    let run = probe::ask(launch, &words, environment).await?;
    match variant(&run.stdout, &run.stderr) {
        Some((Variant::Node, version)) => Ok(version),
        Some((Variant::Zed, version)) => Ok(format!("{version} (older Codex)")),
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
