//! What a project brings, with the real program: it runs when the project is trusted, and not before.

use std::path::Path;

use liminal_builder::provider::SessionOptions;
use serde_json::json;

use crate::pin::Pin;
use crate::world::{World, both_pins, wait_until};

both_pins!(s31_what_a_trusted_project_brings_runs, s31_nothing_runs_that_an_untrusted_project_brings);

/// A project that starts a program with every prompt, and a server at once.
fn bring(project: &Path, more: &serde_json::Value) {
    let touch = |name: &str| project.join(name).display().to_string();
    let hook = json!([{"hooks": [{"type": "command", "command": format!("touch {}", touch("hook-ran"))}]}]);
    let mut settings = json!({"hooks": {"UserPromptSubmit": hook}, "enableAllProjectMcpServers": true});
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let server = json!({"mcpServers": {"bait": {"command": "touch", "args": [touch("server-ran")]}}});
    std::fs::create_dir(project.join(".claude")).unwrap();
    std::fs::write(project.join(".claude/settings.json"), settings.to_string()).unwrap();
    std::fs::write(project.join(".mcp.json"), server.to_string()).unwrap();
}

async fn s31_what_a_trusted_project_brings_runs(pin: Pin) {
    let mut world = World::new(pin).await;
    bring(&world.project, &json!({}));
    let mut chat = world.create().await;
    chat.turn("say:hello").await;
    assert!(world.project.join("hook-ran").exists());
    let server = world.project.join("server-ran");
    wait_until(|| server.exists()).await;
}

async fn s31_nothing_runs_that_an_untrusted_project_brings(pin: Pin) {
    let mut world = World::new(pin).await;
    // If it applied, no answer could come.
    bring(&world.project, &json!({"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}}));
    let options = SessionOptions { restricted: true, ..SessionOptions::default() };
    let mut chat = world.open(None, options).await.unwrap();
    chat.turn("say:hello").await;
    assert!(chat.said().contains(&"hello"));
    chat.kill().await;
    for name in ["hook-ran", "server-ran"] {
        assert!(!world.project.join(name).exists(), "{name}");
    }
}
