//! Forks: sessions that have the history of another one so far, and go on by themselves.

use std::fs;

use liminal_core::event::{Attachment, Origin};
use liminal_core::ids::SessionId;
use liminal_core::wire::rest::{ForkedFrom, MessageAccepted, SessionOpened, SessionSource, SessionStatus};
use serde_json::json;

use super::attachments::{PNG, WORDS, at_rest, attach, messages, path, send};
use super::client::Client;
use super::found::{claude, said};
use super::machine::Machine;
use super::socket::Socket;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(
    a_fork_of_claude_code_and_its_source_go_on_by_themselves,
    a_fork_of_claude_code_in_which_nothing_was_said_outlives_its_server,
    a_fork_of_claude_code_keeps_the_files_of_its_history,
    a_session_that_another_program_went_on_with_keeps_its_files_when_it_is_read_again,
    b12_a_session_that_another_program_went_on_with_is_forked_with_all_that_was_said,
    a_fork_tells_what_it_was_forked_from_whatever_became_of_it,
    a_key_that_comes_again_forks_once
);

async fn fork(server: &Client, id: &SessionId) -> SessionStatus {
    server.post(&format!("/api/session/{id}/fork"), json!({})).await.read(201)
}

async fn named_fork(server: &Client, source: &SessionId) -> SessionId {
    assert!(server.status(source).await.view.agent.abilities.fork);
    let path = format!("/api/session/{source}/fork");
    let named: SessionStatus = server.post(&path, json!({ "title": "Another way" })).await.read(201);
    let fork = named.session_id;
    assert_eq!(named.view.title.as_deref(), Some("Another way"));
    assert_ne!(fork, *source);
    assert!(server.history(&fork).await.entries.iter().all(|entry| entry.session_id == fork));
    fork
}

/// Both go on by themselves, here and in the agent's own memory, and the source never hears of it.
async fn each_goes_on_by_itself(machine: Machine, cli_type: &str) {
    let server = machine.start().await;
    let source = server.create(cli_type).await;
    server.turn(&source, "say:remember the fox").await;
    let before = server.history(&source).await;
    let fork = named_fork(&server, &source).await;
    assert_eq!(said(&server, &fork).await, ["say:remember the fox", "remember the fox"], "at once");

    server.turn(&fork, "say:and the hound").await;
    assert_eq!(server.history(&source).await, before, "what is said in the fork is the fork's");
    server.turn(&source, "say:and the hen").await;
    let (of_source, of_fork) = (
        ["say:remember the fox", "remember the fox", "say:and the hen", "and the hen"],
        ["say:remember the fox", "remember the fox", "say:and the hound", "and the hound"],
    );
    for (id, expected) in [(&source, of_source), (&fork, of_fork)] {
        assert_eq!(said(&server, id).await, expected);
    }
    server.stop().await;

    assert_remembered(&machine, &source, &of_source).await;
    assert_remembered(&machine, &fork, &of_fork).await;
}

/// A server that never saw the session hears of the agent what was said in it.
async fn assert_remembered(machine: &Machine, id: &SessionId, expected: &[&str]) {
    fs::remove_dir_all(machine.data()).unwrap();
    let server = machine.start().await;
    let listed = server.list().await;
    assert_eq!(listed.len(), 2, "{listed:?}");
    assert!(listed.iter().all(|session| session.source == SessionSource::Found));
    server.act(id, "load").await.read::<SessionOpened>(200);
    assert_eq!(said(&server, id).await, expected);
    server.stop().await;
}

async fn a_fork_of_claude_code_and_its_source_go_on_by_themselves(pin: Pin) {
    each_goes_on_by_itself(Machine::with_claude(pin).await, "claude-code").await;
}

#[tokio::test]
async fn a_fork_of_codex_and_its_source_go_on_by_themselves() {
    each_goes_on_by_itself(Machine::with_codex().await, "codex").await;
}

