//! Many clients at once, and many sessions.

use std::sync::Arc;

use liminal_builder::log::sqlite::{Settings, SqliteLog};
use liminal_builder::log::{Durability, Encoder, StreamLog};
use liminal_builder::store::{SessionRow, Store};
use liminal_core::event::Origin;
use liminal_core::upsert::{MessageBody, Upsert, UpsertBody};
use liminal_core::wire::{Resume, ServerMessage};

use super::figures::{Stopwatch, Times, gate_bytes, mib, tell, times};
use super::reader::{Reader, begin, turn};
use super::socket::Socket;
use super::world::{Server, World, alone};

#[test]
fn c24_p11_five_hundred_clients_that_come_back_together_are_all_live_soon() {
    let _alone = alone();
    let world = World::new();
    let server = world.begin();
    let session = world.create(&server.client);
    assert_eq!(turn(&server.client, &session, "!say 50 !think 20"), "completed");
    let mut first = Reader::join(&server.client, &session, None);
    first.hear(|message| matches!(message, ServerMessage::History { .. }));
    let cursor = first.shown.cursor().unwrap();
    let count = 500;
    let rounds = times(2, 20);
    let mut live = Times::default();
    for _ in 0..rounds {
        let begun = Stopwatch::start();
        let mut sockets: Vec<Socket> = (0..count).map(|_| Socket::ask(&server.client).unwrap()).collect();
        for socket in &mut sockets {
            socket.agree().unwrap();
            socket.subscribe(&session, Some(&cursor), None);
        }
        for socket in &mut sockets {
            let answer = socket.subscribed();
            assert!(matches!(answer, ServerMessage::Subscribed { resume: Resume::Ok, .. }), "{answer:?}");
        }
        live.add(begun.elapsed());
        let turn = begin(&server.client, &session, "!say 1");
        first.until_end(&turn);
        for socket in &mut sockets {
            socket.until(|message| matches!(message, ServerMessage::Turn { payload, .. } if !matches!(payload, liminal_core::upsert::TurnEvent::TurnStarted { .. })));
        }
    }
    live.gate("c24.all-live");
    tell("C24 P11", &format!("{count} clients, 0 errors; memory {}", mib(server.memory())));
}

fn message(session: &str, number: usize) -> Upsert {
    let now = liminal_core::time::Timestamp::from(jiff::Timestamp::UNIX_EPOCH);
    let content = format!("message {number} of a session that was used long ago");
    let body = UpsertBody::Message(MessageBody::new(Origin::Agent, content));
    Upsert::finished(session.into(), "t".into(), format!("t/{number}").into(), now, body)
}

fn row(world: &World, session: &str, project: &str, number: usize) -> SessionRow {
    let at = jiff::Timestamp::from_second(1_700_000_000 + i64::try_from(number).unwrap()).unwrap();
    let row = SessionRow::new(session.into(), "claude-code", world.project(), at);
    SessionRow { project_id: Some(project.into()), title: Some(format!("session {number}")), ..row }
}

/// Writes what many months of use leave, in a project that the server knows.
fn fill(world: &World, names: &[String], entries: usize) -> String {
    let server = world.begin();
    let project = server.client.get("/api/projects").json()["projects"][0]["id"].as_str().unwrap().to_owned();
    assert!(server.stop().success());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(write(world, &project, names, entries));
    project
}

fn names(sessions: usize) -> Vec<String> {
    (0..sessions).map(|number| format!("claude-code:00000000-0000-4000-8000-{number:012}")).collect()
}

