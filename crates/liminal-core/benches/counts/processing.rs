//! Events through the processor, into lines.

use std::fmt::Write as _;
use std::hint::black_box;

use liminal_core::envelope::{EventReader, StreamEventEnvelope};
use liminal_core::event::{ItemDelta, ItemKind, ItemStart, StreamEvent};
use liminal_core::ndjson::Lines;
use liminal_core::processor::{Config, Emission, Profile, Sink, TurnChange, TurnRef, UpsertProcessor};
use liminal_core::time::{Now, Timestamp};
use liminal_core::turns::Turns;

use crate::Work;

const SESSION: &str = "claude-code:0f3c2a54";

/// One item of so many deltas, each a token, with the usual batches.
pub(crate) fn emitting(deltas: usize) -> Work {
    one_item(deltas, Config::default(), Profile::UpsertV1)
}

/// The same without a batch that is ever full.
pub(crate) fn silent(deltas: usize) -> Work {
    one_item(deltas, Config::default().with_gradient(&[u64::MAX]), Profile::UpsertV1)
}

/// The same for older consumers.
pub(crate) fn stream_b(deltas: usize) -> Work {
    one_item(deltas, Config::default(), Profile::StreamB)
}

fn one_item(deltas: usize, config: Config, profile: Profile) -> Work {
    let (start, delta) = (event(SESSION, start()), event(SESSION, delta()));
    Box::new(move || {
        let mut sink = Written { lines: Lines::new(profile), bytes: 0 };
        let mut processor = UpsertProcessor::new(SESSION.into(), "turn".into(), config);
        processor.handle_event(&start, now(), &mut sink);
        for _ in 0..deltas {
            processor.handle_event(&delta, now(), &mut sink);
        }
        black_box(sink.bytes);
    })
}

/// One delta for each of a thousand sessions, round and round.
pub(crate) fn many_sessions(deltas: usize) -> Work {
    const SESSIONS: usize = 1_000;
    let ids: Vec<String> = (0..SESSIONS).map(|number| format!("claude-code:{number:08}")).collect();
    let starts: Vec<_> = ids.iter().map(|id| event(id, start())).collect();
    let events: Vec<_> = ids.iter().map(|id| event(id, delta())).collect();
    let mut turns = Turns::new(Config::default());
    let mut sink = Written { lines: Lines::new(Profile::UpsertV1), bytes: 0 };
    starts.iter().for_each(|start| turns.handle_event(start, now(), &mut sink));
    Box::new(move || {
        for event in events.iter().cycle().take(deltas) {
            turns.handle_event(event, now(), &mut sink);
        }
        black_box(sink.bytes);
    })
}

/// Lines of JSON in, lines of JSON out, as `liminal process` does it.
pub(crate) fn ndjson(deltas: usize) -> Work {
    let mut input = String::new();
    for number in 0..deltas {
        let mut event = event(SESSION, delta());
        event.event_id = format!("0190a1b2-turn#{number}").into();
        writeln!(input, "{}", serde_json::to_string(&event).unwrap()).unwrap();
    }
    let mut turns = Turns::new(Config::default());
    let mut lines = Lines::new(Profile::UpsertV1);
    turns.handle_event(&event(SESSION, start()), now(), &mut lines);
    Box::new(move || {
        let mut reader = EventReader::default();
        for line in input.lines() {
            let event = reader.read(line).unwrap().event().unwrap();
            let now = Now::at(event.timestamp.instant());
            turns.handle_timeout(now.mono, &mut lines);
            turns.handle_event(&event, now, &mut lines);
        }
        black_box(lines.bytes().len());
    })
}

/// Lines that are written away as soon as they come.
struct Written {
    lines: Lines,
    bytes: usize,
}

impl Sink for Written {
    fn item(&mut self, emission: Emission<'_>) {
        self.lines.item(emission);
        self.bytes += self.lines.bytes().len();
        self.lines.clear();
    }

    fn turn(&mut self, turn: &TurnRef<'_>, change: TurnChange) {
        self.lines.turn(turn, change);
    }
}

pub(crate) fn now() -> Now {
    Now::at(jiff::Timestamp::from_millisecond(1_790_000_000_000).unwrap())
}

fn event(session: &str, payload: StreamEvent) -> StreamEventEnvelope {
    StreamEventEnvelope {
        event_id: "turn#1".into(),
        timestamp: Timestamp::from(now().wall),
        turn_id: "turn".into(),
        session_id: session.into(),
        trace_context: None,
        payload,
    }
}

fn start() -> StreamEvent {
    StreamEvent::ItemStart(ItemStart {
        item_id: "turn/1".into(),
        kind: ItemKind::Message,
        initial_content: None,
        parent_call_id: None,
    })
}

fn delta() -> StreamEvent {
    StreamEvent::ItemDelta(ItemDelta { item_id: "turn/1".into(), delta_content: "word ".to_owned() })
}
