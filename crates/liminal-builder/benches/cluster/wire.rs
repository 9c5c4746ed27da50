//! The same over the wire: real servers, agents and sockets.

use std::thread;
use std::time::Duration;

use liminal_core::event::Origin;
use liminal_core::upsert::{Upsert, UpsertBody, UpsertStatus};
use liminal_core::wire::ServerMessage;

use crate::figures::{Stopwatch, Times};
use crate::reader::{Reader, begin};
use crate::redis_server::RedisServer;
use crate::world::{Server, World};

/// Messages of one turn, each an item of its own.
const MESSAGES: usize = 300;
const SESSIONS: usize = 4;

/// A server with a data directory and a project of its own.
struct Member {
    world: World,
    server: Server,
}

impl Member {
    fn alone() -> Self {
        Self::of(World::new())
    }

    fn join(redis: &RedisServer) -> Self {
        Self::of(World::new().with("LIMINAL_REDIS_URL", &redis.url()))
    }

    fn of(world: World) -> Self {
        let server = world.begin();
        Self { world, server }
    }
}

/// How old an agent's message is when a client reads it: at a server alone, at its own server, and at another.
pub(crate) fn fan_out(redis: &RedisServer) {
    let (alone, owner, other) = (Member::alone(), Member::join(redis), Member::join(redis));
    let base = ages(&alone, &alone);
    for (name, times) in [
        ("without Redis", &base),
        ("with Redis, same server", &ages(&owner, &owner)),
        ("with Redis, another server", &ages(&owner, &other)),
    ] {
        let [(p50, half), (p99, most)] = [50, 99].map(|share| {
            let time = times.percentile(share);
            (time, time.as_secs_f64() / base.percentile(share).as_secs_f64())
        });
        println!("wire: pipe to socket, {name}: p50 {p50:.1?} ({half:.1} x), p99 {p99:.1?} ({most:.1} x)");
    }
}

fn ages(owner: &Member, followed_at: &Member) -> Times {
    let session = owner.world.create(&owner.server.client);
    let mut reader = Reader::join(&followed_at.server.client, &session, None);
    begin(&owner.server.client, &session, &format!("!clock {MESSAGES}"));
    let mut ages = Times::default();
    for _ in 0..MESSAGES {
        let message = reader.socket.until(|message| said(message).is_some());
        let age = jiff::Timestamp::now().as_microsecond() - said(&message).unwrap();
        ages.add(Duration::from_micros(age.unsigned_abs()));
    }
    ages
}

/// When a finished message of the agent was said.
fn said(message: &ServerMessage) -> Option<i64> {
    let ServerMessage::Upsert { payload, .. } = message else { return None };
    let Upsert { status: UpsertStatus::Complete, body: UpsertBody::Message(body), .. } = &**payload else {
        return None;
    };
    (body.origin == Origin::Agent).then(|| body.content.parse().ok()).flatten()
}

/// Every server runs agents that say as much as they can, without a pause, each followed by a client of the next server.
pub(crate) fn throughput(redis: &RedisServer) {
    let mut base = None;
    for count in [1, 2, 4] {
        redis.flush();
        let members: Vec<Member> = (0..count).map(|_| Member::join(redis)).collect();
        let rate = rate(&members);
        let ratio = rate / *base.get_or_insert(rate);
        let sessions = count * SESSIONS;
        println!("wire: {count} servers, {sessions} agents and sockets: {rate:.0} messages/s ({ratio:.2} x)");
    }
}

fn rate(members: &[Member]) -> f64 {
    let next = members.iter().cycle().skip(1);
    let followed: Vec<_> = members
        .iter()
        .zip(next)
        .flat_map(|(owner, other)| (0..SESSIONS).map(move |_| (owner, other)))
        .map(|(owner, other)| {
            let session = owner.world.create(&owner.server.client);
            (owner, Reader::join(&other.server.client, &session, None), session)
        })
        .collect();
    let begun = Stopwatch::start();
    let messages = followed.len() * MESSAGES;
    thread::scope(|scope| {
        for (owner, mut reader, session) in followed {
            scope.spawn(move || {
                let turn = begin(&owner.server.client, &session, &"!say 10 ".repeat(MESSAGES));
                reader.until_end(&turn);
            });
        }
    });
    messages as f64 / begun.elapsed().as_secs_f64()
}
