//! What can be asked of the agent. Owns how directives are written; knows no protocol.
//!
//! A directive is a word that begins with `!`, and reaches to the next such word or the end of its line.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Directive {
    /// `!say N`: a message of so many pieces, each with its serial number.
    Say(u64),
    /// `!think N`: the same as a thought.
    Think(u64),
    /// `!open N`: the same as a message that is never finished.
    Open(u64),
    /// `!tool NAME JSON`: a tool call and its result.
    Tool(Tool),
    /// `!call NAME JSON`: a tool call without a result.
    Call(Tool),
    /// `!perm COMMAND`: a command that is run when it is allowed.
    Ask(String),
    /// `!mode NAME`: the agent changes its mode by itself.
    Mode(String),
    /// `!ask NAME JSON [=> JSON]`: any tool; the second input is requested instead of the announced one.
    AskFor(Tool, Map<String, Value>),
    /// `!brief MS COMMAND`: as `!perm`, but the request is withdrawn after this time.
    AskBriefly(Duration, String),
    /// `!line BYTES`: one line of at least so many bytes; `K` and `M` are understood.
    Line(u64),
    /// `!raw HEX`: these bytes, and no newline.
    Raw(Vec<u8>),
    /// `!replay`: all lines of the turn so far once more.
    Replay,
    /// `!reorder`: a message and a call whose lines come in the wrong order.
    Reorder,
    /// `!unknown-delta`: pieces of nothing, results of no call, kinds that nobody knows.
    Unknown,
    /// `!garbage N`: lines that mean nothing, among as many pieces of a message.
    Garbage(u64),
    /// `!deep N`: one line of so many arrays in each other.
    Deep(usize),
    /// `!keys N`: one line with so many fields.
    Keys(u64),
    /// `!flood [BYTES]`: messages without end, at most so many bytes in a second.
    Flood(Option<u64>),
    /// `!clock N`: so many messages, 20 ms apart, each the time in microseconds at which it was said.
    Clock(u64),
    /// `!pace N MS`: a message of so many pieces, so many milliseconds apart, each the time in microseconds at which it
    /// was said.
    Pace(u64, Duration),
    Shape(Shape),
    Act(Act),
}

/// How all that follows is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `!chunk BYTES`: from here on so many bytes in a write.
    Chunk(usize),
    /// `!split MS`: from here on every line in two parts, with a pause between them.
    Split(Duration),
    /// `!crlf`: from here on lines end as on Windows.
    CarriageReturn,
    /// `!dup`: from here on every line twice.
    Duplicate,
}

/// What becomes of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// `!hang`: nothing, for ever, whatever is said.
    Hang,
    /// `!stall MS`: nothing for a while.
    Stall(Duration),
    /// `!noread`: reads nothing from here on.
    StopReading,
    /// `!exit CODE`
    Exit(i32),
    /// `!signal N`: ends by a signal.
    Signal(i32),
    /// `!no-result`: the turn does not end.
    NoResult,
    /// `!linger`: stays when its input ends.
    Linger,
    /// `!close-stdout`: says nothing any more, and stays.
    CloseOutput,
    /// `!close-stdin`: hears nothing any more, and stays.
    CloseInput,
    /// `!spawn plain|setsid|double`: starts a process that stays and holds its output.
    Spawn(Descent),
    /// `!ignore-term`
    IgnoreTerm,
    /// `!stderr BYTES`
    Stderr(u64),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) input: Map<String, Value>,
}

/// How far from its parent a process goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Descent {
    Plain,
    Setsid,
    Double,
}

/// The directives of a text; without any, a message of one piece.
pub(crate) fn read_all(text: &str) -> Result<Vec<Directive>> {
    let directives: Vec<Directive> = text.lines().flat_map(written).map(read).collect::<Result<_>>()?;
    Ok(if directives.is_empty() { vec![Directive::Say(1)] } else { directives })
}

/// The directives of a line, without their exclamation marks.
fn written(line: &str) -> impl Iterator<Item = &str> {
    let line = match line.strip_prefix('!') {
        Some(line) => line,
        None => line.split_once(" !").map_or("", |(_, rest)| rest),
    };
    line.split(" !").filter(|directive| !directive.is_empty())
}

fn read(directive: &str) -> Result<Directive> {
    let (word, value) = directive.split_once(' ').unwrap_or((directive, ""));
    let value = value.trim();
    let shape = || Some(read_shape(word, value)?.map(Directive::Shape));
    let act = || Some(read_act(word, value)?.map(Directive::Act));
    read_said(word, value)
        .or_else(shape)
        .or_else(act)
        .with_context(|| format!("there is no directive !{word}"))?
        .with_context(|| format!("cannot understand !{directive}"))
}

