//! Codex as `liminal doctor --install codex` installs it.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use liminal_builder::agents::{Detector, Machine};
use liminal_builder::config::{AgentConfig, Config};
use liminal_builder::process::{Environment, InstanceId};
use liminal_builder::provider::{OpenRequest, ProviderRegistry, SessionOptions};
use liminal_builder::session::{SessionHandle, Setup};
use serde_json::Value;
use tokio::task::JoinSet;

use super::world::AcpWorld;
use crate::chat::Chat;
use crate::support::liminal;
use crate::tap::tap;

/// Stands in for npm: notes its arguments, and installs what the tests have.
const NPM: &str = r#"#!/bin/sh
if [ "$1" = root ]; then echo "$HOME/global"; exit; fi
printf '%s\n' "$@" > "$HOME/npm-arguments"
for argument; do case "$argument" in --prefix=*) prefix="${argument#--prefix=}" ;; esac; done
/bin/ln -s PACKAGES "$prefix/node_modules"
"#;

/// Programs of which nothing is known but npm and node.
fn programs(home: &Path) -> PathBuf {
    let folder = home.join("bin");
    std::fs::create_dir(&folder).unwrap();
    symlink(Environment::inherited().find_program("node").unwrap(), folder.join("node")).unwrap();
    let packages = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/agents/node_modules");
    std::fs::write(folder.join("npm"), NPM.replace("PACKAGES", packages)).unwrap();
    std::fs::set_permissions(folder.join("npm"), std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[tokio::test]
async fn codex_is_installed_for_us_alone_and_started_from_there() {
    let world = AcpWorld::codex().await;
    let home = world.home.path();
    let path = programs(home);
    let mut doctor = liminal(&["doctor", "--install", "codex", "--json"]);
    let output = doctor.env_clear().env("HOME", home).env("PATH", &path).output().unwrap();
    let managed = home.join(".local/share/liminal-builder/agents");
    assert_eq!(
        noted_arguments(home),
        [
            "install",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            &format!("--prefix={}", managed.display()),
            "@agentclientprotocol/codex-acp@2",
        ]
    );
    let agents: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let codex = agents.iter().find(|agent| agent["name"] == "codex").unwrap();
    let entry = managed.join("node_modules/@agentclientprotocol/codex-acp/dist/index.js");
    assert_eq!(codex["launch"]["args"][0], entry.to_str().unwrap(), "{codex}");
    assert_eq!((&codex["version"], &codex["problem"]), (&Value::from("2.6.0"), &Value::Null));

    let environment = Environment::inherited().with("HOME", home).with("PATH", &path);
    let agents = [("codex".to_owned(), agent_config(&world))].into();
    let config = Config { agents, ..Config::default() };
    let data = world.home.path().to_owned();
    let (detector, detection) = Detector::start(Machine { config, environment, managed, data });
    let registry = ProviderRegistry::of(&detector, &InstanceId::new(&world.instance).unwrap());
    let request = OpenRequest {
        directory: world.project.clone(),
        resume: None,
        options: SessionOptions::default(),
        past: Vec::new(),
    };
    let opened = registry.get("codex").unwrap().open(request).await.unwrap();
    let (outlet, outputs) = tap(64);
    let mut tasks = JoinSet::new();
    let handle = SessionHandle::start(opened, Setup::default(), outlet, &mut tasks);
    let mut chat = Chat { handle, log: Vec::new(), outputs };
    assert!(world.processes().iter().any(|process| process.contains(entry.to_str().unwrap())));
    chat.turn("say:hello there").await;
    assert!(chat.said().contains(&"hello there"));
    tasks.shutdown().await;
    drop(registry);
    detection.close().await;
    world.end().await;
}

#[tokio::test]
async fn an_install_that_fails_says_what_npm_said() {
    let home = tempfile::tempdir().unwrap();
    let path = programs(home.path());
    std::fs::write(path.join("npm"), "#!/bin/sh\necho 'npm error ENOSPC: no space left' >&2; exit 1\n")
        .unwrap();
    let mut doctor = liminal(&["doctor", "--install", "codex"]);
    let output = doctor.env_clear().env("HOME", home.path()).env("PATH", &path).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("npm failed: npm error ENOSPC: no space left"), "{told}");
}

fn noted_arguments(home: &Path) -> Vec<String> {
    let noted = std::fs::read_to_string(home.join("npm-arguments")).unwrap();
    noted.lines().map(str::to_owned).collect()
}

/// What codex needs to find the scripted model, as the user would set it.
fn agent_config(world: &AcpWorld) -> AgentConfig {
    let text = |value: &std::ffi::OsString| value.to_str().unwrap().to_owned();
    let variables = world.settings.environment.iter().map(|(name, value)| (text(name), text(value)));
    AgentConfig { env: variables.collect::<BTreeMap<_, _>>(), ..AgentConfig::default() }
}
