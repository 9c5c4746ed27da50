//! What one run of the simulation shares: its chance, what was promised to whom, what went wrong, and the trace of all
//! that happened. Knows neither agents nor disks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use liminal_core::ids::{ItemId, SessionId, TurnId};
use liminal_core::wire::rest::MessageAccepted;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::super::figures::Chance;

/// Everything that outlives a server. Clones are the same world.
#[derive(Debug, Clone)]
pub(super) struct World {
    state: Arc<Mutex<State>>,
    /// Told when the fuse has burnt down.
    spark: Arc<Notify>,
}

#[derive(Debug)]
pub(super) struct State {
    chance: Chance,
    pub(super) trace: Vec<String>,
    pub(super) violations: Vec<String>,
    pub(super) tally: BTreeMap<&'static str, u64>,
    /// Ids as they are told in the trace, because chance that is not ours makes them.
    names: BTreeMap<String, String>,
    life: usize,
    born: Option<Instant>,
    pub(super) sessions: Vec<SessionId>,
    pub(super) promises: Promises,
    /// How many simulated processes live.
    pub(super) processes: usize,
    pub(super) counter: u64,
    /// Nothing fails from here on.
    pub(super) is_healed: bool,
    /// How often the power has failed.
    pub(super) outages: u64,
    /// After so many promises the server dies, in the moment in which a promise is worth something.
    fuse: Option<u64>,
}

/// What must hold whatever happens.
#[derive(Debug, Default)]
pub(super) struct Promises {
    /// Messages that were accepted, by what they say, with what was answered.
    pub(super) accepted: BTreeMap<String, (SessionId, MessageAccepted)>,
    /// What was taken out of a queue, or may have been.
    pub(super) withdrawn: BTreeSet<String>,
    /// Ends of turns that a client has seen.
    pub(super) ended: BTreeMap<(SessionId, TurnId), Vec<u8>>,
    /// Answers that were kept before an agent heard them, by question.
    pub(super) kept: BTreeMap<ItemId, String>,
    /// Answers that were acknowledged, by question.
    pub(super) decided: BTreeMap<ItemId, (SessionId, String)>,
    /// Titles of questions that were allowed, by the same.
    pub(super) allowed: BTreeSet<String>,
    /// Messages that were queued when the server started, by what they say: nobody has resumed their queues yet.
    pub(super) held: BTreeMap<String, SessionId>,
    /// How often an agent has said that it begins with a message.
    pub(super) begun: BTreeMap<String, u64>,
    /// How often a question was answered.
    pub(super) heard: BTreeMap<String, u64>,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let state = State {
            chance: Chance::of_many(seed),
            trace: Vec::new(),
            violations: Vec::new(),
            tally: BTreeMap::new(),
            names: BTreeMap::new(),
            life: 0,
            born: None,
            sessions: Vec::new(),
            promises: Promises::default(),
            processes: 0,
            counter: 0,
            is_healed: false,
            outages: 0,
            fuse: None,
        };
        Self { state: Arc::new(Mutex::new(state)), spark: Arc::default() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub(super) fn chance(&self) -> Chance {
        self.lock().chance.fork()
    }

    /// A server begins to live; its time begins anew.
    pub(super) fn begin_life(&self) {
        let mut state = self.lock();
        state.life += 1;
        state.born = Some(Instant::now());
    }

    /// Lights the fuse, and waits until it has burnt down.
    pub(super) async fn burn_down(&self, promises: u64) {
        self.lock().fuse = Some(promises);
        self.spark.notified().await;
    }

    /// A person asks for queued messages of this session to be sent.
    pub(super) fn release(&self, session: &SessionId) {
        self.lock().promises.held.retain(|_, of| of != session);
    }

    /// An agent begins with a message.
    pub(super) fn begun(&self, text: String) {
        let is_held = self.lock().promises.held.contains_key(&text);
        self.must(!is_held, || format!("{text} was sent from a paused queue"));
        *self.lock().promises.begun.entry(text).or_default() += 1;
    }

    /// Something was promised.
    pub(super) fn promised(&self) {
        let mut state = self.lock();
        state.fuse = state.fuse.map(|left| left.saturating_sub(1));
        if state.fuse == Some(0) {
            state.fuse = None;
            self.spark.notify_one();
        }
    }

    /// What is told from here on has no time.
    pub(super) fn end_life(&self) {
        let mut state = self.lock();
        (state.born, state.fuse) = (None, None);
    }

    /// The next number, for whatever needs a name of its own.
    pub(super) fn number(&self) -> u64 {
        let mut state = self.lock();
        state.counter += 1;
        state.counter
    }

    pub(super) fn count(&self, what: &'static str) {
        *self.lock().tally.entry(what).or_default() += 1;
    }

    pub(super) fn note(&self, what: impl std::fmt::Display) {
        let mut state = self.lock();
        let at = state.born.map_or(0, |born| born.elapsed().as_millis());
        let line = format!("{}:{at:>7} {what}", state.life);
        state.trace.push(line);
    }

    /// A fault, told and counted.
    pub(super) fn fault(&self, kind: &'static str, whose: impl std::fmt::Display) {
        self.count(kind);
        self.note(format!("{whose}: {kind}"));
    }

    pub(super) fn violated(&self, law: impl Into<String>) {
        let law = law.into();
        self.note(format!("VIOLATED {law}"));
        self.lock().violations.push(law);
    }

    pub(super) fn must(&self, holds: bool, law: impl FnOnce() -> String) {
        if !holds {
            self.violated(law());
        }
    }

    /// What an id is called in the trace.
    pub(super) fn name(&self, id: &impl ToString) -> String {
        let mut state = self.lock();
        let next = format!("#{}", state.names.len() + 1);
        state.names.entry(id.to_string()).or_insert(next).clone()
    }

    pub(super) fn session(&self, chance: &mut Chance) -> Option<SessionId> {
        let state = self.lock();
        let index = chance.index(state.sessions.len());
        state.sessions.get(index).cloned()
    }

    pub(super) fn is_healed(&self) -> bool {
        self.lock().is_healed
    }
}

/// Lets simulated time pass.
pub(super) async fn pause(time: Duration) {
    sleep_until(Instant::now() + time).await;
}

pub(super) const fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

pub(super) const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}