fn read_said(word: &str, value: &str) -> Option<Result<Directive>> {
    Some(match word {
        "say" => number(value).map(Directive::Say),
        "think" => number(value).map(Directive::Think),
        "open" => number(value).map(Directive::Open),
        "tool" => tool(value).map(Directive::Tool),
        "call" => tool(value).map(Directive::Call),
        "perm" => Ok(Directive::Ask(value.to_owned())),
        "mode" => Ok(Directive::Mode(value.to_owned())),
        "ask" => request(value),
        "brief" => brief(value),
        "line" => number(value).map(Directive::Line),
        "raw" => bytes(value).map(Directive::Raw),
        "replay" => Ok(Directive::Replay),
        "reorder" => Ok(Directive::Reorder),
        "unknown-delta" => Ok(Directive::Unknown),
        "garbage" => number(value).map(Directive::Garbage),
        "deep" => count(value).map(Directive::Deep),
        "keys" => number(value).map(Directive::Keys),
        "flood" => pace(value).map(Directive::Flood),
        "clock" => number(value).map(Directive::Clock),
        "pace" => paced(value),
        _ => return None,
    })
}

fn read_shape(word: &str, value: &str) -> Option<Result<Shape>> {
    Some(match word {
        "chunk" => count(value).map(Shape::Chunk),
        "split" => milliseconds(value).map(Shape::Split),
        "crlf" => Ok(Shape::CarriageReturn),
        "dup" => Ok(Shape::Duplicate),
        _ => return None,
    })
}

fn read_act(word: &str, value: &str) -> Option<Result<Act>> {
    Some(match word {
        "hang" => Ok(Act::Hang),
        "stall" => milliseconds(value).map(Act::Stall),
        "noread" => Ok(Act::StopReading),
        "exit" => value.parse().map(Act::Exit).map_err(Into::into),
        "signal" => value.parse().map(Act::Signal).map_err(Into::into),
        "no-result" => Ok(Act::NoResult),
        "linger" => Ok(Act::Linger),
        "close-stdout" => Ok(Act::CloseOutput),
        "close-stdin" => Ok(Act::CloseInput),
        "spawn" => descent(value).map(Act::Spawn),
        "stderr" => number(value).map(Act::Stderr),
        "ignore-term" => Ok(Act::IgnoreTerm),
        _ => return None,
    })
}

fn number(value: &str) -> Result<u64> {
    let (digits, unit) = match value.as_bytes().last() {
        Some(b'K') => (value.trim_end_matches('K'), 1024),
        Some(b'M') => (value.trim_end_matches('M'), 1024 * 1024),
        _ => (value, 1),
    };
    Ok(digits.parse::<u64>()?.saturating_mul(unit))
}

fn pace(value: &str) -> Result<Option<u64>> {
    if value.is_empty() { Ok(None) } else { number(value).map(Some) }
}

fn count(value: &str) -> Result<usize> {
    Ok(usize::try_from(number(value)?)?)
}

fn milliseconds(value: &str) -> Result<Duration> {
    Ok(Duration::from_millis(number(value)?))
}

fn tool(value: &str) -> Result<Tool> {
    let (name, input) = value.split_once(' ').unwrap_or((value, "{}"));
    Ok(Tool { name: name.to_owned(), input: serde_json::from_str(input)? })
}

fn request(value: &str) -> Result<Directive> {
    let (announced, requested) = value.split_once(" => ").unwrap_or((value, ""));
    let announced = tool(announced)?;
    let requested =
        if requested.is_empty() { announced.input.clone() } else { serde_json::from_str(requested)? };
    Ok(Directive::AskFor(announced, requested))
}

fn brief(value: &str) -> Result<Directive> {
    let (patience, command) = value.split_once(' ').context("write !brief MS COMMAND")?;
    Ok(Directive::AskBriefly(milliseconds(patience)?, command.to_owned()))
}

fn paced(value: &str) -> Result<Directive> {
    let (pieces, pause) = value.split_once(' ').context("write !pace N MS")?;
    Ok(Directive::Pace(number(pieces)?, milliseconds(pause)?))
}

fn descent(value: &str) -> Result<Descent> {
    Ok(match value {
        "plain" => Descent::Plain,
        "setsid" => Descent::Setsid,
        "double" => Descent::Double,
        _ => bail!("write plain, setsid or double"),
    })
}

pub(crate) fn bytes(hexadecimal: &str) -> Result<Vec<u8>> {
    let digits = hexadecimal.as_bytes();
    let pairs = digits.chunks(2).map(|pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?));
    pairs.collect()
}
