//! What holds whatever happened. Owns the invariants that are looked at when a server has started, and when everything
//! has come to rest.

use std::collections::{BTreeMap, BTreeSet};

use liminal_builder::log::{Entry, Key, Limit, Page, StreamLog, Subscription};
use liminal_core::event::Origin;
use liminal_core::ids::{SessionId, TurnId};
use liminal_core::upsert::{TurnEvent, TurnStatus, UpsertBody};
use liminal_core::wire::rest::SessionState;

use super::client::Client;
use super::server::Server;
use super::view::{View, state};
use super::world::World;

/// No turn is open, and what was promised is there.
pub(super) async fn hold_after_start(server: &Server) {
    let world = &server.world;
    let open = server.log.open_turns().await.unwrap();
    world.must(open.is_empty(), || format!("{} turns are open after a start", open.len()));
    let all = world.lock().sessions.clone();
    for session in &all {
        let page = server.log.history(session, None, Limit::NONE).await.unwrap();
        promises_are_kept(server, session, &page).await;
        queue_is_paused(server, session).await;
    }
}

/// A restarted server sends nothing that is queued until somebody resumes the queue.
async fn queue_is_paused(server: &Server, session: &SessionId) {
    let queue = server.sessions.store().queue(session).await.unwrap();
    let held = queue.iter().map(|queued| (queued.message.clone(), session.clone()));
    server.world.lock().promises.held.extend(held);
    let Ok(shown) = server.sessions.queue(session).await else { return };
    let is_right = shown.queue_paused.is_some() != queue.is_empty() && shown.queue == queue;
    server.world.must(is_right, || format!("{session}: {shown:?} is shown after a start"));
}

/// Nothing runs, waits or is missing, and every client shows the same.
pub(super) async fn hold_at_rest(server: &Server, clients: &[Client]) {
    let world = &server.world;
    let asked = server.sessions.approvals().approvals.len();
    world.must(asked == 0, || format!("{asked} questions wait for an answer"));
    let processes = world.lock().processes;
    world.must(processes == 0, || format!("{processes} processes live"));
    let open = server.log.open_turns().await.unwrap();
    world.must(open.is_empty(), || format!("{} turns are open", open.len()));
    let begun = world.lock().promises.begun.clone();
    for (text, times) in begun {
        world.must(times == 1, || format!("{text} was begun {times} times"));
    }
    let all = world.lock().sessions.clone();
    for session in &all {
        rests(server, session).await;
        let page = server.log.history(session, None, Limit::NONE).await.unwrap();
        promises_are_kept(server, session, &page).await;
        server.watched.check(session, &page.entries);
        is_sound(world, session, &page);
        for client in clients {
            shows_the_same(server, client, session, &page).await;
        }
    }
}

async fn rests(server: &Server, session: &SessionId) {
    let Ok(status) = server.sessions.status(session).await else {
        return server.world.violated(format!("{session} is gone"));
    };
    let view = status.view;
    let is_at_rest = view.turn.is_none() && view.pending.is_empty() && !view.is_alive;
    server.world.must(is_at_rest, || format!("{session} is not at rest: {view:?}"));
    let is_still = matches!(view.state, SessionState::Idle | SessionState::Closed);
    server.world.must(is_still, || format!("{session} is {:?}", view.state));
}

/// Answers that were acknowledged: each is the one that is stored.
fn answers_are_kept(world: &World, session: &SessionId, entries: &BTreeMap<&Key, &Entry>) {
    let decided = world.lock().promises.decided.clone();
    for (item, (_, option)) in decided.iter().filter(|(_, (of, _))| of == session) {
        let stored = entries.get(&Key::Item(item.clone())).map(|entry| state(entry).body);
        let outcome = match stored {
            Some(UpsertBody::Permission(asked)) => asked.outcome.and_then(|outcome| outcome.option_id),
            _ => None,
        };
        world.must(outcome.as_ref() == Some(option), || {
            format!("{session}: {option} was acknowledged and {outcome:?} is stored")
        });
    }
}

/// Messages that were accepted, answers that were acknowledged, and ends of turns that somebody saw.
async fn promises_are_kept(server: &Server, session: &SessionId, page: &Page) {
    let world = &server.world;
    let entries: BTreeMap<&Key, &Entry> = page.entries.iter().map(|entry| (&entry.key, entry)).collect();
    answers_are_kept(world, session, &entries);
    let said = said_by_users(&page.entries);
    let queue = server.sessions.store().queue(session).await.unwrap();
    let waiting: BTreeSet<String> = queue.into_iter().map(|queued| queued.message).collect();
    let (accepted, ended, withdrawn) = {
        let state = world.lock();
        let promises = &state.promises;
        (promises.accepted.clone(), promises.ended.clone(), promises.withdrawn.clone())
    };
    for (text, (_, answer)) in accepted.iter().filter(|(_, (of, _))| of == session) {
        let is_there = match &answer.turn_id {
            Some(turn) => said.contains(&(turn.clone(), text.clone())),
            None => {
                waiting.contains(text)
                    || withdrawn.contains(text)
                    || said.iter().any(|(_, said)| said == text)
            }
        };
        world.must(is_there, || format!("{text} was accepted and is gone"));
    }
    for ((_, turn), bytes) in ended.iter().filter(|((of, _), _)| of == session) {
        let stored = entries.get(&Key::TurnEnded(turn.clone()));
        let is_same = stored.is_some_and(|entry| entry.bytes == bytes);
        world.must(is_same, || format!("{session}: the end of {} was seen and is gone", world.name(turn)));
    }
}

