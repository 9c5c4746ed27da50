//! Servers that are killed, and those that come after them.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::Duration;

use liminal_core::event::Origin;
use serde_json::json;

use super::client::{Client, answer, send_path};
use super::figures::{Chance, Stopwatch, Times, tell, times};
use super::reader::turn;
use super::shown::Shown;
use super::socket::{Heard, Socket};
use super::world::{Server, World, alone, wait_until};

/// What a client that lives through all of it knows.
struct Witness {
    session: String,
    shown: Shown,
    /// Messages that were accepted.
    accepted: BTreeSet<String>,
    /// A message of which nothing was heard; it is sent again under the same key.
    unheard: Option<String>,
    /// Answers that nobody knows what became of a message.
    unknown: usize,
}

impl Witness {
    /// Comes back, and reads until it has all there is.
    fn resume(&mut self, client: &Client) -> Socket {
        let mut socket = Socket::open(client);
        socket.subscribe(&self.session, self.shown.cursor().as_deref(), None);
        self.shown.apply(socket.subscribed());
        let target = self.head(client);
        // Of a new session there is an empty history, which must have come before the server is killed.
        while self.shown.awaits_history() || self.shown.seq < target {
            self.shown.apply(socket.message());
        }
        socket
    }

    fn head(&self, client: &Client) -> u64 {
        client.get(&format!("/api/session/{}/history?limit=1", self.session)).json()["seq"].as_u64().unwrap()
    }

    /// Fails if anything is lost, doubled or open.
    fn check(&self, client: &Client) {
        self.shown.assert_settled();
        let told = self.shown.texts(Origin::User);
        let once: BTreeSet<&str> = told.iter().copied().collect();
        assert_eq!(once.len(), told.len(), "a message is shown twice: {told:?}");
        for message in &self.accepted {
            assert!(once.contains(message.as_str()), "{message} was accepted and is lost");
        }
        let mut fresh = Self { session: self.session.clone(), ..Self::new("") };
        drop(fresh.resume(client));
        fresh.shown.assert_same(&self.shown);
    }

    fn new(session: &str) -> Self {
        Self {
            session: session.to_owned(),
            shown: Shown::default(),
            accepted: BTreeSet::new(),
            unheard: None,
            unknown: 0,
        }
    }

    /// Sends a message, reads along until a moment comes, and kills the server.
    fn send_and_kill(&mut self, server: Server, socket: &mut Socket, message: &str, chance: &mut Chance) {
        let body = json!({ "message": message, "clientMessageId": message });
        let request = server.client.request("POST", &send_path(&self.session), Some(&body));
        let mut stream = server.client.connect().unwrap();
        let moment = Duration::from_micros(chance.below(60_000));
        let begun = Stopwatch::start();
        stream.write_all(request.as_bytes()).unwrap();
        let waits_for_answer = chance.below(2) == 0;
        let answered = waits_for_answer.then(|| answer(&mut stream).unwrap());
        while begun.elapsed() < moment {
            match socket.next_within(moment.saturating_sub(begun.elapsed())) {
                Heard::Message(message) => self.shown.apply(*message),
                Heard::Nothing => break,
                other => panic!("{other:?}"),
            }
        }
        server.kill();
        let answered = answered.or_else(|| answer(&mut stream).ok());
        self.unheard = None;
        match answered {
            Some(answer) if answer.status == 202 => drop(self.accepted.insert(message.to_owned())),
            // It was cut off before, and stands in the history as what nobody knows of.
            Some(answer) if answer.code() == "DELIVERY_UNKNOWN" => {
                assert!(
                    self.shown.texts(Origin::User).contains(&message),
                    "{message} is unknown and not told"
                );
                self.unknown += 1;
            }
            Some(answer) => panic!("{answer:?}"),
            None => self.unheard = Some(message.to_owned()),
        }
        while let Heard::Message(message) = socket.next() {
            self.shown.apply(*message);
        }
    }
}

/// Most of the time is spent waiting for the disk, so several servers share it.
const SERVERS: u64 = 4;

#[test]
fn c22_p2_c20_nothing_accepted_is_lost_when_the_server_is_killed() {
    let _alone = alone();
    let servers = (0..SERVERS).map(|seed| std::thread::spawn(move || kill_again_and_again(seed + 22)));
    let mut sweeps = Times::default();
    servers.collect::<Vec<_>>().into_iter().for_each(|server| sweeps.extend(server.join().unwrap()));
    sweeps.gate_p99("c20.start-to-no-orphans");
}

/// Returns how long orphaned agents outlived each start of the next server.
fn kill_again_and_again(seed: u64) -> Times {
    let cycles = times(200, 1_000) / usize::try_from(SERVERS).unwrap();
    let (world, mut chance, begun) = (World::new(), Chance::new(seed), Stopwatch::start());
    let mut server = world.begin();
    let mut witness = Witness::new(&world.create(&server.client));
    let (mut starts, mut sweeps, mut orphans) = (Times::default(), Times::default(), 0);
    let mut repeated = 0;
    for cycle in 0..cycles {
        let mut socket = witness.resume(&server.client);
        witness.check(&server.client);
        if chance.below(3) == 0 {
            let warm = format!("w{cycle} !say 2");
            assert_eq!(turn(&server.client, &witness.session, &warm), "completed");
            witness.accepted.insert(warm);
        }
        let prompt = match chance.below(4) {
            0 => format!("m{cycle} !say 40"),
            1 => format!("m{cycle} !spawn setsid !say 200 !stall 1000"),
            2 => format!("m{cycle} !say 5 !stall 10 !think 50 !tool Bash {{}} !open 500 !stall 1000"),
            _ => format!("m{cycle} !perm ls !say 3"),
        };
        repeated += usize::from(witness.unheard.is_some());
        let prompt = witness.unheard.take().unwrap_or(prompt);
        witness.send_and_kill(server, &mut socket, &prompt, &mut chance);
        orphans += usize::from(!world.processes().is_empty());
        server = world.start();
        starts.add(server.started);
        sweeps.measure(|| wait_until("no orphan is left", || world.processes().is_empty()));
    }
    drop(witness.resume(&server.client));
    witness.check(&server.client);
    let Witness { accepted, unknown, shown, .. } = witness;
    tell(
        "C22 P2",
        &format!(
            "{cycles} kills in {:.1} s: {} messages accepted, 0 lost, 0 twice, {repeated} repeated after no answer ({unknown} of them unknown); {} resets; start p50 {:?} p99 {:?}; {orphans} times agents were left, 0 survived the next start",
            begun.elapsed().as_secs_f64(),
            accepted.len(),
            shown.resets,
            starts.percentile(50),
            starts.percentile(99),
        ),
    );
    assert_eq!(shown.resets, 1, "a cursor was of no use after a restart");
    sweeps
}
