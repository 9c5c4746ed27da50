//! How a directive is written: a key, a colon and a value.

use std::time::Duration;

use super::cursor::{Cursor, Key};
use crate::answer::{Block, Fault, FaultKind, Place, Refusal, Speech, ToolUse};

const MOST_WORDS: usize = 100_000;

#[derive(Debug, PartialEq)]
pub(super) enum Directive {
    Block(Block),
    Stop(String),
    Slow(Duration),
    RetryAfter(u64),
    Mishap(Mishap),
    /// What follows is for the next time the model is asked.
    Then,
}

/// A fault, and how often it strikes; without a number, always.
#[derive(Debug, PartialEq)]
pub(super) struct Mishap {
    pub(super) kind: MishapKind,
    pub(super) times: Option<u32>,
}

#[derive(Debug, PartialEq)]
pub(super) enum MishapKind {
    Refusal(Refusal),
    Fault(Fault),
    HangUp,
}

/// The prompt holds something that looks like a directive and is none.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Malformed {
    #[error("scripted model: cannot read the directive {directive}: write {expected}")]
    Value { directive: String, expected: &'static str },
    #[error("scripted model: the input of tool {tool} is not a JSON object: {problem}")]
    ToolInput { tool: String, problem: String },
    #[error("scripted model: an answer can have one fault only: put the other one after a then:")]
    SecondMishap,
}

/// All directives of `prompt`, in order.
pub(super) fn read_all(prompt: &str) -> Result<Vec<Directive>, Malformed> {
    let mut cursor = Cursor::new(prompt);
    let mut directives = Vec::new();
    while let Some(key) = cursor.next_key() {
        read(key, &mut cursor, &mut directives)?;
    }
    Ok(directives)
}

impl Mishap {
    /// Whether only an answer that streams can have it.
    pub(super) fn needs_stream(&self) -> bool {
        match self.kind {
            MishapKind::Fault(_) => true,
            MishapKind::Refusal(_) | MishapKind::HangUp => false,
        }
    }
}

fn read(key: Key, cursor: &mut Cursor<'_>, directives: &mut Vec<Directive>) -> Result<(), Malformed> {
    let directive = match key {
        Key::Say => say(cursor.text()),
        Key::Think => Directive::Block(Block::thinking(Speech::of(cursor.text()), None)),
        Key::Then => {
            directives.push(Directive::Then);
            let text = cursor.text();
            if text.is_empty() {
                return Ok(());
            }
            say(text)
        }
        Key::Tool => tool(cursor)?,
        Key::Words => words(cursor.word())?,
        Key::Status => status(cursor)?,
        Key::RetryAfter => retry_after(cursor.word())?,
        Key::SseError => sse_error(cursor),
        Key::Drop => drop_connection(cursor.word())?,
        Key::Stall => stall(cursor.word())?,
        Key::Slow => slow(cursor.word())?,
        Key::Stop => Directive::Stop(cursor.word().to_owned()),
    };
    directives.push(directive);
    Ok(())
}

fn say(text: String) -> Directive {
    Directive::Block(Block::Text(Speech::of(text)))
}

fn tool(cursor: &mut Cursor<'_>) -> Result<Directive, Malformed> {
    let name = cursor.word();
    let input = cursor
        .object()
        .map_err(|error| Malformed::ToolInput { tool: name.to_owned(), problem: error.to_string() })?;
    Ok(Directive::Block(Block::ToolUse(ToolUse::of(name, input))))
}

fn words(value: &str) -> Result<Directive, Malformed> {
    let count = value.parse().ok().filter(|count| (1..=MOST_WORDS).contains(count));
    let count: usize = count.ok_or_else(|| malformed("words:", value, "words:N with N from 1 to 100000"))?;
    let words: Vec<String> = (1..=count).map(|number| format!("word{number}")).collect();
    Ok(say(words.join(" ")))
}

fn status(cursor: &mut Cursor<'_>) -> Result<Directive, Malformed> {
    let value = cursor.word();
    let (code, times) = split_times(value);
    let code = code.parse().ok().filter(|code| Refusal::STATUSES.contains(code));
    let code =
        code.ok_or_else(|| malformed("status:", value, "status:N or status:NxM with N from 400 to 599"))?;
    let refusal = Refusal { message: some_text(cursor.text()), ..Refusal::of(code) };
    Ok(Directive::Mishap(Mishap { kind: MishapKind::Refusal(refusal), times }))
}

fn retry_after(value: &str) -> Result<Directive, Malformed> {
    let seconds = value.parse().map_err(|_| malformed("retry-after:", value, "retry-after:SECONDS"))?;
    Ok(Directive::RetryAfter(seconds))
}

fn sse_error(cursor: &mut Cursor<'_>) -> Directive {
    let (kind, times) = split_times(cursor.word());
    let kind = some_text(kind.trim_start_matches(':').to_owned());
    let message = some_text(cursor.text());
    fault(Place::default(), FaultKind::error_event(kind, message), times)
}

fn drop_connection(value: &str) -> Result<Directive, Malformed> {
    let (place, times) = split_times(value);
    let place = match place {
        "start" => return Ok(Directive::Mishap(Mishap { kind: MishapKind::HangUp, times })),
        "mid" => Place::default(),
        "block" => Place::AfterBlocks(1),
        number => Place::AfterDeltas(number.parse().map_err(|_| {
            malformed("drop:", value, "drop:start, drop:mid, drop:block or drop:N for N pieces")
        })?),
    };
    Ok(fault(place, FaultKind::Drop, times))
}

fn stall(value: &str) -> Result<Directive, Malformed> {
    let (length, times) = split_times(value);
    let length = match length.trim_start_matches(':') {
        "" => None,
        length => Some(
            duration(length).ok_or_else(|| malformed("stall", value, "stall, stall:500ms or stall:2s"))?,
        ),
    };
    Ok(fault(Place::default(), FaultKind::Stall(length), times))
}

fn slow(value: &str) -> Result<Directive, Malformed> {
    let delay = duration(value).ok_or_else(|| malformed("slow:", value, "slow:20ms or slow:1s"))?;
    Ok(Directive::Slow(delay))
}

fn fault(place: Place, kind: FaultKind, times: Option<u32>) -> Directive {
    Directive::Mishap(Mishap { kind: MishapKind::Fault(Fault { place, kind }), times })
}

/// Splits `500x2` into `500` and 2.
fn split_times(value: &str) -> (&str, Option<u32>) {
    let counted = value.rsplit_once('x').and_then(|(rest, times)| Some((rest, times.parse().ok()?)));
    counted.map_or((value, None), |(rest, times)| (rest, Some(times)))
}

fn duration(value: &str) -> Option<Duration> {
    if let Some(milliseconds) = value.strip_suffix("ms") {
        return milliseconds.parse().ok().map(Duration::from_millis);
    }
    value.strip_suffix('s')?.parse().ok().map(Duration::from_secs)
}

fn some_text(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn malformed(key: &str, value: &str, expected: &'static str) -> Malformed {
    Malformed::Value { directive: format!("{key}{value}"), expected }
}
