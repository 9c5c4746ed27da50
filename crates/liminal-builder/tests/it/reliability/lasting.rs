//! A server that is used for long, with everything that goes wrong meanwhile: at the end it holds no more than at the
//! beginning, and every client shows what a new one does.

use std::io::Write;
use std::thread;
use std::time::Duration;

use liminal_core::upsert::UpsertBody;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::abuse::abuses;
use super::agents::asked;
use super::figures::{Chance, Stopwatch, mib, soak_minutes, tell, times};
use super::held::{Held, connections};
use super::racing::cancel;
use super::reader::{Reader, begin};
use super::shown::Shown;
use super::socket::Socket;
use super::stream::Stream;
use super::world::{Server, World, alone, wait_until};

/// Sessions at once.
const GUESTS: usize = 3;
/// What a long run may add to the memory: what allocators keep.
const DRIFT_PERCENT: u64 = 5;

/// Whoever uses one session through a round.
struct Guest<'a> {
    world: &'a World,
    server: &'a Server,
    session: String,
    /// Never disturbed.
    calm: Reader,
    /// What a client shows that loses its connection again and again.
    restless: Shown,
    chance: Chance,
    turns: usize,
}

impl<'a> Guest<'a> {
    /// Each leaves its session without a turn.
    const FAULTS: [fn(&mut Self); 11] = [
        Self::talk,
        Self::crash,
        Self::leave_descendants,
        Self::pause_and_be_cancelled,
        Self::hang_and_be_killed,
        Self::ask_and_be_answered,
        Self::ask_in_vain,
        Self::lose_connections,
        Self::read_nothing,
        Self::break_rules,
        Self::come_and_go,
    ];

    fn new(world: &'a World, server: &'a Server, seed: usize) -> Self {
        let session = world.create(&server.client);
        let calm = Reader::join(&server.client, &session, None);
        let chance = Chance::new(seed as u64);
        Self { world, server, session, calm, restless: Shown::default(), chance, turns: 0 }
    }

    /// Everything that can go wrong, beginning somewhere; then all is well again.
    fn suffer(&mut self, first: usize) {
        Self::FAULTS.iter().cycle().skip(first).take(Self::FAULTS.len()).for_each(|fault| fault(self));
        self.turn("!say 1", "completed");
    }

    fn begin(&mut self, prompt: &str) -> String {
        self.turns += 1;
        begin(&self.server.client, &self.session, prompt)
    }

    /// Begins a turn in which the agent says something and then no more.
    fn begin_and_hear(&mut self, prompt: &str) -> String {
        let before = self.calm.shown.items.len();
        let turn = self.begin(prompt);
        self.calm.until("it has spoken", |shown| shown.items.len() >= before + 2);
        turn
    }

    fn turn(&mut self, prompt: &str, end: &str) {
        let turn = self.begin(prompt);
        self.until_end(&turn, end);
    }

    fn until_end(&mut self, turn: &str, end: &str) {
        self.calm.until_end(turn);
        assert_eq!(self.calm.shown.end_of(turn).as_deref(), Some(end));
    }

    fn talk(&mut self) {
        self.turn("!say 40 !think 10 !tool Bash {\"command\":\"ls\"} !say 20", "completed");
    }

    fn crash(&mut self) {
        for how in ["!exit 1", "!signal 9"] {
            self.turn(&format!("!say 1 {how}"), "PROCESS_CRASH");
        }
    }

    fn leave_descendants(&mut self) {
        self.turn("!spawn plain !spawn setsid !spawn double !say 2 !signal 11", "PROCESS_CRASH");
    }

    fn pause_and_be_cancelled(&mut self) {
        // One that does not listen is given five seconds, which only a soak has.
        let rest = ["!stall 60000", "!hang"][times(0, 1)];
        let turn = self.begin_and_hear(&format!("!say 1 {rest}"));
        assert_eq!(cancel(&self.server.client, &self.session), 200);
        self.until_end(&turn, "cancelled");
    }

    fn hang_and_be_killed(&mut self) {
        let turn = self.begin_and_hear("!ignore-term !spawn setsid !say 1 !hang");
        kill_process(self.agent(), Signal::KILL).unwrap();
        self.until_end(&turn, "PROCESS_CRASH");
    }

    fn agent(&self) -> Pid {
        let (_, id) = self.session.split_once(':').unwrap();
        let processes = self.world.processes();
        let (pid, _) = processes.iter().find(|(_, command)| command.contains(id)).unwrap();
        Pid::from_raw(i32::try_from(*pid).unwrap()).unwrap()
    }

    fn ask_and_be_answered(&mut self) {
        let turn = self.begin("!perm ls !say 1");
        self.calm.until("it asks", |shown| asked(shown).is_some());
        let item = asked(&self.calm.shown).unwrap();
        let UpsertBody::Permission(body) = &item.body else { panic!("{item:?}") };
        let option = &body.request.options[0].option_id;
        let frame = json!({ "type": "session:permission", "sessionId": self.session, "itemId": item.item_id, "optionId": option, "requestId": turn });
        self.calm.socket.say(&frame).unwrap();
        self.until_end(&turn, "completed");
    }

    fn ask_in_vain(&mut self) {
        self.turn("!perm rm !say 1", "completed");
    }

    fn lose_connections(&mut self) {
        let turn = self.begin("!split 1 !say 60 !think 10 !say 20");
        while !self.restless.has_ended(&turn) {
            drop(Stream::open(&self.server.client, &self.session, self.restless.cursor().as_deref()));
            let mut socket = Socket::open(&self.server.client);
            socket.subscribe(&self.session, self.restless.cursor().as_deref(), None);
            let most = self.chance.below(6);
            let messages = socket.take_some(most, Duration::from_millis(20));
            messages.into_iter().for_each(|message| self.restless.apply(message));
            self.restless.cut();
        }
        self.calm.until_end(&turn);
        self.restless.assert_same(&self.calm.shown);
    }

