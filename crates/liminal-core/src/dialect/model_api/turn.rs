//! One turn of a conversation with a model's API. Owns the items of the answer: what is open, what is finished, and
//! what becomes of them when the turn ends; where in an answer something stands is the API's business.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::conversation::REFUSAL;
use crate::dialect::{Step, TurnWriter};
use crate::error::ErrorInfo;
use crate::event::{
    CancelReason, FinalItem, FunctionCallItem, FunctionCallOutputItem, FunctionCallStart, ItemKind,
    MessageItem, Origin, ReasoningItem, ResponseDone, ResponseError, ResponseStatus, StreamEvent,
    ToolDetails, Usage, UsageUpdate,
};
use crate::ids::{CallId, ItemId, TurnId};

/// What a call that nobody runs gives.
const NOT_RUN: &str = "This provider does not run tools, so the call was not carried out.";
/// An answer beyond this is not a model's.
const ANSWER_LIMIT: usize = 64 * 1024 * 1024;
/// What an item costs beside its text.
const ITEM_COST: usize = 256;

/// Where something stands in an answer: which item of it, and which part of the item.
pub(in crate::dialect) type Place = (u64, u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dialect) enum TextKind {
    Message,
    Reasoning,
}

/// How a turn ends.
#[derive(Debug)]
pub(in crate::dialect) enum Ending {
    Completed(Finish),
    Cancelled,
    /// The API said why it could not answer.
    Failed(ErrorInfo),
    /// It breaks off.
    Broken(ErrorInfo),
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::dialect) enum Finish {
    /// As it should.
    Whole {
        /// The API's own word for it.
        reason: String,
    },
    /// Before the model had said all.
    CutShort {
        /// The API's own word for why.
        reason: String,
    },
    /// The model did not want to.
    Refused {
        /// Why, if it said so.
        explanation: Option<String>,
    },
}

#[derive(Debug)]
pub(in crate::dialect) struct Turn {
    writer: TurnWriter,
    provider_id: &'static str,
    parts: BTreeMap<Place, Part>,
    calls: BTreeSet<CallId>,
    usage: Option<Usage>,
    /// What is kept of the answer, in bytes.
    size: usize,
    is_shown: bool,
}

#[derive(Debug)]
enum Part {
    Text(OpenText),
    Call(OpenCall),
    Done,
}

#[derive(Debug)]
struct OpenText {
    kind: TextKind,
    /// Absent until there is something to show: an empty text is no item.
    item_id: Option<ItemId>,
    content: String,
}

#[derive(Debug)]
struct OpenCall {
    item_id: ItemId,
    name: String,
    call_id: CallId,
    arguments: String,
}

impl Turn {
    pub(super) const fn new(writer: TurnWriter, provider_id: &'static str) -> Self {
        Self {
            writer,
            provider_id,
            parts: BTreeMap::new(),
            calls: BTreeSet::new(),
            usage: None,
            size: 0,
            is_shown: false,
        }
    }

    pub(super) fn open(&mut self, step: &mut Step<'_>) {
        self.writer.open(step);
    }

    /// Whether anything of an answer was shown: then it cannot be asked for again.
    pub(super) const fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// The answer begins anew; nothing of it was shown.
    pub(super) fn restart(&mut self) {
        self.parts.clear();
        self.usage = None;
    }

    pub(super) const fn is_too_long(&self) -> bool {
        self.size > ANSWER_LIMIT
    }

    /// A note of the program around the model.
    pub(super) fn note(&mut self, note: String, step: &mut Step<'_>) {
        self.writer.message(note, Origin::System, step);
    }

    /// What the turn has cost so far.
    pub(in crate::dialect) fn count(&mut self, usage: Usage, step: &mut Step<'_>) {
        self.usage = Some(usage);
        self.writer.write(StreamEvent::UsageUpdate(UsageUpdate { usage }), step);
    }

