//! Projects: which directories may be one, and what runs only where it is trusted.

use liminal_core::wire::projects::{Project, ProjectList, Trust};
use serde_json::json;

use super::client::eventually;
use super::machine::Machine;

#[tokio::test]
async fn a_project_is_added_once_and_forgotten_without_a_trace_on_disk() {
    let machine = Machine::new();
    let server = machine.start_bare().await;
    assert!(server.projects().await.is_empty());
    let project = server.add_project(&machine.project).await;
    assert_eq!((project.name.as_str(), project.trust), ("project", Trust::Unknown));
    server
        .post("/api/projects", json!({ "path": machine.project }))
        .await
        .assert_problem(409, "PROJECT_EXISTS");
    let same = machine.project.join("..").join("project");
    server.post("/api/projects", json!({ "path": same })).await.assert_problem(409, "PROJECT_EXISTS");
    let id = server.create("demo").await;
    assert_eq!(server.delete(&format!("/api/projects/{}", project.id)).await.status, 204);
    assert!(server.projects().await.is_empty() && machine.project.is_dir());
    server.delete(&format!("/api/projects/{}", project.id)).await.assert_problem(404, "PROJECT_NOT_FOUND");
    server.say(&id, "hello").await.assert_problem(400, "PROJECT_DIR_INVALID");
    server.stop().await;
}

#[tokio::test]
async fn a_directory_that_cannot_be_a_project_is_refused() {
    let machine = Machine::new();
    let server = machine.start_bare().await;
    let file = machine.project.join("file");
    std::fs::write(&file, "").unwrap();
    let missing = machine.project.join("missing");
    let data = machine.data();
    for path in
        ["relative", "", "/", file.to_str().unwrap(), missing.to_str().unwrap(), data.to_str().unwrap()]
    {
        let answer = server.post("/api/projects", json!({ "path": path })).await;
        answer.assert_problem(400, "PROJECT_DIR_INVALID");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_session_is_made_inside_a_project_only() {
    let machine = Machine::new();
    let server = machine.start().await;
    let outside = machine.directory("outside");
    let link = machine.project.join("link");
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    let inside = machine.directory("project/inside");
    let create = async |directory: &std::path::Path| {
        server.post("/api/session/create", json!({ "cliType": "demo", "projectDir": directory })).await
    };
    for directory in [&outside, &link, &machine.project.join("missing"), &machine.project.join("../outside")]
    {
        create(directory).await.assert_problem(400, "PROJECT_DIR_INVALID");
    }
    assert_eq!(create(&inside).await.status, 201);
    server
        .post("/api/session/create", json!({ "cliType": "demo" }))
        .await
        .assert_problem(400, "INVALID_REQUEST");
    let wish = server.create_with("demo", json!({ "nonsense": 1 })).await;
    wish.assert_problem(400, "INVALID_REQUEST");
    server.stop().await;
}

/// The fake Claude Code notes how it is started.
#[tokio::test]
async fn what_a_project_brings_runs_only_if_somebody_trusts_it() {
    let machine = Machine::with_fake();
    let server = machine.start().await;
    let hooks =
        json!({ "hooks": { "UserPromptSubmit": [{ "hooks": [{ "type": "command", "command": "true" }] }] } });
    std::fs::create_dir(machine.project.join(".claude")).unwrap();
    let settings = machine.project.join(".claude/settings.json");
    std::fs::write(&settings, hooks.to_string()).unwrap();
    server.create_with("claude-code", json!({})).await.assert_problem(403, "TRUST_REQUIRED");
    assert!(machine.starts().is_empty());
    let list: ProjectList = server.get("/api/projects").await.read(200);
    let project = &list.projects[0];
    assert_eq!((project.trust, project.findings.len()), (Trust::Unknown, 1), "{project:?}");
    let path = format!("/api/projects/{}/trust", project.id);
    let decide = async |trusted: bool| server.post(&path, json!({ "trusted": trusted })).await;

    assert_eq!(decide(false).await.read::<Project>(200).trust, Trust::Untrusted);
    server.create("claude-code").await;
    eventually(|| machine.starts().len() == 1).await;
    assert!(machine.starts()[0].contains("--setting-sources=user"), "{:?}", machine.starts());
    // Nothing keeps this one from what the project brings.
    server.create_with("demo", json!({})).await.assert_problem(400, "INVALID_REQUEST");

    assert_eq!(decide(true).await.read::<Project>(200).trust, Trust::Trusted);
    server.create("claude-code").await;
    eventually(|| machine.starts().len() == 2).await;
    assert!(!machine.starts()[1].contains("--setting-sources"), "{:?}", machine.starts());
    // It brings something else now, and nobody has said a word about that.
    std::fs::write(&settings, hooks.to_string().replace("true", "false")).unwrap();
    server.create_with("claude-code", json!({})).await.assert_problem(403, "TRUST_REQUIRED");
    server
        .post("/api/projects/nothing/trust", json!({ "trusted": true }))
        .await
        .assert_problem(404, "PROJECT_NOT_FOUND");
    server.post(&path, json!({})).await.assert_problem(400, "INVALID_REQUEST");
    server.stop().await;
}

#[tokio::test]
async fn files_and_directories_are_found_by_what_is_typed() {
    let machine = Machine::new();
    let server = machine.start().await;
    machine.directory("project/source");
    std::fs::write(machine.project.join("source/main.rs"), "").unwrap();
    let project = server.projects().await.remove(0).id;
    let found = server.get(&format!("/api/projects/{project}/files?q=main")).await;
    assert_eq!(found.read::<serde_json::Value>(200)["paths"], json!(["source/main.rs"]));
    server.get("/api/projects/nothing/files?q=a").await.assert_problem(404, "PROJECT_NOT_FOUND");
    let begun = machine.project.join("sou");
    let completed = server.get(&format!("/api/fs/complete?path={}", begun.display())).await;
    let completed: serde_json::Value = completed.read(200);
    assert!(completed["paths"][0].as_str().unwrap().contains("project/source"), "{completed}");
    server.stop().await;
}

#[tokio::test]
async fn d15_a_project_replaced_by_a_link_is_not_searched() {
    let machine = Machine::new();
    let server = machine.start().await;
    let elsewhere = machine.directory("elsewhere");
    std::fs::write(elsewhere.join("secret-plan.md"), "").unwrap();
    std::fs::create_dir(elsewhere.join(".claude")).unwrap();
    std::fs::write(elsewhere.join(".claude/settings.json"), r#"{"apiKeyHelper": "secret"}"#).unwrap();
    std::fs::remove_dir_all(&machine.project).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &machine.project).unwrap();
    let project = server.projects().await.remove(0);
    let found = server.get(&format!("/api/projects/{}/files?q=plan", project.id)).await;
    found.assert_problem(400, "PROJECT_DIR_INVALID");
    assert!(!format!("{found:?}").contains("secret"), "{found:?}");
    assert!(project.is_missing && project.findings.is_empty(), "{project:?}");
    let trust = format!("/api/projects/{}/trust", project.id);
    server.post(&trust, json!({ "trusted": true })).await.assert_problem(400, "PROJECT_DIR_INVALID");
    server.stop().await;
}
