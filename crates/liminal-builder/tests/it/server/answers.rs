//! Answers that the agent's dialect refuses, that come too late, and requests that are too long to show.

use liminal_core::event::PermissionRequest;
use liminal_core::upsert::UpsertBody;
use liminal_core::wire::approvals::Approval;
use liminal_core::wire::rest::{SessionState, SessionStatus};
use serde_json::{Value, json};

use super::client::{Answer, Client};
use super::machine::Machine;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(
    questions_of_claude_code_stay_answerable_until_all_are_answered,
    a_rejection_carries_its_reason_to_claude_code,
    an_approval_shows_exactly_what_will_run,
    allowing_a_command_for_the_session_allows_no_edit
);

fn request(asked: &Approval) -> &PermissionRequest {
    let UpsertBody::Permission(body) = &asked.item.body else { panic!("{asked:?}") };
    &body.request
}

/// A directive that makes the fake agent write this line and wait for another one.
fn writes(line: &Value) -> String {
    let hex: String = format!("{line}\n").bytes().map(|byte| format!("{byte:02x}")).collect();
    format!("!raw {hex}")
}

async fn post(server: &Client, asked: &Approval, answer: Value) -> Answer {
    server.post(&format!("/api/approvals/{}", asked.id), answer).await
}

#[tokio::test]
async fn a_refused_answer_is_reported_and_the_form_stays_answerable() {
    let machine = Machine::with_own(&[]);
    let server = machine.start().await;
    let id = server.create("mine").await;
    let session = id.as_str().split_once(':').unwrap().1;
    let form = json!({"jsonrpc": "2.0", "id": 77, "method": "elicitation/create", "params": {
        "sessionId": session, "mode": "form", "message": "How many?", "requestedSchema": {"type": "object",
            "properties": {"count": {"type": "integer", "title": "Count"}}, "required": ["count"]}}});
    server.send(&id, &format!("{} !stall 60000", writes(&form))).await;
    let asked = server.question(&id).await;
    post(&server, &asked, json!({"answers": {"Count": "many"}})).await.assert_problem(400, "INVALID_REQUEST");

    let mut socket = server.socket().await;
    let frame = json!({"type": "session:permission", "sessionId": id, "itemId": asked.item.item_id,
        "answers": {"Count": "1.5"}});
    let refused = serde_json::to_value(socket.ask(frame).await).unwrap();
    assert_eq!(refused["problem"]["code"], "INVALID_REQUEST", "{refused}");
    assert_eq!(server.question(&id).await.id, asked.id, "the request still waits");

    assert_eq!(post(&server, &asked, json!({"answers": {"Count": "3"}})).await.read::<Value>(200), json!({}));
    post(&server, &asked, json!({"answers": {"Count": "4"}})).await.assert_problem(409, "ALREADY_ANSWERED");
    server.stop().await;
}