async fn write(world: &World, project: &str, names: &[String], entries: usize) {
    let (log, _) = SqliteLog::open(&world.data().join("liminal.db"), Settings::default()).unwrap();
    let log = Arc::new(log);
    let store = Store::new(Arc::clone(&log));
    let rows = names.iter().enumerate().map(|(number, name)| row(world, name, project, number));
    // Together, so that they share the disk's syncs.
    let saved = futures_util::future::join_all(rows.map(|row| store.save_session(row))).await;
    assert!(saved.iter().all(Result::is_ok));
    for session in names {
        let mut encoder = Encoder::default();
        (0..entries).for_each(|entry| encoder.upsert(&message(session, entry)));
        encoder.turn_event(&liminal_core::upsert::TurnEvent::TurnComplete {
            turn_id: "t".into(),
            session_id: session.as_str().into(),
            status: liminal_core::upsert::TurnStatus::Completed,
            usage: None,
        });
        log.append(&session.as_str().into(), encoder.take(), Durability::Grouped).await.unwrap();
    }
    log.indexed().await.unwrap();
    log.close().await.unwrap();
}

/// Starts servers one after the other and returns how long each start took.
fn starts(world: &World, end: impl Fn(Server)) -> Times {
    let mut times = Times::default();
    for _ in 0..3 {
        let server = world.start();
        times.add(server.started);
        end(server);
    }
    times
}

/// Agents that run meanwhile, which are as many as a server allows by itself.
const LIVE: usize = 20;

#[test]
fn c27_p9_a_thousand_sessions_are_listed_fast_and_cost_little() {
    let _alone = alone();
    let world = World::new();
    let (sessions, entries) = (1_000, times(30, 1_000));
    let names = names(sessions);
    let project = fill(&world, &names, entries);
    starts(&world, |server| assert!(server.stop().success())).gate("c27.start");
    let server = world.start();
    for session in names.iter().take(LIVE) {
        assert_eq!(turn(&server.client, session, "!say 1"), "completed");
    }
    assert_eq!(world.processes().len(), LIVE);
    let path = format!("/api/session/list?projectId={project}");
    let mut times = Times::default();
    for _ in 0..50 {
        let list = times.measure(|| server.client.get(&path));
        assert_eq!(list.status, 200);
        assert!(!list.json()["sessions"].as_array().unwrap().is_empty());
    }
    let (mut seen, mut after) = (0, None);
    loop {
        let page = after.as_ref().map_or(path.clone(), |after| format!("{path}&after={after}"));
        let page = server.client.get(&page).json();
        seen += page["sessions"].as_array().unwrap().len();
        after = page["next"].as_str().map(str::to_owned);
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, sessions);
    let memory = server.memory();
    server.kill();
    starts(&world, Server::kill).gate("c27.start-after-kill");
    tell(
        "C27 P9",
        &format!(
            "{sessions} sessions, {} entries, {LIVE} agents: memory {}",
            sessions * entries,
            mib(memory),
        ),
    );
    times.gate_p99("c27.list");
    gate_bytes("c27.memory", memory);
}

/// Fewer sessions outside of a soak, but as many windows with as long a history.
#[test]
fn b6_fifty_long_sessions_that_are_read_used_and_followed_cost_little() {
    let _alone = alone();
    let world = World::new();
    let (names, windows, entries) = (names(times(2, 50)), 50, 10_000);
    fill(&world, &names, entries);
    let server = world.start();
    let begun = Stopwatch::start();
    let mut readers = Vec::new();
    for session in names.iter().cycle().take(windows) {
        let mut reader = Reader::join(&server.client, session, None);
        reader.hear(|message| matches!(message, ServerMessage::History { .. }));
        assert!(reader.shown.items.len() >= entries);
        reader.shown.forget_finished();
        let turn = begin(&server.client, session, "!say 1");
        reader.until_end(&turn);
        assert_eq!(reader.shown.end_of(&turn).unwrap(), "completed");
        readers.push(reader);
    }
    let (memory, peak) = (server.memory(), server.peak());
    tell(
        "B6",
        &format!(
            "{} sessions with {entries} entries each, read, used and followed by {windows} clients in {:?}: memory {} (most {})",
            names.len(),
            begun.elapsed(),
            mib(memory),
            mib(peak),
        ),
    );
    gate_bytes("b6.memory", peak);
}