    /// A text begins, or goes on.
    pub(in crate::dialect) fn grow_text(
        &mut self,
        place: Place,
        kind: TextKind,
        added: &str,
        step: &mut Step<'_>,
    ) {
        self.spend(place, added);
        let new = || Part::Text(OpenText { kind, item_id: None, content: String::new() });
        let Part::Text(text) = self.parts.entry(place).or_insert_with(new) else { return };
        if added.is_empty() {
            return;
        }
        self.is_shown = true;
        text.content.push_str(added);
        let item_id = text.item_id.get_or_insert_with(|| self.writer.start(kind.started(), None, step));
        self.writer.delta(item_id, added, step);
    }

    /// A text is there as a whole; if it was finished before, nothing is new.
    pub(in crate::dialect) fn settle_text(
        &mut self,
        place: Place,
        kind: TextKind,
        whole: &str,
        step: &mut Step<'_>,
    ) {
        self.spend(place, whole);
        match self.parts.insert(place, Part::Done) {
            Some(Part::Text(text)) => {
                let content = whole.to_owned();
                self.finish_text(OpenText { content, ..text }, step);
            }
            None => self.finish_text(OpenText { kind, item_id: None, content: whole.to_owned() }, step),
            Some(other) => drop(self.parts.insert(place, other)),
        }
    }

    /// A call begins; its arguments are to come.
    pub(in crate::dialect) fn begin_call(&mut self, place: Place, name: &str, id: &str, step: &mut Step<'_>) {
        self.spend(place, name);
        if self.parts.contains_key(&place) {
            return;
        }
        self.is_shown = true;
        let call_id = self.new_call_id(id);
        let (name, details) = (name.to_owned(), ToolDetails::default());
        let start =
            FunctionCallStart { name: name.clone(), call_id: call_id.clone(), details, detached: false };
        let item_id = self.writer.start(ItemKind::FunctionCall(start), None, step);
        let call = OpenCall { item_id, name, call_id, arguments: String::new() };
        self.parts.insert(place, Part::Call(call));
    }

    /// A call's arguments go on.
    pub(in crate::dialect) fn grow_call(&mut self, place: Place, added: &str, step: &mut Step<'_>) {
        self.spend(place, added);
        let Some(Part::Call(call)) = self.parts.get_mut(&place).filter(|_| !added.is_empty()) else { return };
        call.arguments.push_str(added);
        self.writer.delta(&call.item_id, added, step);
    }

    /// A call's arguments are there as a whole.
    pub(in crate::dialect) fn settle_call(&mut self, place: Place, arguments: &str, step: &mut Step<'_>) {
        self.spend(place, arguments);
        if let Some(Part::Call(call)) = self.parts.get_mut(&place) {
            arguments.clone_into(&mut call.arguments);
        }
        self.close(place, step);
    }

    /// Nothing more comes in this place.
    pub(in crate::dialect) fn close(&mut self, place: Place, step: &mut Step<'_>) {
        let Some(part) = self.parts.get_mut(&place) else { return };
        match std::mem::replace(part, Part::Done) {
            Part::Text(text) => self.finish_text(text, step),
            Part::Call(call) => self.finish_call(call, step),
            Part::Done => {}
        }
    }

    /// Ends the turn. Texts that are not finished stay as far as they came.
    pub(super) fn end(&mut self, ending: Ending, step: &mut Step<'_>) {
        match ending {
            Ending::Completed(finish) => self.complete(finish, step),
            Ending::Cancelled => {
                self.cancel_calls(step);
                self.respond(ResponseStatus::Cancelled, None, None, step);
            }
            Ending::Failed(error) => self.respond(ResponseStatus::Error, None, Some(error), step),
            Ending::Broken(error) => {
                self.writer.write(StreamEvent::ResponseError(ResponseError { error }), step);
            }
        }
    }

    fn complete(&mut self, finish: Finish, step: &mut Step<'_>) {
        for place in self.parts.keys().copied().collect::<Vec<_>>() {
            self.close(place, step);
        }
        if let Some(note) = finish.note() {
            self.note(note, step);
        }
        self.respond(ResponseStatus::Completed, Some(finish.reason()), None, step);
    }

