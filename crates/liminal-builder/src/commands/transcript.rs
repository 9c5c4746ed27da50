//! A session as it is read on a terminal. Owns what is shown of each item and that nothing is shown twice; where the
//! items come from is not known here.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use liminal_core::error::ErrorCode;
use liminal_core::event::Origin;
use liminal_core::ids::ItemId;
use liminal_core::upsert::{PermissionBody, ToolCallBody, Upsert, UpsertBody, UpsertStatus};

use super::request_text::{settled, summary};
use super::terminal::{safe, safe_line};

const DIM: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";

/// Whose own messages are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prompts {
    /// Whoever reads has just written them.
    Hidden,
    /// Somebody else may have written them.
    Shown,
}

/// Which of the two outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// What the agent says.
    Speech,
    /// Everything else.
    Aside,
}

/// The text that was written last.
#[derive(Debug)]
struct Open {
    item: ItemId,
    side: Side,
    ends_line: bool,
}

/// A session as it is read.
#[derive(Debug)]
pub(super) struct Transcript<O, E> {
    speech: O,
    aside: E,
    /// Whether asides may be dimmed.
    is_dimming: bool,
    prompts: Prompts,
    /// What is shown of texts that grow.
    shown: BTreeMap<ItemId, String>,
    finished: BTreeSet<ItemId>,
    /// The text that was written last, and whether its line is ended.
    open: Option<Open>,
}

impl<O: Write, E: Write> Transcript<O, E> {
    pub(super) fn new(speech: O, aside: E, is_dimming: bool, prompts: Prompts) -> Self {
        let (shown, finished, open) = (BTreeMap::new(), BTreeSet::new(), None);
        Self { speech, aside, is_dimming, prompts, shown, finished, open }
    }

    /// Shows what is new in a state.
    pub(super) fn show(&mut self, state: &Upsert) -> io::Result<()> {
        if self.finished.contains(&state.item_id) {
            return Ok(());
        }
        // What a sub-agent says is for its master.
        let is_inner = state.parent_call_id.is_some();
        match &state.body {
            UpsertBody::Message(message) if !is_inner => match message.origin {
                Origin::Agent => self.grow(state, &message.content, Side::Speech)?,
                Origin::User if self.prompts == Prompts::Shown && is_over(state) => {
                    self.note(&format!("> {}", message.content))?;
                }
                Origin::System if is_over(state) => self.note(&message.content)?,
                Origin::User | Origin::System => {}
            },
            UpsertBody::Thinking(thinking) if !is_inner => {
                self.grow(state, &thinking.content, Side::Aside)?;
            }
            UpsertBody::ToolCall(call) if is_over(state) => self.note(&tool(state, call))?,
            UpsertBody::Permission(asked) if is_over(state) => self.note(&answered(asked))?,
            UpsertBody::Message(_)
            | UpsertBody::Thinking(_)
            | UpsertBody::ToolCall(_)
            | UpsertBody::Permission(_)
            | UpsertBody::Plan(_) => {}
        }
        if is_over(state) {
            self.end(&state.item_id)?;
        }
        Ok(())
    }

    /// Says something that is not the agent's, on lines of its own.
    pub(super) fn note(&mut self, text: &str) -> io::Result<()> {
        self.break_line()?;
        writeln!(self.aside, "{}", safe(text))?;
        self.aside.flush()
    }

    /// Ends the line that is open.
    pub(super) fn break_line(&mut self) -> io::Result<()> {
        match self.open.take().filter(|open| !open.ends_line).map(|open| open.side) {
            Some(Side::Speech) => {
                writeln!(self.speech)?;
                self.speech.flush()
            }
            Some(Side::Aside) => writeln!(self.aside),
            None => Ok(()),
        }
    }

    fn grow(&mut self, state: &Upsert, text: &str, side: Side) -> io::Result<()> {
        let item = &state.item_id;
        let held = self.shown.entry(item.clone()).or_default();
        // A text that was written anew is shown anew.
        let (is_same, added) = match text.strip_prefix(held.as_str()) {
            Some(added) => (true, added.to_owned()),
            None => (false, text.to_owned()),
        };
        text.clone_into(held);
        if added.is_empty() {
            return Ok(());
        }
        if !is_same || self.open.as_ref().is_none_or(|open| open.item != *item) {
            self.break_line()?;
        }
        self.write(&safe(&added), side)?;
        self.open = Some(Open { item: item.clone(), side, ends_line: added.ends_with('\n') });
        Ok(())
    }

    fn write(&mut self, text: &str, side: Side) -> io::Result<()> {
        match side {
            Side::Speech => {
                self.speech.write_all(text.as_bytes())?;
                self.speech.flush()
            }
            Side::Aside if self.is_dimming => {
                write!(self.aside, "{DIM}{text}{PLAIN}")?;
                self.aside.flush()
            }
            Side::Aside => {
                self.aside.write_all(text.as_bytes())?;
                self.aside.flush()
            }
        }
    }

    fn end(&mut self, item: &ItemId) -> io::Result<()> {
        self.shown.remove(item);
        self.finished.insert(item.clone());
        if self.open.as_ref().is_some_and(|open| open.item == *item) {
            self.break_line()?;
        }
        Ok(())
    }
}

const fn is_over(state: &Upsert) -> bool {
    matches!(state.status, UpsertStatus::Complete | UpsertStatus::Error)
}