/// Agents may keep nothing of a fork until something is said in it.
async fn outlives_its_agent(machine: Machine, cli_type: &str) {
    let server = machine.start().await;
    let source = server.create(cli_type).await;
    server.turn(&source, "say:remember the fox").await;
    let fork = fork(&server, &source).await.session_id;
    server.stop().await;

    let server = machine.start_bare().await;
    server.turn(&source, "say:and the hen").await;
    server.turn(&fork, "say:and the hound").await;
    let expected = ["say:remember the fox", "remember the fox", "say:and the hound", "and the hound"];
    assert_eq!(said(&server, &fork).await, expected);
    server.stop().await;
    assert_remembered(&machine, &fork, &expected).await;
}

async fn a_fork_of_claude_code_in_which_nothing_was_said_outlives_its_server(pin: Pin) {
    outlives_its_agent(Machine::with_claude(pin).await, "claude-code").await;
}

#[tokio::test]
async fn a_fork_of_codex_in_which_nothing_was_said_outlives_its_server() {
    outlives_its_agent(Machine::with_codex().await, "codex").await;
}

/// Two images that differ in nothing that an agent remembers of them, and a text.
async fn with_files(server: &Client, id: &SessionId) -> Vec<Attachment> {
    server.until(id, |status| status.view.agent.abilities.attachments.images).await;
    let first = attach(server, id, "first.png", "image/png", PNG).await;
    let second = attach(server, id, "second.png", "image/png", PNG).await;
    let notes = attach(server, id, "notes.md", "text/markdown", WORDS).await;
    for (message, files) in [("say:one", vec![&first]), ("say:two", vec![&second, &notes])] {
        send(server, id, message, &files).await.read::<MessageAccepted>(202);
        at_rest(server, id).await;
    }
    vec![first, second, notes]
}

async fn attached(server: &Client, id: &SessionId) -> Vec<Attachment> {
    messages(server, id, Origin::User).await.into_iter().flat_map(|message| message.attachments).collect()
}

/// A fork has the files of its history itself: in its own name, and when its source is gone.
async fn keeps_its_files(machine: Machine, cli_type: &str) {
    let server = machine.start().await;
    let source = server.create(cli_type).await;
    let files = with_files(&server, &source).await;
    let fork = fork(&server, &source).await.session_id;
    assert_eq!(attached(&server, &fork).await, files);
    let notes = path(&fork, &files[2]);
    assert_eq!(server.get(&notes).await.body, "some words");
    server.delete(&notes).await.assert_problem(409, "WRONG_STATE");
    assert_eq!(server.delete(&format!("/api/session/{source}")).await.status, 204);
    assert_eq!(server.get(&notes).await.body, "some words");
    send(&server, &fork, "say:three", &[&files[2]]).await.read::<MessageAccepted>(202);
    at_rest(&server, &fork).await;
    assert_eq!(server.delete(&format!("/api/session/{fork}")).await.status, 204);
    assert_eq!(fs::read_dir(machine.data().join("attachments")).unwrap().count(), 0);
    server.stop().await;
}

async fn a_fork_of_claude_code_keeps_the_files_of_its_history(pin: Pin) {
    keeps_its_files(Machine::with_claude(pin).await, "claude-code").await;
}

#[tokio::test]
async fn a_fork_of_codex_keeps_the_files_of_its_history() {
    keeps_its_files(Machine::with_codex().await, "codex").await;
}

async fn a_session_that_another_program_went_on_with_keeps_its_files_when_it_is_read_again(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let files = with_files(&server, &id).await;
    server.act(&id, "kill").await.read::<SessionStatus>(200);
    // The server notes how large the file is. The next one does not know when its agent last wrote, so it takes what
    // comes now for another program's at once.
    server.act(&id, "load").await.read::<SessionOpened>(200);
    server.stop().await;
    let own = id.as_str().split_once(':').unwrap().1;
    claude(pin, &machine, &["-p", "--resume", own, "say:from outside"]).await;
    let server = machine.start_bare().await;
    // Nobody looks at what other programs do while nobody is shown it.
    let _watching = Socket::connect(&server).await;
    server.until(&id, |status| status.view.is_diverged).await;
    server.act(&id, "load").await.read::<SessionOpened>(200);
    assert_eq!(said(&server, &id).await.last().map(String::as_str), Some("from outside"));
    assert_eq!(attached(&server, &id).await, files);
    server.stop().await;
}

