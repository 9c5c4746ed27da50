//! Sessions with work in the background keep their agent, and what it writes is its own.

use std::fs;
use std::io::Write;

use liminal_core::wire::rest::SessionOpened;
use serde_json::json;

use super::{begin, machine, open, rests, running, stop, work};
use crate::pin::Pin;
use crate::server::machine::is_running;
use crate::server::reloading::session_file;
use crate::world::both_pins;

both_pins!(background_work_outlasts_the_idle_limit, background_work_keeps_its_place_among_the_agents);

/// Another session shows that the limit holds, and when changes of files are no longer taken for those of a turn.
async fn background_work_outlasts_the_idle_limit(pin: Pin) {
    let mut machine = machine(pin).await;
    machine.settings += "[sessions]\nidle-minutes = 0\nidle-seconds = 1\n";
    let server = machine.start().await;
    let _watching = server.socket().await;
    let (id, other) = (server.create("claude-code").await, server.create("claude-code").await);
    let turn = begin(&server, &id, &work()).await;
    let pid = server.status(&id).await.view.agent.pid.unwrap();
    server.turn(&other, "say:hello").await;
    server.until(&other, |status| !status.view.is_alive).await;
    let file = fs::OpenOptions::new().append(true).open(session_file(&machine, &other)).unwrap();
    let grow = || (&file).write_all(b"\n").unwrap();
    server.until(&other, |status| (grow(), status.view.is_diverged).1).await;
    let status = server.status(&id).await;
    assert_eq!((running(&status), status.view.agent.pid, is_running(pid)), (2, Some(pid), true));
    assert!(!status.view.is_diverged);
    open(&machine, "inner");
    server.shows(&id, |page| page.turns.len() == 4).await;
    for gate in ["two", "three"] {
        open(&machine, gate);
    }
    let page = rests(&server, &id, 3).await;
    assert!(super::three(&page, &turn).iter().all(|(item, _)| item.error_code.is_none()));
    let status = server.until(&id, |status| !status.view.is_alive).await;
    assert!(!status.view.is_diverged && status.view.failure.is_none(), "{status:?}");
    server.stop().await;
}

async fn background_work_keeps_its_place_among_the_agents(pin: Pin) {
    let mut machine = machine(pin).await;
    machine.settings += "[sessions]\nmax-agents = 1\n";
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    begin(&server, &id, &work()).await;
    let refused = server.create_with("claude-code", json!({})).await;
    refused.assert_problem(503, "AGENTS_EXHAUSTED");
    assert_eq!(running(&server.status(&id).await), 2);
    stop(&server, &id).await;
    server.create_with("claude-code", json!({})).await.read::<SessionOpened>(201);
    assert!(!server.status(&id).await.view.is_alive);
    server.stop().await;
}
