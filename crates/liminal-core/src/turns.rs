//! Many turns at once. Owns one processor per open turn and the order in which their deadlines come; used where
//! one stream carries several sessions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use crate::envelope::StreamEventEnvelope;
use crate::error::ErrorInfo;
use crate::ids::{SessionId, TurnId};
use crate::processor::{Config, Dropped, Sink, UpsertProcessor};
use crate::time::Now;

/// How many ended turns are remembered, so that late events of theirs are known as such. A stream of any length
/// must not cost memory of any size.
const ENDED_KEPT: usize = 65_536;

type Key = (SessionId, TurnId);
type Ordinal = u64;

/// The turns of a stream.
#[derive(Debug)]
pub struct Turns {
    config: Config,
    open: BTreeMap<Ordinal, OpenTurn>,
    by_key: HashMap<Key, Ordinal>,
    next: Ordinal,
    /// Events come in runs; the last turn found is most likely the next one asked for.
    recent: Option<(Key, Ordinal)>,
    ended: Ended,
    deadlines: BinaryHeap<Reverse<(Duration, Ordinal)>>,
    dropped: Dropped,
}

#[derive(Debug)]
struct OpenTurn {
    key: Key,
    processor: UpsertProcessor,
    /// A turn's time never goes back, whatever its source's clock does.
    latest: Now,
    /// The earliest entry that the table of deadlines has for this turn.
    queued: Option<Duration>,
}

impl Turns {
    /// No turns yet.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            config,
            open: BTreeMap::new(),
            by_key: HashMap::new(),
            next: 0,
            recent: None,
            ended: Ended::default(),
            deadlines: BinaryHeap::new(),
            dropped: Dropped::default(),
        }
    }

    /// Takes one event of any turn.
    pub fn handle_event(&mut self, event: &StreamEventEnvelope, now: Now, out: &mut dyn Sink) {
        let Some(ordinal) = self.find_or_open(event, now) else {
            self.dropped.after_end += 1;
            return;
        };
        let Some(turn) = self.open.get_mut(&ordinal) else { return };
        if now.mono > turn.latest.mono {
            turn.latest = now;
        }
        turn.processor.handle_event(event, turn.latest, out);
        self.settle(ordinal);
    }

    /// When to call [`handle_timeout`](Self::handle_timeout).
    #[must_use]
    pub fn next_deadline(&self) -> Option<Duration> {
        self.deadlines.peek().map(|Reverse((at, _))| *at)
    }

    /// Gives out what has waited long enough, each turn at its own deadline.
    pub fn handle_timeout(&mut self, now: Duration, out: &mut dyn Sink) {
        while self.next_deadline().is_some_and(|deadline| deadline <= now) {
            let Some(Reverse((deadline, ordinal))) = self.deadlines.pop() else { return };
            let Some(turn) = self.open.get_mut(&ordinal) else { continue };
            turn.queued = None;
            turn.latest = turn.latest.advanced_to(deadline);
            turn.processor.handle_timeout(turn.latest, out);
            self.settle(ordinal);
        }
    }

    /// Ends every open turn, in the order of their start, at `now` if it is given and else each at its own time.
    pub fn finish(&mut self, reason: &ErrorInfo, now: Option<Now>, out: &mut dyn Sink) {
        while let Some((_, turn)) = self.open.pop_first() {
            let OpenTurn { key, mut processor, latest, .. } = turn;
            processor.finish(reason, now.unwrap_or(latest), out);
            self.forget(key, processor.dropped());
        }
    }

    /// How many turns are open.
    #[must_use]
    pub fn open_count(&self) -> usize {
        self.open.len()
    }

    /// How many events had no effect, over all turns.
    #[must_use]
    pub fn dropped(&self) -> Dropped {
        self.open.values().fold(self.dropped, |sum, turn| sum + turn.processor.dropped())
    }

    /// The turn of an event, unless it is over.
    fn find_or_open(&mut self, event: &StreamEventEnvelope, now: Now) -> Option<Ordinal> {
        if let Some(((session_id, turn_id), ordinal)) = &self.recent
            && *turn_id == event.turn_id
            && *session_id == event.session_id
        {
            return Some(*ordinal);
        }
        let key = (event.session_id.clone(), event.turn_id.clone());
        if self.ended.contains(&key) {
            return None;
        }
        let ordinal = self.by_key.get(&key).copied().unwrap_or_else(|| self.open(key.clone(), now));
        self.recent = Some((key, ordinal));
        Some(ordinal)
    }

    fn open(&mut self, key: Key, now: Now) -> Ordinal {
        let ordinal = self.next;
        self.next += 1;
        let processor = UpsertProcessor::new(key.0.clone(), key.1.clone(), self.config.clone());
        self.by_key.insert(key.clone(), ordinal);
        self.open.insert(ordinal, OpenTurn { key, processor, latest: now, queued: None });
        ordinal
    }

    /// Puts a turn's deadline into the table, or the turn away if it is over.
    fn settle(&mut self, ordinal: Ordinal) {
        let Some(turn) = self.open.get_mut(&ordinal) else { return };
        if turn.processor.is_ended() {
            if let Some(turn) = self.open.remove(&ordinal) {
                self.forget(turn.key, turn.processor.dropped());
            }
            return;
        }
        let Some(deadline) = turn.processor.next_deadline() else { return };
        if turn.queued.is_none_or(|queued| deadline < queued) {
            turn.queued = Some(deadline);
            self.deadlines.push(Reverse((deadline, ordinal)));
        }
    }

    fn forget(&mut self, key: Key, dropped: Dropped) {
        self.recent = None;
        self.by_key.remove(&key);
        self.ended.insert(key);
        self.dropped = self.dropped + dropped;
    }
}

/// The turns that ended last.
#[derive(Debug, Default)]
struct Ended {
    keys: HashSet<Key>,
    order: VecDeque<Key>,
}

impl Ended {
    fn contains(&self, key: &Key) -> bool {
        !self.keys.is_empty() && self.keys.contains(key)
    }

    fn insert(&mut self, key: Key) {
        if self.order.len() == ENDED_KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.keys.remove(&oldest);
        }
        self.order.push_back(key.clone());
        self.keys.insert(key);
    }
}