async fn questions_of_claude_code_stay_answerable_until_all_are_answered(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let question = |text: &str| {
        json!({"question": text, "header": "H", "multiSelect": false,
            "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}]})
    };
    let input = json!({"questions": [question("Which?"), question("How?")]});
    let turn = server.send(&id, &format!("tool:AskUserQuestion {input}")).await;
    let asked = server.question(&id).await;
    post(&server, &asked, json!({"answers": {"Which?": "A"}})).await.assert_problem(400, "INVALID_REQUEST");
    let all = json!({"answers": {"Which?": "A", "How?": "B"}});
    assert_eq!(post(&server, &asked, all).await.read::<Value>(200), json!({}));
    server.until(&id, |status| status.view.turn.as_ref() != Some(&turn)).await;
    server.stop().await;
}

/// The agent does not read, so its turn stays in the state of being stopped.
#[tokio::test]
async fn an_answer_after_the_cancel_is_a_conflict() {
    let machine = Machine::with_fake();
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let ask = json!({"type": "control_request", "request_id": "r1", "request": {"subtype": "can_use_tool",
        "tool_name": "Bash", "input": {"command": "touch x"}, "tool_use_id": "c1"}});
    server.send(&id, &format!("{} !hang", writes(&ask))).await;
    let asked = server.question(&id).await;
    server.act(&id, "cancel").await.read::<SessionStatus>(200);
    server.until(&id, |status| status.view.state == SessionState::Cancelling).await;
    server.answer(&asked, "allow_once").await.assert_problem(409, "ALREADY_ANSWERED");
    server.stop().await;
}

async fn a_rejection_carries_its_reason_to_claude_code(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let turn = server.send(&id, r#"tool:Bash {"command":"touch x.txt"}"#).await;
    let asked = server.question(&id).await;
    assert!(request(&asked).accepts_reason);
    let answer = json!({"optionId": "deny", "reason": "use the staging server"});
    assert_eq!(post(&server, &asked, answer).await.read::<Value>(200), json!({}));
    server.until(&id, |status| status.view.turn.as_ref() != Some(&turn)).await;
    let page = server.history(&id).await;
    let heard = page.entries.iter().any(|entry| match &entry.body {
        UpsertBody::ToolCall(call) => {
            call.tool_output.as_deref().unwrap_or("").contains("use the staging server")
        }
        _ => false,
    });
    assert!(heard, "the agent got the reason as the call's result: {:?}", page.entries);
    server.stop().await;
}

#[tokio::test]
async fn a_long_input_is_shown_cut_and_returned_whole() {
    let mut machine = Machine::with_fake();
    machine.settings += "[limits]\nbody-kib = 4096\n";
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let command = format!("echo {}; rm -rf important", "x".repeat(1_200_000));
    server.send(&id, &format!("!perm {command}")).await;
    let asked = server.question(&id).await;
    assert!(request(&asked).input_truncated);
    assert!(serde_json::to_vec(&asked).unwrap().len() < 1 << 20);
    let path = format!("/api/approvals/{}/input", asked.id);
    let whole = server.get(&path).await.read::<Value>(200);
    assert_eq!(whole["command"], json!(command));
    server.answer(&asked, "deny").await.read::<Value>(200);
    server.until(&id, |status| status.view.turn.is_none()).await;
    server.get(&path).await.assert_problem(404, "APPROVAL_NOT_FOUND");
    server.stop().await;
}

async fn an_approval_shows_exactly_what_will_run(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let command = "echo list\n# List the files of the project\ntouch made.txt  ";
    let input = json!({"command": command, "description": "List the files of the project"});
    let turn = server.send(&id, &format!("tool:Bash {input}")).await;
    let asked = server.question(&id).await;
    assert_eq!(request(&asked).tool_name, "Bash");
    assert_eq!(request(&asked).input["command"], json!(command));
    server.answer(&asked, "deny").await.read::<Value>(200);
    server.until(&id, |status| status.view.turn.as_ref() != Some(&turn)).await;

    let path = machine.project.join("new.txt");
    let input = json!({"file_path": path, "content": "one\ntwo\n"});
    server.send(&id, &format!("tool:Write {input}")).await;
    let asked = server.question(&id).await;
    assert_eq!(request(&asked).diffs[0].new_text, "one\ntwo\n");
    server.stop().await;
}

/// On `touch`, the suggestion for the command is one option and the one for edits another.
async fn allowing_a_command_for_the_session_allows_no_edit(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let turn = server.send(&id, r#"tool:Bash {"command":"touch zz.txt"}"#).await;
    let asked = server.question(&id).await;
    let options = &request(&asked).options;
    let command = options.iter().find(|option| option.name.contains("touch"));
    let command = command.unwrap_or_else(|| panic!("{options:?}"));
    server.answer(&asked, &command.option_id).await.read::<Value>(200);
    server.until(&id, |status| status.view.turn.as_ref() != Some(&turn)).await;
    assert!(machine.project.join("zz.txt").exists());
    let input = json!({"file_path": machine.project.join("edit.txt"), "content": "x"});
    server.send(&id, &format!("tool:Write {input}")).await;
    let asked = server.question(&id).await;
    assert_eq!(request(&asked).tool_name, "Write", "an edit is still asked for");
    assert!(!machine.project.join("edit.txt").exists());
    server.stop().await;
}

#[tokio::test]
async fn sessions_that_wait_are_named_and_kept_when_agents_run_out() {
    let mut machine = Machine::new();
    machine.settings += "[sessions]\nmax-agents = 1\n";
    let server = machine.start().await;
    let id = server.create("demo").await;
    server.send(&id, "/permission").await;
    let asked = server.question(&id).await;
    let refused = server.create_with("demo", json!({})).await;
    refused.assert_problem(503, "AGENTS_EXHAUSTED");
    let detail = refused.read::<Value>(503)["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains(id.as_str()) && detail.contains("/permission"), "{detail}");
    assert_eq!(server.question(&id).await.id, asked.id, "the session that waits was not ended");
    server.stop().await;
}
