//! Laws of merging an agent's history into a log: nothing that was shown disappears or changes, nothing is shown twice,
//! and merging again changes nothing.

use std::sync::Arc;

use liminal_core::envelope::StreamEventEnvelope;
use liminal_core::error::ErrorInfo;
use liminal_core::event::{
    FinalItem, FunctionCallItem, FunctionCallOutputItem, ItemDone, MessageItem, Origin, ReasoningItem,
    ResponseDone, ResponseError, ResponseStart, ResponseStatus, StreamEvent, ToolDetails, Usage,
};
use liminal_core::ids::CallId;
use liminal_core::merge::merge;
use liminal_core::processor::Config;
use liminal_core::time::{Now, Timestamp};
use liminal_core::turns::Turns;
use liminal_core::upsert::{Output, TurnEvent, Upsert, UpsertBody, UpsertStatus};
use proptest::prelude::*;
use uuid::Uuid;

use super::events::{SESSION, answered_permission, now};

/// Something that a turn shows.
#[derive(Debug, Clone, PartialEq)]
enum Row {
    Say(String),
    Think(String),
    Call(String),
    /// A call that was asked for; the agent remembers the call alone.
    Asked(String),
}

/// What became of a turn on each side.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Shared,
    /// The agent kept nothing of it but the prompt.
    Reduced,
    /// It failed here, and the agent kept nothing of it.
    Failed,
    /// The agent has lost it.
    Forgotten,
    /// Another program ran it.
    Outside,
    /// Another program ran it, and the log was read when it had this many rows.
    ReadEarly(usize),
}

#[derive(Debug, Clone)]
struct Turn {
    prompt: String,
    rows: Vec<Row>,
    fate: Fate,
}

/// How the agent names turns.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Naming {
    Own,
    Numbered,
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["go on", "yes", "look"]).prop_map(str::to_owned)
}

fn row() -> impl Strategy<Value = Row> {
    prop_oneof![
        word().prop_map(Row::Say),
        word().prop_map(Row::Think),
        word().prop_map(Row::Call),
        word().prop_map(Row::Asked),
    ]
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        5 => Just(Fate::Shared),
        1 => Just(Fate::Reduced),
        1 => Just(Fate::Failed),
        1 => Just(Fate::Forgotten),
        2 => Just(Fate::Outside),
        2 => (0..5_usize).prop_map(Fate::ReadEarly),
    ]
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let turn = (word(), prop::collection::vec(row(), 1..5), fate());
    let turn = turn.prop_map(|(prompt, rows, fate)| Turn { prompt, rows, fate });
    prop::collection::vec(turn, 0..8)
}

fn naming() -> impl Strategy<Value = Naming> {
    prop_oneof![Just(Naming::Own), Just(Naming::Numbered)]
}

/// The same turns with texts that occur once.
fn distinct(mut turns: Vec<Turn>) -> Vec<Turn> {
    for (number, turn) in turns.iter_mut().enumerate() {
        turn.prompt += &format!(" {number}");
        for (place, row) in turn.rows.iter_mut().enumerate() {
            let (Row::Say(text) | Row::Think(text) | Row::Call(text) | Row::Asked(text)) = row;
            *text += &format!(" {number}.{place}");
        }
    }
    turns
}

/// The ids of turns in the log and in the history.
struct Names {
    naming: Naming,
    numbered: usize,
}

impl Names {
    fn own(number: usize) -> String {
        Uuid::from_u128(number as u128 + 1).to_string()
    }

    fn remembered(&mut self, number: usize) -> String {
        self.numbered += 1;
        match self.naming {
            Naming::Own => Self::own(number),
            Naming::Numbered => format!("history-{}", self.numbered),
        }
    }
}

/// Writes the events of one turn; items are numbered from `first`, as each side does it differently.
struct Writer {
    turn: String,
    /// Ids of calls begin with it, on both sides.
    number: usize,
    calls: usize,
    next: usize,
    clock: i64,
    events: Vec<StreamEventEnvelope>,
}

impl Writer {
    fn new(turn: String, first: usize, number: usize) -> Self {
        let clock = i64::try_from(number).unwrap() * 1000;
        let mut writer = Self { turn, number, calls: 0, next: first, clock, events: Vec::new() };
        writer.event(StreamEvent::ResponseStart(ResponseStart {
            model_id: "m".into(),
            provider_id: "p".into(),
        }));
        writer
    }

    fn event(&mut self, payload: StreamEvent) {
        self.clock += 1;
        self.events.push(StreamEventEnvelope {
            event_id: format!("{}#{}", self.turn, self.clock).into(),
            timestamp: Timestamp::from(now(self.clock).wall),
            turn_id: self.turn.as_str().into(),
            session_id: SESSION.into(),
            trace_context: None,
            payload,
        });
    }