    fn read_nothing(&mut self) {
        let client = &self.server.client;
        let session = self.world.create(client);
        let stuck = [(); 3].map(|()| Reader::join(client, &session, None));
        let mut healthy = Reader::join(client, &session, Some("append"));
        let turn = begin(client, &session, "!flood");
        let wanted = (times(256, 8 << 10) as u64) << 10;
        while healthy.socket.received < wanted {
            let message = healthy.socket.message();
            healthy.shown.apply(message);
        }
        assert_eq!(cancel(client, &session), 200);
        healthy.until_end(&turn);
        drop(stuck);
        self.delete(&session);
    }

    fn break_rules(&mut self) {
        for (what, bytes, code) in abuses() {
            let mut socket = Socket::open(&self.server.client);
            // It may be closed before all is sent.
            drop(socket.stream.write_all(&bytes));
            assert_eq!(socket.end(), Some(code), "{what}");
        }
    }

    fn come_and_go(&mut self) {
        let session = self.world.create(&self.server.client);
        let mut reader = Reader::join(&self.server.client, &session, None);
        begin(&self.server.client, &session, "!spawn setsid !say 10 !stall 60000");
        reader.until("it has spoken", |shown| shown.items.len() >= 2);
        self.delete(&session);
    }

    fn delete(&self, session: &str) {
        let gone = self.server.client.ask("DELETE", &format!("/api/session/{session}"), None).unwrap();
        assert_eq!(gone.status, 204, "{gone:?}");
    }

    /// Fails unless every turn has one end, and somebody new sees what the others do.
    fn check(&self) {
        let shown = &self.calm.shown;
        shown.assert_settled();
        assert_eq!(shown.turns.len(), self.turns);
        let mut fresh = Reader::join(&self.server.client, &self.session, None);
        fresh.until("it has caught up", |fresh| fresh.seq >= shown.seq);
        fresh.shown.assert_same(shown);
    }

    fn leave(self) {
        self.check();
        self.delete(&self.session);
    }
}

/// New sessions, all at once, each with another fault first. Tells what is held when only they are left, each with its
/// agent; they leave, because the newest of what is said in a session is kept in memory, within its limits.
fn round(world: &World, server: &Server, number: usize, before: Option<&Held>) -> Held {
    let seeds = number * GUESTS..(number + 1) * GUESTS;
    let mut guests: Vec<Guest<'_>> = seeds.map(|seed| Guest::new(world, server, seed)).collect();
    thread::scope(|scope| {
        for (guest, first) in guests.iter_mut().zip((0..).step_by(Guest::FAULTS.len() / GUESTS)) {
            scope.spawn(move || guest.suffer(first));
        }
    });
    wait_until("all others are gone", || connections(server) == GUESTS && world.processes().len() == GUESTS);
    let mut held = Held::by(server, world);
    if let Some(before) = before {
        println!("beyond what was held before: {:?}", held.beyond(before));
        wait_until("it holds no more than before", || {
            held = Held::by(server, world);
            held.beyond(before).is_empty()
        });
    }
    guests.into_iter().for_each(Guest::leave);
    held
}

#[test]
fn r28_a_server_that_suffers_everything_for_long_holds_no_more_than_before() {
    let _alone = alone();
    let world = World::new()
        .with("LIMINAL_SESSIONS_PERMISSION_MINUTES", "0")
        .with("LIMINAL_SESSIONS_PERMISSION_SECONDS", "1")
        .with("LIMINAL_LIMITS_STALL_SECONDS", "4");
    let server = world.begin();
    let (begun, mut rounds) = (Stopwatch::start(), times(1, 5));
    (1..rounds).for_each(|number| drop(round(&world, &server, number, None)));
    let before = round(&world, &server, rounds, None);
    tell("R28", &figures(rounds, &begun, &before));
    let mut memory = Vec::new();
    loop {
        rounds += 1;
        let now = round(&world, &server, rounds, Some(&before));
        tell("R28", &figures(rounds, &begun, &now));
        memory.push(now.memory);
        if begun.elapsed() >= soak_minutes() {
            break;
        }
    }
    let (middle, late) = drift(&memory);
    let most = middle + middle * DRIFT_PERCENT / 100;
    assert!(late <= most || soak_minutes().is_zero(), "{} of {}", mib(late), mib(most));
}

/// The memory of a usual round in the second and in the last third. In the first one the server fills what it keeps, and
/// single rounds differ by what is on its way.
fn drift(memory: &[u64]) -> (u64, u64) {
    let third = memory.len() / 3;
    let usual = |rounds: &[u64]| {
        let mut rounds = rounds.to_vec();
        rounds.sort_unstable();
        rounds.get(rounds.len() / 2).copied().unwrap_or_default()
    };
    let (_, later) = memory.split_at(third);
    let (middle, late) = later.split_at(later.len() / 2);
    (usual(middle), usual(late))
}

fn figures(rounds: usize, begun: &Stopwatch, held: &Held) -> String {
    let (seconds, open) = (begun.elapsed().as_secs(), held.descriptors.values().sum::<usize>());
    let Held { threads, processes, memory, .. } = held;
    format!(
        "{rounds} rounds of {} faults in {GUESTS} sessions, {seconds} s: {open} descriptors, {threads} threads, {processes} agents, {}",
        Guest::FAULTS.len(),
        mib(*memory),
    )
}