fn tool(state: &Upsert, call: &ToolCallBody) -> String {
    let has_failed = state.status == UpsertStatus::Error || call.tool_output_is_error == Some(true);
    let (mark, end) = match (has_failed, ended_in_background(state)) {
        (_, Some(why)) => ("•", format!(": {}", safe_line(why))),
        (true, None) => ("✗", ": failed".to_owned()),
        (false, None) => ("•", String::new()),
    };
    let title = call.details.title.as_deref().unwrap_or_default();
    let title = if title.is_empty() || title == call.tool_name { String::new() } else { format!(" {title}") };
    let indent = if state.parent_call_id.is_some() { "  " } else { "" };
    format!("{indent}{mark} {}{end}", safe_line(&format!("{}{title}", call.tool_name)))
}

/// Why work in the background ended before it had finished. The tool itself did not fail.
fn ended_in_background(state: &Upsert) -> Option<&str> {
    let is_ended = state.error_code.as_deref() == Some(ErrorCode::BackgroundEnded.as_str());
    state.error_message.as_deref().filter(|_| is_ended)
}

fn answered(asked: &PermissionBody) -> String {
    let PermissionBody { request, outcome } = asked;
    format!("? {}: {}", summary(request), settled(request, outcome.as_ref()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn state(item: &str, status: &str, body: &Value) -> Upsert {
        let mut state = json!({
            "turnId": "t", "sessionId": "s", "itemId": item, "status": status,
            "sourceTimestamp": "2026-01-01T00:00:00.000Z", "emittedAt": "2026-01-01T00:00:00.000Z",
        });
        state.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        serde_json::from_value(state).unwrap()
    }

    fn message(item: &str, status: &str, text: &str) -> Upsert {
        state(item, status, &json!({"type": "message", "origin": "agent", "content": text}))
    }

    fn thinking(item: &str, status: &str, text: &str) -> Upsert {
        state(item, status, &json!({"type": "thinking", "providerId": "p", "content": text}))
    }

    fn tool_call(item: &str, output: Option<bool>) -> Upsert {
        let body = json!({
            "type": "tool_call", "toolName": "Read", "title": "a\u{1b}.rs", "toolArguments": {}, "callId": "c",
            "toolOutputIsError": output,
        });
        state(item, "complete", &body)
    }

    #[test]
    fn work_that_was_ended_in_the_background_has_not_failed() {
        let mut ended = tool_call("a", None);
        ended.status = UpsertStatus::Error;
        ended.error_code = Some("BACKGROUND_ENDED".to_owned());
        ended.error_message = Some("the background command was stopped".to_owned());
        assert_eq!(read(&[ended], false).1, "• Read a\\u001b.rs: the background command was stopped\n");
    }

    fn read(states: &[Upsert], is_dimming: bool) -> (String, String) {
        let (mut speech, mut aside) = (Vec::new(), Vec::new());
        let mut transcript = Transcript::new(&mut speech, &mut aside, is_dimming, Prompts::Hidden);
        states.iter().for_each(|state| transcript.show(state).unwrap());
        transcript.break_line().unwrap();
        (String::from_utf8(speech).unwrap(), String::from_utf8(aside).unwrap())
    }

    #[test]
    fn a_growing_text_is_shown_once() {
        let states = [
            message("a", "create", "Hel"),
            message("a", "update", "Hello"),
            message("a", "update", "Hello"),
            message("a", "complete", "Hello you"),
            // After a reset everything is told again.
            message("a", "complete", "Hello you"),
            message("b", "complete", "Bye"),
        ];
        assert_eq!(read(&states, true), ("Hello you\nBye\n".to_owned(), String::new()));
    }

    #[test]
    fn thoughts_are_dimmed_only_where_that_is_seen() {
        let states = [thinking("a", "create", "hm"), thinking("a", "complete", "hmm")];
        assert_eq!(read(&states, false).1, "hmm\n");
        assert_eq!(read(&states, true).1, format!("{DIM}hm{PLAIN}{DIM}m{PLAIN}\n"));
    }

    #[test]
    fn tools_take_a_line_each_and_interrupt_a_text_cleanly() {
        let states = [
            message("a", "create", "one"),
            tool_call("b", Some(false)),
            message("a", "complete", "one two"),
            tool_call("c", Some(true)),
        ];
        let (speech, aside) = read(&states, false);
        assert_eq!(speech, "one\n two\n");
        assert_eq!(aside, "• Read a\\u001b.rs\n✗ Read a\\u001b.rs: failed\n");
    }

    #[test]
    fn what_an_agent_says_cannot_drive_a_terminal() {
        let (speech, _) = read(&[message("a", "complete", "\u{1b}]0;x\u{7}\u{9b}2J\n\ta")], true);
        assert_eq!(speech, "\\u001b]0;x\\u0007\\u009b2J\n\ta\n");
    }

    #[test]
    fn a_line_is_ended_once() {
        let states = [message("a", "complete", "one\n"), message("b", "complete", "two\n\n")];
        assert_eq!(read(&states, false).0, "one\ntwo\n\n");
    }

    #[test]
    fn a_text_that_was_written_anew_is_shown_anew() {
        let states = [message("a", "create", "Halo"), message("a", "complete", "Hello")];
        assert_eq!(read(&states, false).0, "Halo\nHello\n");
    }
}