    fn done(&mut self, final_item: FinalItem) {
        let item_id = format!("{}/{}", self.turn, self.next).into();
        self.next += 1;
        self.event(StreamEvent::ItemDone(ItemDone { item_id, final_item }));
    }

    fn row(&mut self, row: &Row, is_live: bool) {
        match row {
            Row::Say(text) => self.done(FinalItem::Message(MessageItem::new(text.clone(), Origin::Agent))),
            Row::Think(text) => {
                self.done(FinalItem::Reasoning(ReasoningItem {
                    content: text.clone(),
                    provider_id: "p".into(),
                }));
            }
            Row::Call(text) => self.call(text),
            Row::Asked(text) => {
                if is_live {
                    self.done(FinalItem::Permission(answered_permission(text)));
                }
                self.call(text);
            }
        }
    }

    fn call(&mut self, text: &str) {
        let arguments = Arc::new(serde_json::from_value(serde_json::json!({ "command": text })).unwrap());
        let call_id = CallId::from(format!("{}.{} {text}", self.number, self.calls));
        let (name, details) = ("Bash".to_owned(), ToolDetails::default());
        self.calls += 1;
        let call = FunctionCallItem {
            name,
            call_id: call_id.clone(),
            arguments,
            raw_arguments: None,
            details: details.clone(),
        };
        self.done(FinalItem::FunctionCall(call));
        let output = FunctionCallOutputItem { call_id, output: text.to_owned(), is_error: false, details };
        self.done(FinalItem::FunctionCallOutput(output));
    }

    fn end(mut self, cost_usd: Option<f64>) -> Vec<StreamEventEnvelope> {
        let usage = Usage {
            input_tokens: 5,
            output_tokens: self.next as u64,
            cache_read_input_tokens: None,
            cache_creation_input_tokens: None,
            cost_usd,
        };
        let (status, usage) = (ResponseStatus::Completed, Some(usage));
        self.event(StreamEvent::ResponseDone(ResponseDone {
            status,
            finish_reason: None,
            error: None,
            usage,
        }));
        self.events
    }

    fn fail(mut self) -> Vec<StreamEventEnvelope> {
        let error = ErrorInfo { code: "SPAWN_FAILED".into(), message: "it broke".into() };
        self.event(StreamEvent::ResponseError(ResponseError { error }));
        self.events
    }
}

/// A log, and what the agent of its session remembers.
#[derive(Debug)]
struct Case {
    log: Vec<Output>,
    history: Vec<StreamEventEnvelope>,
}

fn case(turns: &[Turn], naming: Naming) -> Case {
    let mut names = Names { naming, numbered: 0 };
    let (mut logged, mut history) = (Vec::new(), Vec::new());
    for (number, turn) in turns.iter().enumerate() {
        let remembered = match turn.fate {
            Fate::Failed | Fate::Forgotten => None,
            Fate::Shared | Fate::Reduced | Fate::Outside | Fate::ReadEarly(_) => {
                Some(names.remembered(number))
            }
        };
        let write = |id: &str, first: usize, rows: &[Row], is_live: bool| {
            let mut writer = Writer::new(id.to_owned(), first, number);
            writer.done(FinalItem::Message(MessageItem::new(turn.prompt.clone(), Origin::User)));
            rows.iter().for_each(|row| writer.row(row, is_live));
            writer
        };
        let own = Names::own(number);
        match (turn.fate, &remembered) {
            (Fate::Shared | Fate::Reduced | Fate::Forgotten, _) => {
                logged.extend(write(&own, 1, &turn.rows, true).end(Some(0.25)));
            }
            (Fate::Failed, _) => logged.extend(write(&own, 1, &[], true).fail()),
            (Fate::ReadEarly(seen), Some(id)) => {
                let seen = &turn.rows[..seen.min(turn.rows.len())];
                logged.extend(write(id, 0, seen, false).end(None));
            }
            (Fate::Outside | Fate::ReadEarly(_), _) => {}
        }
        if let Some(id) = &remembered {
            let kept = if turn.fate == Fate::Reduced { &[][..] } else { &turn.rows[..] };
            history.extend(write(id, 0, kept, false).end(None));
        }
    }
    Case { log: applied(Vec::new(), &logged), history }
}

fn key(output: &Output) -> (u8, String) {
    match output {
        Output::Upsert(row) => (0, row.item_id.to_string()),
        Output::Turn(TurnEvent::TurnStarted { turn_id, .. }) => (1, turn_id.to_string()),
        Output::Turn(TurnEvent::TurnComplete { turn_id, .. } | TurnEvent::TurnError { turn_id, .. }) => {
            (2, turn_id.to_string())
        }
    }
}

/// The log with more events in it: the latest state of each key, at the place of its first.
fn applied(mut log: Vec<Output>, events: &[StreamEventEnvelope]) -> Vec<Output> {
    let (mut turns, mut outputs) = (Turns::new(Config::default()), Vec::<Output>::new());
    for event in events {
        turns.handle_event(event, Now::at(event.timestamp.instant()), &mut outputs);
    }
    for output in outputs {
        match log.iter_mut().find(|held| key(held) == key(&output)) {
            Some(held) => *held = output,
            None => log.push(output),
        }
    }
    log
}

