//! Other agents: a new session, a prompt with a tool, a permission.

use super::world::AcpWorld;

/// The command asks first; it runs when it is allowed, and what it says is shown.
async fn runs_a_tool_with_permission(mut world: AcpWorld, prompt: &str) {
    let mut chat = world.create().await;
    chat.turn("say:hello there").await;
    assert!(chat.said().iter().any(|text| text.trim() == "hello there"), "{:?}", chat.said());

    let turn = chat.send(&prompt.replace("PROJECT", &world.project.display().to_string())).await.unwrap();
    let (item, asked) = chat.permission().await;
    assert!(!world.project.join("made").exists());
    let allow = asked.request.options.iter().find(|option| option.kind.as_str() == "allow_once").unwrap();
    chat.answer(item, &allow.option_id).await;
    chat.end_of(&turn).await;
    assert!(world.project.join("made").exists());
    assert!(!chat.calls().is_empty());
    assert_eq!(chat.ends(), ["completed", "completed"]);
    chat.assert_sound();
}

#[tokio::test]
async fn gemini_runs_a_tool_with_permission() {
    let prompt = r#"tool:run_shell_command {"command":"touch PROJECT/made"}"#;
    runs_a_tool_with_permission(AcpWorld::gemini().await, prompt).await;
}

#[tokio::test]
async fn opencode_runs_a_tool_with_permission() {
    let prompt = r#"tool:bash {"command":"touch PROJECT/made","description":"make it"}"#;
    runs_a_tool_with_permission(AcpWorld::opencode().await, prompt).await;
}
