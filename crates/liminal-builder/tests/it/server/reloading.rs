//! Sessions that another program continued: reloading adds what is new and keeps every row that was shown.

use std::fs;
use std::path::PathBuf;

use liminal_core::event::PermissionOptionKind;
use liminal_core::ids::SessionId;
use liminal_core::upsert::{TurnEvent, Upsert, UpsertBody};
use liminal_core::wire::Resume;
use liminal_core::wire::rest::{HistoryPage, SessionOpened, SessionStatus};
use serde_json::json;

use super::client::Client;
use super::found::{claude, said};
use super::machine::Machine;
use super::screen::texts;
use crate::pin::Pin;
use crate::world::both_pins;

both_pins!(
    reloading_a_diverged_session_of_claude_code_keeps_permissions_answers_and_costs,
    a_session_that_changed_while_no_server_ran_is_merged_when_it_is_opened,
    a_diverged_session_stays_so_after_a_restart_and_catches_up_before_the_next_message
);

/// Runs a turn that asks for permission, and answers it.
async fn answered_turn(server: &Client, id: &SessionId, prompt: &str, kind: PermissionOptionKind) {
    server.send(id, prompt).await;
    let asked = server.question(id).await;
    let UpsertBody::Permission(permission) = &asked.item.body else { panic!("{asked:?}") };
    let option = permission.request.options.iter().find(|option| option.kind == kind).unwrap();
    assert_eq!(server.answer(&asked, &option.option_id).await.status, 200);
    server.until(id, |status| status.view.turn.is_none()).await;
}

/// Thinking, text, an allowed and a rejected call.
async fn work(server: &Client, id: &SessionId) {
    server.turn(id, "think:let me look say:one").await;
    let allowed = r#"tool:Bash {"command":"mkdir made","description":"d"}"#;
    answered_turn(server, id, allowed, PermissionOptionKind::AllowOnce).await;
    let rejected = r#"tool:Bash {"command":"mkdir unmade","description":"d"}"#;
    answered_turn(server, id, rejected, PermissionOptionKind::RejectOnce).await;
}

fn permissions(page: &HistoryPage) -> usize {
    page.entries.iter().filter(|item| matches!(item.body, UpsertBody::Permission(_))).count()
}

fn cost(page: &HistoryPage) -> f64 {
    let cost = |turn: &TurnEvent| match turn {
        TurnEvent::TurnComplete { usage, .. } | TurnEvent::TurnError { usage, .. } => {
            usage.as_ref()?.cost_usd
        }
        TurnEvent::TurnStarted { .. } => None,
    };
    page.turns.iter().filter_map(cost).sum()
}

/// Every row is where it was and as it was; returns the rows that were added.
fn added<'a>(before: &HistoryPage, after: &'a HistoryPage) -> &'a [Upsert] {
    assert_eq!(permissions(after), permissions(before), "permissions and their answers");
    let (kept, added) = after.entries.split_at(before.entries.len().min(after.entries.len()));
    assert_eq!(kept, before.entries);
    assert_eq!(after.turns.get(..before.turns.len()), Some(&before.turns[..]));
    assert_eq!(after.epoch, before.epoch, "cursors stay valid");
    added
}

/// Continues a session in a terminal until the server notices. The server attributes changes within seconds of its own
/// turn to its own agent.
async fn continue_in_terminal(pin: Pin, machine: &Machine, server: &Client, id: &SessionId) -> usize {
    let _watching = server.socket().await;
    let own = id.as_str().split_once(':').unwrap().1;
    let mut times = 0;
    while !server.status(id).await.view.is_diverged {
        claude(pin, machine, &["-p", "--resume", own, "say:from outside"]).await;
        times += 1;
    }
    times
}

async fn reloading_a_diverged_session_of_claude_code_keeps_permissions_answers_and_costs(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    work(&server, &id).await;
    let before = server.history(&id).await;
    assert_eq!(permissions(&before), 2);
    assert!(cost(&before) > 0.0, "{:?}", before.turns);

    let times = continue_in_terminal(pin, &machine, &server, &id).await;
    server.act(&id, "load").await.read::<SessionOpened>(200);
    let after = server.history(&id).await;
    let outside = ["say:from outside", "from outside"].repeat(times);
    assert_eq!(texts(added(&before, &after)), outside);
    assert!(!server.status(&id).await.view.is_diverged);
    let cursor = format!("{}.{}", before.epoch, before.seq);
    let mut socket = server.socket().await;
    let (resume, ..) = socket.subscribe_with(&id, json!({ "after": cursor })).await;
    assert_eq!(resume, Resume::Ok);

    server.act(&id, "load").await.read::<SessionOpened>(200);
    assert_eq!(server.history(&id).await, after, "a second reload changes nothing");
    server.turn(&id, "say:from inside").await;
    assert_eq!(said(&server, &id).await.last().map(String::as_str), Some("from inside"));
    server.stop().await;
    let server = machine.start_bare().await;
    server.act(&id, "load").await.read::<SessionOpened>(200);
    assert_eq!(texts(added(&after, &server.history(&id).await)), ["say:from inside", "from inside"]);
    server.stop().await;
}