fn added(case: &Case, log: &[Output]) -> Vec<StreamEventEnvelope> {
    merge(log, &case.history, &Config::default(), Timestamp::from(now(1_000_000).wall))
}

fn rows(log: &[Output]) -> Vec<&Upsert> {
    let rows = log.iter().filter_map(|output| match output {
        Output::Upsert(row) => Some(row),
        Output::Turn(_) => None,
    });
    rows.collect()
}

fn is_note(row: &Upsert) -> bool {
    matches!(&row.body, UpsertBody::Message(message) if message.origin == Origin::System)
}

fn text(row: &Upsert) -> Option<&str> {
    match &row.body {
        UpsertBody::Message(message) => Some(&message.content).filter(|_| !is_note(row)).map(String::as_str),
        UpsertBody::Thinking(thinking) => Some(&thinking.content),
        UpsertBody::ToolCall(call) => call.tool_output.as_deref(),
        UpsertBody::Plan(_) | UpsertBody::Permission(_) => None,
    }
}

/// What the log lacks of each turn, in the agent's order.
fn lacking(turns: &[Turn]) -> Vec<String> {
    let mut texts = Vec::new();
    for turn in turns {
        let seen = match turn.fate {
            Fate::Shared | Fate::Reduced | Fate::Failed | Fate::Forgotten => continue,
            Fate::Outside => {
                texts.push(turn.prompt.clone());
                0
            }
            Fate::ReadEarly(seen) => seen,
        };
        texts.extend(turn.rows.iter().skip(seen).map(|row| match row {
            Row::Say(text) | Row::Think(text) | Row::Call(text) | Row::Asked(text) => text.clone(),
        }));
    }
    texts
}

/// The usage and cost of every ended turn.
fn usages(log: &[Output]) -> Vec<(String, u64, Option<f64>)> {
    let usage = |output: &Output| match output {
        Output::Turn(TurnEvent::TurnComplete { turn_id, usage: Some(usage), .. }) => {
            Some((turn_id.to_string(), usage.output_tokens, usage.cost_usd))
        }
        Output::Turn(_) | Output::Upsert(_) => None,
    };
    log.iter().filter_map(usage).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_merge_keeps_every_row_as_it_was(turns in turns(), naming in naming()) {
        let case = case(&turns, naming);
        let merged = applied(case.log.clone(), &added(&case, &case.log));
        let (before, after) = (rows(&case.log), rows(&merged));
        prop_assert_eq!(&after[..before.len()], &before[..]);
        for ((turn, tokens, cost), (same, more, later)) in usages(&case.log).iter().zip(usages(&merged)) {
            prop_assert_eq!(turn, &same);
            prop_assert!(more >= *tokens && later == *cost, "{:?} became {:?}", cost, later);
        }
        let errors = |log: &[Output]| log.iter().filter(|output| matches!(output, Output::Turn(TurnEvent::TurnError { .. }))).count();
        prop_assert_eq!(errors(&merged), errors(&case.log));
    }

    #[test]
    fn merging_again_adds_nothing(turns in turns(), naming in naming()) {
        let case = case(&turns, naming);
        let merged = applied(case.log.clone(), &added(&case, &case.log));
        prop_assert_eq!(added(&case, &merged), Vec::new());
    }

    #[test]
    fn a_merge_adds_what_the_log_lacks_once_and_in_order(turns in turns(), naming in naming()) {
        let turns = distinct(turns);
        let case = case(&turns, naming);
        let merged = applied(case.log.clone(), &added(&case, &case.log));
        let (before, after) = (rows(&case.log), rows(&merged));
        let new = &after[before.len()..];
        let texts: Vec<&str> = new.iter().filter_map(|row| text(row)).collect();
        prop_assert_eq!(texts, lacking(&turns));
        prop_assert!(new.iter().all(|row| row.status == UpsertStatus::Complete));
        let is_known = turns.iter().any(|turn| !matches!(turn.fate, Fate::Failed | Fate::Forgotten));
        let forgotten = turns.iter().filter(|turn| turn.fate == Fate::Forgotten).count();
        let notes = new.iter().filter(|row| is_note(row)).count();
        prop_assert_eq!(notes, usize::from(is_known && forgotten > 0));
    }

    #[test]
    fn a_merge_of_an_unrelated_history_loses_nothing(one in turns(), other in turns(), naming in naming()) {
        let case = Case { log: case(&one, naming).log, history: case(&other, Naming::Numbered).history };
        let merged = applied(case.log.clone(), &added(&case, &case.log));
        let (before, after) = (rows(&case.log), rows(&merged));
        prop_assert_eq!(&after[..before.len()], &before[..]);
    }
}
