//! Background work that is ended: by a person, with its agent, with its server.

use liminal_core::event::SettledBy;
use liminal_core::upsert::UpsertBody;
use liminal_core::wire::Resume;
use liminal_core::wire::rest::{SessionOpened, SessionStatus};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::{assert_ended, begin, calls, command, is_over, machine, running, stop, sub_agent, wait, work};
use crate::pin::Pin;
use crate::server::client::eventually;
use crate::server::machine::Machine;
use crate::server::screen::{Screen, texts};
use crate::world::{both_pins, processes_with};

both_pins!(
    background_work_ends_when_it_is_stopped,
    background_work_ends_with_a_server_that_is_killed,
    background_work_ends_with_its_agent
);

/// Turns that the log holds for a server that is killed.
fn open_turns(machine: &Machine) -> i64 {
    let connection = rusqlite::Connection::open(machine.data().join("liminal.db")).unwrap();
    connection.query_row("SELECT count(*) FROM open_turn", [], |row| row.get(0)).unwrap()
}

fn agents(machine: &Machine) -> Vec<String> {
    let processes = processes_with(&format!("HOME={}", machine.home.path().display()));
    processes.into_iter().filter(|process| !process.contains("liminal serve")).collect()
}

async fn background_work_ends_when_it_is_stopped(pin: Pin) {
    let machine = machine(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let turn = begin(&server, &id, &work()).await;
    let page = stop(&server, &id).await;
    assert_ended(&page, &turn, "was stopped");
    server.turn(&id, "say:next").await;
    assert_eq!(texts(&server.history(&id).await.entries).last(), Some(&"next"));
    // There is nothing to stop, and that is no failure.
    server.act(&id, "background/stop").await.read::<SessionStatus>(200);
    server.stop().await;
}

async fn background_work_ends_with_its_agent(pin: Pin) {
    let machine = machine(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let first = begin(&server, &id, &work()).await;
    let pid = server.status(&id).await.view.agent.pid.unwrap();
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::KILL).unwrap();
    let status = server.until(&id, |status| !status.view.is_alive).await;
    assert_eq!(
        (running(&status), status.view.failure.map(|failure| failure.code)),
        (0, Some("PROCESS_CRASH".into()))
    );
    let page = server.shows(&id, |page| page.entries.iter().all(is_over)).await;
    assert_ended(&page, &first, "with its agent: the agent was ended by signal 9");
    eventually(|| agents(&machine).is_empty()).await;

    let second = begin(&server, &id, &work()).await;
    let status: SessionStatus = server.act(&id, "kill").await.read(200);
    assert_eq!((running(&status), status.view.is_alive), (0, false));
    let page = server.history(&id).await;
    assert_ended(&page, &second, "with its agent");
    eventually(|| agents(&machine).is_empty()).await;
    server.act(&id, "load").await.read::<SessionOpened>(200);
    server.turn(&id, "say:next").await;
    let after = server.history(&id).await;
    assert_eq!(after.entries[..page.entries.len()], page.entries);
    assert_eq!(texts(&after.entries).last(), Some(&"next"));
    server.stop().await;
}

/// The sub-agent waits for permission meanwhile.
async fn background_work_ends_with_a_server_that_is_killed(pin: Pin) {
    let machine = machine(pin).await;
    let server = machine.start().await;
    let id = server.create("claude-code").await;
    let input = json!({ "file_path": machine.project.join("note.txt"), "content": "x" });
    let asking = sub_agent(&format!("say:begin\ntool:Write {input}\nthen:end"));
    let waiting = command(&format!("echo one; {}", wait("two")));
    let turn = begin(&server, &id, &format!("{asking}\n{waiting}\nthen:started")).await;
    let asked = server.question(&id).await;
    let mut socket = server.socket().await;
    let (_, epoch, _) = socket.subscribe(&id).await;
    socket.history().await;
    let mut screen = Screen::of(&socket.log);
    server.crash().await;

    let server = machine.start_bare().await;
    let status = server.status(&id).await;
    assert_eq!((running(&status), status.view.is_alive, status.view.pending.len()), (0, false, 0));
    let page = server.history(&id).await;
    assert!(page.entries.iter().all(is_over), "{:#?}", page.entries);
    let ended = calls(&page).filter(|(item, _)| item.turn_id == turn);
    let codes: Vec<_> = ended.map(|(item, _)| item.error_code.as_deref()).collect();
    assert_eq!(codes, [Some("BACKGROUND_ENDED"); 3]);
    let permission = page.entries.iter().find(|item| item.item_id == asked.item.item_id).unwrap();
    let UpsertBody::Permission(permission) = &permission.body else { panic!("{permission:?}") };
    assert_eq!(permission.outcome.as_ref().map(|outcome| outcome.by), Some(SettledBy::Restart));
    assert_eq!((page.turns.len(), open_turns(&machine), server.approvals().await.len()), (2, 0, 0));
    eventually(|| agents(&machine).is_empty()).await;
    let mut socket = server.socket().await;
    let after = format!("{epoch}.{}", screen.seq());
    let (resume, ..) = socket.subscribe_with(&id, json!({ "after": after })).await;
    assert_eq!(resume, Resume::Ok);
    while screen.seq() < page.seq {
        let frame = socket.next().await;
        screen.apply(&frame);
    }
    screen.assert_is(&page);
    server.stop().await;

    let server = machine.start_bare().await;
    assert_eq!(server.history(&id).await, page, "it ends once");
    server.turn(&id, "say:next").await;
    assert_eq!(texts(&server.history(&id).await.entries).last(), Some(&"next"));
    assert!(!machine.project.join("note.txt").exists());
    server.stop().await;
}
