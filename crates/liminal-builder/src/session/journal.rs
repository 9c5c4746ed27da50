//! What a session has said, on its way into the logs. Owns what waits to be written, so that a slow disk makes the
//! agent wait, and never keeps the session from hearing its user.
//!
//! States that were overtaken while they waited are never written: a fast agent costs the disk no more than it can do.
//! While the disk is full, what waits is shown to those who are connected.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::error::{ErrorCode, ErrorInfo};
use liminal_core::event::{Origin, StreamEvent};
use liminal_core::ids::SessionId;
use liminal_core::processor::{Emission, Sink, TurnChange, TurnRef};
use liminal_core::queue_gate::{QueueEvent, TurnOutcome};
use liminal_core::time::Now;
use liminal_core::upsert::{TurnEvent, TurnStatus, Upsert, UpsertBody};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::SessionError;
use super::outlet::{Counts, Outlet};
use crate::log::{Batch, Durability, Encoder, Kind, LogError, Pending};
use crate::stream_b;

/// More than this waiting, and the agent is not listened to until it is written.
const WAITING_RECORDS: usize = 256;
const WAITING_BYTES: usize = 8 << 20;
/// Events wait for the next output, because most are parts of a growing text; but not more of them than this.
const EVENT_BYTES: usize = 64 * 1024;
/// How long to wait for room on a full disk before trying again.
const FULL_PAUSE: Duration = Duration::from_secs(1);

/// Somebody who waits until something is written.
pub(super) type Told = oneshot::Sender<Result<(), SessionError>>;

pub(super) struct Journal {
    session: SessionId,
    outlet: Outlet,
    encoder: Encoder,
    waiting: Batch,
    events: Vec<StreamEventEnvelope>,
    event_bytes: usize,
    writing: Option<Pending<'static, ()>>,
    /// What is being written.
    held: Batch,
    held_events: Arc<Vec<StreamEventEnvelope>>,
    /// Whether the disk was full, and what waits is tried again later.
    wants_room: bool,
    /// Those who are told when all that was said before they asked is written.
    told: Vec<Told>,
    held_told: Vec<Told>,
    /// What the log did not take, or took and could not say so.
    doubtful: Option<Batch>,
    /// Counts what is said from now on; the past was counted when it happened.
    counts: Option<Counts>,
    /// What is said from now on, for programs outside.
    feed: Option<stream_b::Feed>,
    /// When the message was sent whose first words have not come yet.
    asked: Option<Instant>,
    /// Live outputs pause the queue; replayed history does not.
    is_present: bool,
}

impl Journal {
    pub(super) fn new(session: SessionId, outlet: Outlet) -> Self {
        let (encoder, waiting) = (Encoder::default(), Batch::default());
        Self {
            session,
            outlet,
            encoder,
            waiting,
            events: Vec::new(),
            event_bytes: 0,
            writing: None,
            held: Batch::default(),
            held_events: Arc::default(),
            wants_room: false,
            told: Vec::new(),
            held_told: Vec::new(),
            doubtful: None,
            counts: None,
            feed: None,
            asked: None,
            is_present: false,
        }
    }

    /// From here on it is the present.
    pub(super) fn begin(&mut self) {
        self.is_present = true;
        self.counts = self.outlet.counts.clone();
        self.feed = self.outlet.stream_b.as_ref().map(stream_b::Feeds::open);
    }

    /// The agent is told something.
    pub(super) fn asked(&mut self) {
        self.asked = Some(Instant::now());
    }

    fn queue_event(&self, event: Option<QueueEvent<'_>>) {
        if let Some(event) = event.filter(|_| self.is_present) {
            self.outlet.board.queue_event(event);
        }
    }

    fn count_words(&mut self, state: &Upsert) {
        let is_echo = matches!(&state.body, UpsertBody::Message(message) if message.origin == Origin::User);
        if let (false, Some(counts)) = (is_echo, &self.counts)
            && let Some(asked) = self.asked.take()
        {
            counts.metrics.first_words(asked.elapsed());
        }
    }

    /// Notes what happened, before it was batched.
    pub(super) fn note(&mut self, events: Vec<StreamEventEnvelope>, now: Now) {
        if let Some(feed) = &mut self.feed {
            feed.note(&events, now);
        }
        if self.outlet.events.is_none() {
            return;
        }
        for event in events {
            self.event_bytes += size(&event);
            if !self.merge(&event) {
                self.events.push(event);
            }
        }
    }

