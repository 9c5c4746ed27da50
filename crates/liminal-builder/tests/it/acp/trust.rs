//! What a project brings, with agents that cannot be kept from it.

use liminal_builder::provider::{OpenError, OpenRequest, Provider, SessionOptions};

use super::world::AcpWorld;
use crate::world::wait_until;

/// Codex itself would ask; its adapter trusts every project. The day this fails, an untrusted project can be served.
#[tokio::test]
async fn codex_starts_the_servers_that_a_project_brings() {
    let mut world = AcpWorld::codex().await;
    let ran = world.project.join("server-ran");
    std::fs::create_dir(world.project.join(".codex")).unwrap();
    let config = format!("[mcp_servers.bait]\ncommand = \"touch\"\nargs = [\"{}\"]\n", ran.display());
    std::fs::write(world.project.join(".codex/config.toml"), config).unwrap();
    let mut chat = world.create().await;
    chat.turn("say:hello").await;
    wait_until(|| ran.exists()).await;
    chat.kill().await;
    world.end().await;
}

#[tokio::test]
async fn s31_an_agent_that_cannot_be_restricted_does_not_start() {
    let world = AcpWorld::codex().await;
    let options = SessionOptions { restricted: true, ..SessionOptions::default() };
    let request = OpenRequest { directory: world.project.clone(), resume: None, options, past: Vec::new() };
    let error = world.agent().open(request).await.unwrap_err();
    assert!(matches!(error, OpenError::InvalidOption { option: "restricted", .. }), "{error}");
    assert_eq!(world.processes(), Vec::<String>::new());
    world.end().await;
}
