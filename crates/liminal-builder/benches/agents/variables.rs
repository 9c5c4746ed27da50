//! Where the agents are, and the environment in which they find the scripted model and nothing of anybody else.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use scripted_model::Running;
use serde_json::json;

/// The script of an ACP adapter, by the name of its package.
pub(crate) fn adapter(package: &str) -> PathBuf {
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/node_modules");
    let script = packages.join("@agentclientprotocol").join(package).join("dist/index.js");
    assert!(script.exists(), "{} is missing; run ./x test, which installs it", script.display());
    script
}

pub(crate) fn node() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let mut programs = std::env::split_paths(&path).map(|folder| folder.join("node"));
    programs.find(|program| program.is_file()).expect("node is on the PATH")
}

pub(crate) fn claude(model: &Running, home: &Path) -> Vec<(OsString, OsString)> {
    [
        ("ANTHROPIC_BASE_URL", OsString::from(model.url())),
        ("ANTHROPIC_API_KEY", "any".into()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
        ("CLAUDE_CONFIG_DIR", home.join("claude").into_os_string()),
        ("HOME", home.as_os_str().to_owned()),
    ]
    .map(|(name, value)| (name.into(), value))
    .into()
}

pub(crate) fn codex(model: &Running, home: &Path) -> Vec<(OsString, OsString)> {
    let provider =
        json!({"name": "Scripted", "base_url": format!("{}/v1", model.url()), "wire_api": "responses"});
    let config = json!({
        "model": "gpt-5.5",
        "model_provider": "scripted",
        "features": {"plugins": false},
        "model_providers": {"scripted": provider},
    });
    let codex_home = home.join("codex");
    fs::create_dir(&codex_home).unwrap();
    [
        ("CODEX_HOME", codex_home.into_os_string()),
        ("CODEX_CONFIG", config.to_string().into()),
        ("MODEL_PROVIDER", "scripted".into()),
        ("HOME", home.as_os_str().to_owned()),
    ]
    .map(|(name, value)| (name.into(), value))
    .into()
}