    /// When to come back with [`timeout`](Self::timeout).
    pub(super) fn next_deadline(&self) -> Option<Duration> {
        self.feed.as_ref().and_then(stream_b::Feed::next_deadline)
    }

    /// Gives out what has waited long enough.
    pub(super) fn timeout(&mut self, now: Duration) {
        if let Some(feed) = &mut self.feed {
            feed.timeout(now);
        }
    }

    /// Parts of one text that came together are one part: nobody can tell them apart later.
    fn merge(&mut self, event: &StreamEventEnvelope) -> bool {
        let StreamEvent::ItemDelta(delta) = &event.payload else { return false };
        let Some(last) = self.events.last_mut().filter(|last| last.turn_id == event.turn_id) else {
            return false;
        };
        let StreamEvent::ItemDelta(held) = &mut last.payload else { return false };
        let is_same = held.item_id == delta.item_id;
        if is_same {
            held.delta_content.push_str(&delta.delta_content);
            last.trace_context.clone_from(&event.trace_context);
        }
        is_same
    }

    /// Begins to write what has gathered, unless something is being written.
    pub(super) fn settle(&mut self) {
        let said = self.encoder.take();
        if self.wants_room {
            self.show(&said);
        }
        self.waiting.extend(said);
        if self.writing.is_some() {
            return;
        }
        let is_due = !self.waiting.is_empty() || self.event_bytes > EVENT_BYTES;
        self.writing = match self.doubtful.take() {
            Some(batch) => Some(self.write_again(batch)),
            None if is_due => Some(self.write()),
            None => {
                tell(&mut self.told);
                None
            }
        };
    }

    /// Tells somebody once all that was said so far is written; nobody is told if it cannot be.
    pub(super) fn tell_when_written(&mut self, told: Told) {
        self.told.push(told);
    }

    fn write(&mut self) -> Pending<'static, ()> {
        let batch = std::mem::take(&mut self.waiting);
        self.event_bytes = 0;
        let events = Arc::new(std::mem::take(&mut self.events));
        let (outlet, session) = (self.outlet.clone(), self.session.clone());
        (self.held, self.held_events) = (batch.clone(), Arc::clone(&events));
        self.held_told = std::mem::take(&mut self.told);
        Box::pin(async move { write(&outlet, &session, batch, &events).await })
    }

    fn write_again(&mut self, batch: Batch) -> Pending<'static, ()> {
        let (outlet, session) = (self.outlet.clone(), self.session.clone());
        self.held = batch.clone();
        Box::pin(async move {
            pause().await;
            if is_there(&outlet, &session, &batch).await? {
                return Ok(());
            }
            write(&outlet, &session, batch, &[]).await
        })
    }

    pub(super) fn is_writing(&self) -> bool {
        self.writing.is_some()
    }

    pub(super) fn is_far_behind(&self) -> bool {
        self.waiting.records().len() > WAITING_RECORDS
            || self.waiting.bytes() > WAITING_BYTES
            || self.event_bytes > WAITING_BYTES
    }

    /// Comes back when what is being written is. What was not is written again later, unless that is of no use.
    /// Cancel-safe.
    pub(super) async fn written(&mut self) -> Result<(), LogError> {
        let Some(writing) = &mut self.writing else { return Ok(()) };
        let result = writing.await;
        self.writing = None;
        let (held, events) = (std::mem::take(&mut self.held), std::mem::take(&mut self.held_events));
        match &result {
            // It was a pause.
            Ok(()) if self.wants_room => self.wants_room = false,
            Ok(()) => {
                self.outlet.board.stored();
                tell(&mut self.held_told);
            }
            Err(LogError::Full) => {
                self.wait_for_room(held, events);
                return Ok(());
            }
            Err(LogError::Fenced | LogError::Closed) => self.give_up(),
            Err(_) => {
                self.doubtful = Some(held).filter(|held| !held.is_empty());
                self.told.splice(0..0, self.held_told.drain(..));
            }
        }
        result
    }

    fn give_up(&mut self) {
        self.waiting = Batch::default();
        self.told.clear();
        self.held_told.clear();
    }

    /// The disk is full. What it did not take is tried again with all that is said meanwhile, so that nothing that
    /// readers were shown is followed by an older state.
    fn wait_for_room(&mut self, held: Batch, events: Arc<Vec<StreamEventEnvelope>>) {
        let later = std::mem::replace(&mut self.waiting, held);
        self.waiting.extend(later);
        let events = Arc::unwrap_or_clone(events);
        self.event_bytes += events.iter().map(size).sum::<usize>();
        self.events.splice(0..0, events);
        self.told.splice(0..0, self.held_told.drain(..));
        self.show(&self.waiting);
        self.wants_room = true;
        self.writing = Some(Box::pin(async {
            pause().await;
            Ok(())
        }));
    }

    /// Shows what waits for room, unless outputs have to survive a power failure before anybody sees them.
    fn show(&self, batch: &Batch) {
        if self.outlet.durability == Durability::Grouped {
            self.outlet.board.show_unstored(batch);
        }
    }

    /// Writes everything, however often that takes a new try.
    pub(super) async fn finish(mut self) {
        if let Some(feed) = &mut self.feed {
            feed.finish(&ErrorInfo::new(ErrorCode::ProcessCrash, "the agent ended inside the turn"));
        }
        self.settle();
        while self.is_writing() {
            drop(self.written().await);
            self.settle();
        }
    }
}