/// The file in which Claude Code keeps a session.
pub(super) fn session_file(machine: &Machine, id: &SessionId) -> PathBuf {
    let name = format!("{}.jsonl", id.as_str().split_once(':').unwrap().1);
    let folders = fs::read_dir(machine.home.path().join("claude/projects")).unwrap();
    folders.map(|folder| folder.unwrap().path().join(&name)).find(|file| file.exists()).unwrap()
}

async fn a_session_that_changed_while_no_server_ran_is_merged_when_it_is_opened(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    work(&server, &id).await;
    let before = server.history(&id).await;
    server.stop().await;
    let own = id.as_str().split_once(':').unwrap().1;
    claude(pin, &machine, &["-p", "--resume", own, "say:from outside"]).await;

    let server = machine.start_bare().await;
    server.act(&id, "load").await.read::<SessionOpened>(200);
    let after = server.history(&id).await;
    assert_eq!(texts(added(&before, &after)), ["say:from outside", "from outside"]);

    // A file that was cut: the agent has lost the last turn and the one before.
    let file = session_file(&machine, &id);
    let lines = fs::read_to_string(&file).unwrap();
    let cut = lines.split_inclusive('\n').position(|line| line.contains("mkdir unmade")).unwrap();
    fs::write(&file, lines.split_inclusive('\n').take(cut).collect::<String>()).unwrap();
    server.act(&id, "load").await.read::<SessionOpened>(200);
    let cut = server.history(&id).await;
    let [note] = texts(added(&after, &cut))[..] else { panic!("{:?}", added(&after, &cut)) };
    assert!(note.starts_with("The agent no longer remembers"), "{note}");

    fs::remove_file(&file).unwrap();
    server.act(&id, "load").await.read::<SessionOpened>(200);
    assert_eq!(server.history(&id).await, cut);
    server.stop().await;
}

async fn a_diverged_session_stays_so_after_a_restart_and_catches_up_before_the_next_message(pin: Pin) {
    let machine = Machine::with_claude(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    server.turn(&id, "say:one").await;
    let before = server.history(&id).await;
    server.act(&id, "kill").await.read::<SessionStatus>(200);
    // The server notes how large the file is.
    server.act(&id, "load").await.read::<SessionOpened>(200);
    assert_eq!(server.history(&id).await, before);
    server.stop().await;
    let own = id.as_str().split_once(':').unwrap().1;
    claude(pin, &machine, &["-p", "--resume", own, "say:from outside"]).await;
    for _ in 0..2 {
        let server = machine.start_bare().await;
        let _watching = server.socket().await;
        server.until(&id, |status| status.view.is_diverged).await;
        server.stop().await;
    }

    let server = machine.start_bare().await;
    let _watching = server.socket().await;
    server.until(&id, |status| status.view.is_diverged).await;
    server.turn(&id, "say:two").await;
    assert!(!server.status(&id).await.view.is_diverged);
    let after = server.history(&id).await;
    assert_eq!(texts(added(&before, &after)), ["say:from outside", "from outside", "say:two", "two"]);
    server.stop().await;
}

#[tokio::test]
async fn reloading_a_diverged_session_of_codex_keeps_permissions_and_answers() {
    let machine = Machine::with_codex().await;
    let server = machine.start().await;
    let id = server.create("codex").await;
    server.turn(&id, "think:let me look say:one").await;
    for (name, kind) in
        [("made", PermissionOptionKind::AllowOnce), ("unmade", PermissionOptionKind::RejectOnce)]
    {
        let command = format!("touch {}", machine.project.join(name).display());
        let input =
            json!({ "cmd": command, "sandbox_permissions": "require_escalated", "justification": "why" });
        answered_turn(&server, &id, &format!("tool:exec_command {input}"), kind).await;
    }
    server.turn(&id, "say:one").await;
    let before = server.history(&id).await;
    assert_eq!(permissions(&before), 2);
    server.act(&id, "kill").await.read::<SessionStatus>(200);
    // The server notes how large the file is.
    server.act(&id, "load").await.read::<SessionOpened>(200);
    server.stop().await;
    let other = machine.start_beside().await;
    other.turn(&id, "say:from outside").await;
    other.stop().await;

    let server = machine.start_bare().await;
    let _watching = server.socket().await;
    server.until(&id, |status| status.view.is_diverged).await;
    server.act(&id, "load").await.read::<SessionOpened>(200);
    let after = server.history(&id).await;
    assert_eq!(texts(added(&before, &after)), ["say:from outside", "from outside"]);
    server.turn(&id, "say:from inside").await;
    let last = server.history(&id).await;
    assert_eq!(texts(added(&after, &last)), ["say:from inside", "from inside"]);
    server.stop().await;
}