async fn b12_a_session_that_another_program_went_on_with_is_forked_with_all_that_was_said(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let source = server.create("claude-code").await;
    server.turn(&source, "say:from inside").await;
    let own = source.as_str().split_once(':').unwrap().1;
    claude(pin, &machine, &["-p", "--resume", own, "say:from outside"]).await;
    let fork = fork(&server, &source).await;
    let before = ["say:from inside", "from inside", "say:from outside", "from outside"];
    assert_eq!(said(&server, &fork.session_id).await, before);
    assert_eq!(fork.view.title.as_deref(), Some("say:from inside (fork)"));
    server.turn(&fork.session_id, "say:on our own").await;
    server.stop().await;
    assert_remembered(&machine, &source, &before).await;
    assert_remembered(&machine, &fork.session_id, &[&before[..], &["say:on our own", "on our own"]].concat())
        .await;
}

async fn a_fork_tells_what_it_was_forked_from_whatever_became_of_it(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let source = server.create("claude-code").await;
    server.turn(&source, "say:remember the fox").await;
    let from = |title: &str, is_gone| ForkedFrom {
        session_id: source.clone(),
        title: Some(title.to_owned()),
        is_gone,
    };
    let made = fork(&server, &source).await;
    assert_eq!(made.forked_from, Some(from("say:remember the fox", false)));
    assert_eq!(server.status(&source).await.forked_from, None);
    server.turn(&made.session_id, "say:and the hound").await;
    let grandchild = fork(&server, &made.session_id).await;
    assert_eq!(grandchild.forked_from.map(|from| from.session_id), Some(made.session_id.clone()));

    let title = json!({ "title": "The fox" });
    server.post(&format!("/api/session/{source}/title"), title).await.read::<SessionStatus>(200);
    assert_eq!(server.status(&made.session_id).await.forked_from, Some(from("The fox", false)), "renamed");
    server.act(&source, "archive").await.read::<SessionStatus>(200);
    server.stop().await;
    let server = machine.start_bare().await;
    assert_eq!(server.status(&made.session_id).await.forked_from, Some(from("The fox", false)), "put away");
    assert_eq!(server.delete(&format!("/api/session/{source}")).await.status, 204);
    let gone = Some(from("say:remember the fox", true));
    assert_eq!(server.status(&made.session_id).await.forked_from, gone);
    server.stop().await;
    let server = machine.start_bare().await;
    assert_eq!(server.status(&made.session_id).await.forked_from, gone, "for good");
    server.stop().await;
}

async fn a_key_that_comes_again_forks_once(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let source = server.create("claude-code").await;
    server.turn(&source, "say:remember the fox").await;
    let path = format!("/api/session/{source}/fork");
    let ask = async || -> SessionStatus {
        server.call("POST", &path, &[("Idempotency-Key", "one")], Some(&json!({}))).await.read(201)
    };
    assert_eq!(ask().await.session_id, ask().await.session_id);
    assert_eq!(server.list().await.len(), 2);
    server.stop().await;
}

#[tokio::test]
async fn what_cannot_be_forked_is_told_and_leaves_nothing() {
    let machine = Machine::with_own(&[]);
    let server = machine.start().await;
    for cli_type in ["demo", "mine"] {
        let id = server.create(cli_type).await;
        server.turn(&id, "hello").await;
        assert!(!server.status(&id).await.view.agent.abilities.fork);
        let path = format!("/api/session/{id}/fork");
        server.post(&path, json!({})).await.assert_problem(409, "NOT_FORKABLE");
        server.post(&path, json!({ "title": "\n" })).await.assert_problem(400, "INVALID_REQUEST");
    }
    let nobody = server.post("/api/session/demo:nothing/fork", json!({})).await;
    nobody.assert_problem(404, "SESSION_NOT_FOUND");
    assert_eq!(server.list().await.len(), 2);
    server.stop().await;

    let machine = Machine::with_fake();
    let server = machine.start().await;
    let silent = server.create("claude-code").await;
    let refused = server.post(&format!("/api/session/{silent}/fork"), json!({})).await;
    refused.assert_problem(409, "NOT_FORKABLE");
    assert!(refused.body.contains("nothing was said"), "{refused:?}");
    server.stop().await;
}