async fn write(
    outlet: &Outlet,
    session: &SessionId,
    batch: Batch,
    events: &[StreamEventEnvelope],
) -> Result<(), LogError> {
    let durability = if batch.settles() { Durability::Synced } else { outlet.durability };
    let upserts = batch.records().iter().filter(|record| record.key.kind() == Kind::Upsert).count();
    let began = Instant::now();
    outlet.log.append(session, batch, durability).await?;
    if let Some(Counts { metrics, .. }) = &outlet.counts {
        metrics.upserts_appended(upserts as u64);
        metrics.log_append(began.elapsed());
    }
    match &outlet.events {
        // What is lost here was a copy; the states are what counts.
        Some(log) if !events.is_empty() => {
            log.record(session, events.iter().map(encoded).collect()).await.or(Ok(()))
        }
        Some(_) | None => Ok(()),
    }
}

fn tell(all: &mut Vec<Told>) {
    // Whoever asked may have stopped waiting.
    all.drain(..).for_each(|told| drop(told.send(Ok(()))));
}

/// Whether a batch of which nobody knows is in the log. It is there as a whole or not at all, and nobody else writes what
/// it ends with.
async fn is_there(outlet: &Outlet, session: &SessionId, batch: &Batch) -> Result<bool, LogError> {
    let Some(last) = batch.records().last() else { return Ok(true) };
    let stored = outlet.log.entry(session, &last.key).await?;
    Ok(stored.is_some_and(|stored| stored.bytes == last.bytes))
}

async fn pause() {
    timeout(FULL_PAUSE, std::future::pending::<()>()).await.ok();
}

/// Enough to tell when many have gathered; only texts are large and many.
fn size(event: &StreamEventEnvelope) -> usize {
    const OTHERS: usize = 1024;
    if let StreamEvent::ItemDelta(delta) = &event.payload { delta.delta_content.len() } else { OTHERS }
}

fn rejection(state: &Upsert) -> Option<QueueEvent<'static>> {
    let UpsertBody::Permission(request) = &state.body else { return None };
    QueueEvent::of_request(request)
}

fn encoded(event: &StreamEventEnvelope) -> Bytes {
    serde_json::to_vec(event).unwrap_or_default().into()
}

/// What a milestone shows of the agent's login.
fn login(event: &TurnEvent) -> Option<bool> {
    match event {
        TurnEvent::TurnComplete { status: TurnStatus::Completed, .. } => Some(true),
        TurnEvent::TurnError { error_code, .. } if error_code == ErrorCode::LoginRequired.as_str() => {
            Some(false)
        }
        TurnEvent::TurnStarted { .. } | TurnEvent::TurnComplete { .. } | TurnEvent::TurnError { .. } => None,
    }
}

impl Sink for Journal {
    fn item(&mut self, emission: Emission<'_>) {
        self.queue_event(rejection(emission.head()));
        self.outlet.board.asked(emission.head());
        self.count_words(emission.head());
        self.encoder.item(emission);
    }

    fn turn(&mut self, turn: &TurnRef<'_>, change: TurnChange) {
        let event = change.into_event(turn);
        // Before the turn's end is shown: no queued message may be sent in between.
        self.queue_event(TurnOutcome::of(&event).map(QueueEvent::TurnEnded));
        self.outlet.board.login(login(&event));
        match &event {
            TurnEvent::TurnStarted { .. } => {}
            TurnEvent::TurnComplete { .. } => self.outlet.board.turn_ended(false),
            TurnEvent::TurnError { .. } => self.outlet.board.turn_ended(true),
        }
        if let Some(counts) = &self.counts {
            counts.turn(&event);
        }
        self.encoder.turn_event(&event);
    }
}

#[cfg(test)]
mod tests;