fn said_by_users(entries: &[Entry]) -> BTreeSet<(TurnId, String)> {
    let items = entries.iter().filter(|entry| matches!(entry.key, Key::Item(_))).map(state);
    let said = items.filter_map(|item| match item.body {
        UpsertBody::Message(message) if message.origin == Origin::User => {
            Some((item.turn_id, message.content))
        }
        _ => None,
    });
    said.collect()
}

/// A turn as the log holds it.
#[derive(Debug, Default)]
struct Turn {
    first: u64,
    last: u64,
    end: Option<(u64, TurnEvent)>,
    has_open_items: bool,
}

/// Places are dense and in order, each turn ends once and last, and turns do not mix.
fn is_sound(world: &World, session: &SessionId, page: &Page) {
    let places: BTreeSet<u64> = page.entries.iter().map(|entry| entry.seq).collect();
    world.must(places.len() == page.entries.len(), || format!("{session}: a place is taken twice"));
    let last = places.last().copied().unwrap_or_default();
    world.must(last == page.head.seq, || format!("{session}: ends at {last}, head {}", page.head.seq));
    let mut turns: BTreeMap<TurnId, Turn> = BTreeMap::new();
    for entry in &page.entries {
        gather(world, entry, &mut turns);
    }
    world
        .lock()
        .tally
        .entry("turns")
        .and_modify(|all| *all += turns.len() as u64)
        .or_insert(turns.len() as u64);
    let mut in_order: Vec<_> = turns.iter().collect();
    in_order.sort_by_key(|(_, turn)| turn.first);
    for (id, turn) in &in_order {
        ends_once(world, &world.name(id), turn);
    }
    for pair in in_order.windows(2) {
        let [(_, before), (id, after)] = pair else { continue };
        world.must(before.last < after.first, || format!("{session}: {} began too early", world.name(id)));
    }
}

fn gather(world: &World, entry: &Entry, turns: &mut BTreeMap<TurnId, Turn>) {
    let id = match &entry.key {
        Key::TurnStarted(turn) | Key::TurnEnded(turn) => turn.clone(),
        Key::Item(_) => {
            outcome_was_kept(world, entry);
            state(entry).turn_id
        }
    };
    let turn = turns.entry(id).or_insert(Turn { first: u64::MAX, ..Turn::default() });
    (turn.first, turn.last) = (turn.first.min(entry.first_seq), turn.last.max(entry.seq));
    turn.has_open_items |= entry.is_open;
    if !matches!(entry.key, Key::Item(_)) {
        let is_once = entry.seq == entry.first_seq;
        world.must(is_once, || format!("{} was written twice", world.name(&entry.key)));
    }
    if let Key::TurnEnded(_) = entry.key {
        turn.end = Some((entry.seq, serde_json::from_slice(&entry.bytes).unwrap()));
    }
}

fn ends_once(world: &World, name: &str, turn: &Turn) {
    let Some((at, event)) = &turn.end else {
        return world.violated(format!("turn {name} has no end"));
    };
    world.must(*at == turn.last, || format!("turn {name} goes on after its end"));
    let is_cancelled = matches!(event, TurnEvent::TurnComplete { status: TurnStatus::Cancelled, .. });
    world.must(is_cancelled || !turn.has_open_items, || format!("turn {name} has left something open"));
}

/// Nobody is shown an answer that was not given.
fn outcome_was_kept(world: &World, entry: &Entry) {
    let item = state(entry);
    let UpsertBody::Permission(asked) = item.body else { return };
    let Some(option) = asked.outcome.and_then(|outcome| outcome.option_id) else { return };
    let kept = world.lock().promises.kept.get(&item.item_id).cloned();
    world.must(kept.as_ref() == Some(&option), || format!("{option} is shown, {kept:?} was answered"));
}

/// A client that catches up from wherever it stands has what a new one is given.
async fn shows_the_same(server: &Server, client: &Client, session: &SessionId, page: &Page) {
    let world = &server.world;
    let mut view = client.view(session);
    let cursor = view.cursor.as_ref().map(ToString::to_string);
    let log = std::sync::Arc::clone(&server.watched) as std::sync::Arc<dyn StreamLog>;
    let mut subscription = Subscription::open(log, session.clone(), cursor.as_deref()).await.unwrap();
    let mut chance = world.chance();
    while subscription.is_behind() {
        let delivery = subscription.next().await.unwrap();
        view.apply(world, session, delivery, &mut chance);
    }
    world.must(is_same(&view, page), || format!("client {} shows {session} differently", client.number));
}

fn is_same(view: &View, page: &Page) -> bool {
    view.entries.len() == page.entries.len()
        && page.entries.iter().all(|entry| {
            view.entries
                .get(&entry.key)
                .is_some_and(|held| held.seq == entry.seq && held.bytes == entry.bytes)
        })
}