    fn respond(
        &mut self,
        status: ResponseStatus,
        finish_reason: Option<String>,
        error: Option<ErrorInfo>,
        step: &mut Step<'_>,
    ) {
        let done = ResponseDone { status, finish_reason, error, usage: self.usage };
        self.writer.write(StreamEvent::ResponseDone(done), step);
    }

    fn cancel_calls(&mut self, step: &mut Step<'_>) {
        for part in self.parts.values() {
            if let Part::Call(call) = part {
                self.writer.cancel(&call.item_id, Some(CancelReason::UserCancel), step);
            }
        }
    }

    fn finish_text(&mut self, text: OpenText, step: &mut Step<'_>) {
        let OpenText { kind, item_id, content } = text;
        self.is_shown |= !content.is_empty();
        let item_id = match item_id {
            Some(item_id) => item_id,
            None if content.is_empty() => return,
            None => self.writer.next_item(step),
        };
        self.writer.done(&item_id, kind.finished(content, self.provider_id), step);
    }

    fn finish_call(&mut self, call: OpenCall, step: &mut Step<'_>) {
        let OpenCall { item_id, name, call_id, arguments } = call;
        let details = ToolDetails::default();
        let (arguments, raw_arguments) = read_arguments(arguments);
        let item = FunctionCallItem {
            name,
            call_id: call_id.clone(),
            arguments: Arc::new(arguments),
            raw_arguments,
            details: details.clone(),
        };
        self.writer.done(&item_id, FinalItem::FunctionCall(item), step);
        let output = FunctionCallOutputItem { call_id, output: NOT_RUN.to_owned(), is_error: true, details };
        let item_id = self.writer.next_item(step);
        self.writer.done(&item_id, FinalItem::FunctionCallOutput(output), step);
    }

    /// The API's own id, unless it has none or had it before.
    fn new_call_id(&mut self, id: &str) -> CallId {
        let mut call_id = CallId::from(id);
        if id.is_empty() || self.calls.contains(&call_id) {
            let turn: &TurnId = self.writer.turn_id();
            call_id = CallId::from(format!("{turn}/call-{}", self.calls.len() + 1));
        }
        self.calls.insert(call_id.clone());
        call_id
    }

    fn spend(&mut self, place: Place, text: &str) {
        let item = if self.parts.contains_key(&place) { 0 } else { ITEM_COST };
        self.size = self.size.saturating_add(item).saturating_add(text.len());
    }
}

impl TextKind {
    const fn started(self) -> ItemKind {
        match self {
            Self::Message => ItemKind::Message,
            Self::Reasoning => ItemKind::Reasoning,
        }
    }

    fn finished(self, content: String, provider_id: &str) -> FinalItem {
        match self {
            Self::Message => FinalItem::Message(MessageItem::new(content, Origin::Agent)),
            Self::Reasoning => {
                FinalItem::Reasoning(ReasoningItem { content, provider_id: provider_id.to_owned() })
            }
        }
    }
}

impl Finish {
    fn reason(self) -> String {
        match self {
            Self::Whole { reason } | Self::CutShort { reason } => reason,
            Self::Refused { .. } => REFUSAL.to_owned(),
        }
    }

    fn note(&self) -> Option<String> {
        match self {
            Self::Whole { .. } => None,
            Self::CutShort { reason } => {
                Some(format!("The answer is incomplete: {}.", reason.replace('_', " ")))
            }
            Self::Refused { explanation: None } => Some("The model refused to answer.".to_owned()),
            Self::Refused { explanation: Some(why) } => Some(format!("The model refused to answer: {why}")),
        }
    }
}

/// Arguments are an object; whatever is none, like free text, becomes the one field of one and is kept as it is.
fn read_arguments(text: String) -> (Map<String, Value>, Option<String>) {
    if text.trim().is_empty() {
        return (Map::new(), None);
    }
    match serde_json::from_str(&text) {
        Ok(arguments) => (arguments, None),
        Err(_) => (Map::from_iter([("input".to_owned(), text.clone().into())]), Some(text)),
    }
}
