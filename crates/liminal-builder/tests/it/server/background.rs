//! Sub-agents and commands that the real Claude Code runs in the background, past the end of their turn. A file in the
//! project opens the gate that each waits at, so nothing here depends on time.

mod ending;
mod following;
mod keeping;
mod talking;

use std::fs;

use liminal_core::ids::{SessionId, TurnId};
use liminal_core::upsert::{ToolCallBody, TurnEvent, Upsert, UpsertBody, UpsertStatus};
use liminal_core::wire::rest::{HistoryPage, SessionState, SessionStatus};
use serde_json::json;

use super::client::Client;
use super::machine::Machine;
use super::screen::texts;
use crate::pin::Pin;

/// One whose commands need no permission.
async fn machine(pin: Pin) -> Machine {
    let machine = Machine::with_claude(pin).await;
    let folder = machine.home.path().join("claude");
    fs::create_dir(&folder).unwrap();
    let settings = json!({ "permissions": { "allow": ["Bash"] } });
    fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    machine
}

fn open(machine: &Machine, gate: &str) {
    fs::write(machine.project.join(gate), "").unwrap();
}

/// A command that waits until a gate is open.
fn wait(gate: &str) -> String {
    format!("until [ -e {gate} ]; do sleep 0.05; done")
}

/// The old version runs sub-agents in the background only if it is asked to.
fn sub_agent(prompt: &str) -> String {
    let input = json!({ "description": "look", "prompt": prompt, "subagent_type": "general-purpose",
        "run_in_background": true });
    format!("tool:Agent {input}")
}

fn foreground(command: &str) -> String {
    format!("tool:Bash {}", json!({ "command": command, "description": "inner" }))
}

fn command(command: &str) -> String {
    let input = json!({ "command": command, "description": "count", "run_in_background": true });
    format!("tool:Bash {input}")
}

/// A sub-agent whose command waits at the gate `inner`, and a command that waits at `two` and then at `three`.
fn work() -> String {
    let inner = foreground(&format!("{}; echo inner done", wait("inner")));
    let outer = format!("echo one; {}; echo two; {}; echo three", wait("two"), wait("three"));
    let sub_agent = sub_agent(&format!("say:begin\n{inner}\nthen:end"));
    format!("{sub_agent}\n{}\nthen:started", command(&outer))
}

const fn running(status: &SessionStatus) -> u32 {
    match status.view.background {
        Some(background) => background.running,
        None => 0,
    }
}

/// Sends work of two tasks, and waits until its turn is over and both have shown that they run.
async fn begin(server: &Client, id: &SessionId, work: &str) -> TurnId {
    let turn = server.send(id, work).await;
    server.until(id, |status| status.view.turn.is_none() && running(status) == 2).await;
    let are_running = |page: &HistoryPage| {
        let of_turn = || calls(page).filter(|(item, _)| item.turn_id == turn);
        let has_inner = of_turn().any(|(item, _)| item.parent_call_id.is_some());
        has_inner && of_turn().any(|(_, call)| output(call).ends_with("\none\n"))
    };
    server.shows(id, are_running).await;
    turn
}

/// Waits until a number of turns have ended and nothing runs, neither a turn nor background work.
async fn rests(server: &Client, id: &SessionId, turns: usize) -> HistoryPage {
    rests_after(server, id, |page| page.turns.len() == 2 * turns).await
}

/// Waits until a session shows something and nothing runs.
async fn rests_after(server: &Client, id: &SessionId, holds: impl Fn(&HistoryPage) -> bool) -> HistoryPage {
    server.shows(id, holds).await;
    let is_resting = |status: &SessionStatus| status.view.state == SessionState::Idle && running(status) == 0;
    server.until(id, is_resting).await;
    server.history(id).await
}

/// Stops background work. The agent speaks of both tasks, in one turn of its own or in two.
async fn stop(server: &Client, id: &SessionId) -> HistoryPage {
    server.act(id, "background/stop").await.read::<SessionStatus>(200);
    let is_told = |page: &HistoryPage| {
        ["\"look\" was stopped", "\"count\" was stopped"]
            .map(|note| texts(&page.entries).iter().filter(|text| text.contains(note)).count())
            == [1, 1]
    };
    rests_after(server, id, is_told).await
}

fn calls(page: &HistoryPage) -> impl Iterator<Item = (&Upsert, &ToolCallBody)> {
    page.entries.iter().filter_map(|item| match &item.body {
        UpsertBody::ToolCall(call) => Some((item, call)),
        _ => None,
    })
}

fn output(call: &ToolCallBody) -> &str {
    call.tool_output.as_deref().unwrap_or_default()
}

/// The call of a sub-agent, the call inside it and the call of a command, in the order of the transcript.
fn three<'a>(page: &'a HistoryPage, turn: &TurnId) -> [(&'a Upsert, &'a ToolCallBody); 3] {
    let of_turn: Vec<_> = calls(page).filter(|(item, _)| item.turn_id == *turn).collect();
    assert_eq!(of_turn.len(), 3, "{of_turn:#?}");
    let find = |name: &str, is_inside: bool| {
        let is_it = |(item, call): &&(&Upsert, &ToolCallBody)| {
            call.tool_name == name && item.parent_call_id.is_some() == is_inside
        };
        *of_turn.iter().find(is_it).unwrap_or_else(|| panic!("no {name}: {of_turn:#?}"))
    };
    let found = [find("Agent", false), find("Bash", true), find("Bash", false)];
    assert_eq!(found[1].0.parent_call_id.as_ref(), Some(&found[0].1.call_id));
    assert!(found[0].1.detached && found[2].1.detached);
    found
}

fn is_over(item: &Upsert) -> bool {
    matches!(item.status, UpsertStatus::Complete | UpsertStatus::Error)
}

/// All three calls of a turn that has ended were ended before they had finished, for a reason that says this.
fn assert_ended(page: &HistoryPage, turn: &TurnId, why: &str) {
    for (item, call) in three(page, turn) {
        assert_eq!(item.error_code.as_deref(), Some("BACKGROUND_ENDED"), "{item:?} {call:?}");
        let message = item.error_message.as_deref().unwrap_or_default();
        assert!(message.contains(why), "{message}");
    }
    assert!(page.entries.iter().all(is_over), "{:#?}", page.entries);
    let ends = page
        .turns
        .iter()
        .filter(|event| matches!(event, TurnEvent::TurnComplete { turn_id, .. } if turn_id == turn));
    assert_eq!(ends.count(), 1, "{:?}", page.turns);
}
