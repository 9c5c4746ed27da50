//! Messages and permissions while work runs in the background and no turn does.

use liminal_core::event::SettledBy;
use liminal_core::upsert::{UpsertBody, UpsertStatus};
use liminal_core::wire::rest::{SessionList, SessionState};
use serde_json::{Value, json};

use super::{begin, calls, command, foreground, machine, open, rests, running, sub_agent, wait};
use crate::pin::Pin;
use crate::server::screen::texts;
use crate::world::both_pins;

both_pins!(a_sub_agent_asks_after_its_turn_and_messages_are_answered_meanwhile);

async fn a_sub_agent_asks_after_its_turn_and_messages_are_answered_meanwhile(pin: Pin) {
    let machine = machine(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let note = machine.project.join("note.txt");
    let write = format!("tool:Write {}", json!({ "file_path": note, "content": "x" }));
    let sub_agent = sub_agent(&format!("{}\nthen:writing\n{write}\nthen:end", foreground(&wait("inner"))));
    let command = command(&format!("echo one; {}", wait("two")));
    let turn = begin(&server, &id, &format!("{sub_agent}\n{command}\nthen:started")).await;

    let slow = server.send(&id, "words:20 slow:20ms").await;
    server.queue(&id, "say:queued").await;
    server.until(&id, |status| status.view.turn.is_none() && status.view.queue.is_empty()).await;
    server.shows(&id, |page| texts(&page.entries).last() == Some(&"queued")).await;
    assert_eq!(running(&server.status(&id).await), 2);
    open(&machine, "inner");
    let asked = server.question(&id).await;
    let status = server.status(&id).await;
    assert_eq!((status.view.state, &status.view.turn), (SessionState::Waiting, &None));
    assert_eq!((&asked.item.turn_id, asked.item.parent_call_id.is_some()), (&turn, true));
    let list: SessionList = server.get("/api/session/list?attention=true").await.read(200);
    let listed = &list.sessions[0];
    assert_eq!(
        (listed.state, listed.pending, listed.background),
        (SessionState::Waiting, 1, status.view.background)
    );

    server.turn(&id, "say:meanwhile").await;
    assert_eq!(server.question(&id).await.id, asked.id, "a message answers no request");
    assert!(!note.exists());
    assert_eq!(server.answer(&asked, "allow_once").await.read::<Value>(200), json!({}));
    server.answer(&asked, "deny").await.assert_problem(409, "ALREADY_ANSWERED");
    server.shows(&id, |page| page.turns.len() == 10).await;
    assert_eq!(running(&server.status(&id).await), 1);
    assert_eq!(std::fs::read_to_string(&note).unwrap(), "x");
    open(&machine, "two");
    // Its own, two and one of people, and two that the agent begins because its tasks ended.
    let page = rests(&server, &id, 6).await;
    let permission = page.entries.iter().find(|item| item.item_id == asked.item.item_id).unwrap();
    let UpsertBody::Permission(body) = &permission.body else { panic!("{permission:?}") };
    let outcome = body.outcome.as_ref().unwrap();
    assert_eq!((outcome.option_id.as_deref(), outcome.by), (Some("allow_once"), SettledBy::User));
    assert!(page.entries.iter().all(|item| item.status == UpsertStatus::Complete), "{:#?}", page.entries);
    assert_eq!(calls(&page).count(), 4);
    let prompts = ["words:20 slow:20ms", "say:queued", "queued", "say:meanwhile", "meanwhile"];
    for prompt in prompts {
        assert_eq!(texts(&page.entries).iter().filter(|text| **text == prompt).count(), 1, "{prompt}");
    }
    let answers = page.entries.iter().filter(|item| item.turn_id == slow).count();
    assert_eq!(answers, 2, "the prompt and its answer");
    server.stop().await;
}
