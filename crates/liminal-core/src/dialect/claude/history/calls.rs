//! The tool calls of a session. Owns where each call stands, so that its result finds it wherever it comes.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::super::task_list::{self, TaskList};
use super::super::tool_result;
use super::content::{Call, CallResult};
use super::turn::What;
use crate::event::{FunctionCallItem, FunctionCallOutputItem};
use crate::ids::CallId;

/// Whose list of entries something belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// The turn with this index.
    Turn(usize),
    /// The sub-agent that this call started.
    SubAgent(CallId),
}

/// What becomes of a result.
#[derive(Debug)]
pub(super) enum Matched {
    /// It belongs here.
    Here(Place),
    /// Its call shows as something that needs no result.
    Hidden,
    /// Its call has a result.
    Again,
    /// Nobody called.
    Unknown,
}

#[derive(Debug, Default)]
pub(super) struct Calls {
    known: HashMap<CallId, Known>,
    task_list: TaskList,
}

#[derive(Debug)]
struct Known {
    place: Place,
    is_answered: bool,
    is_hidden: bool,
}

impl Calls {
    /// Takes a call; `None` if it is known.
    pub(super) fn call(&mut self, call: &Call<'_>, place: Place) -> Option<What> {
        let call_id = CallId::from(call.id);
        if self.known.contains_key(&call_id) {
            return None;
        }
        if let Some(input) = call.input {
            self.task_list.call(&call_id, call.name, input);
        }
        let plan = call.input.and_then(|input| task_list::whole(call.name, input));
        self.known.insert(call_id.clone(), Known { place, is_answered: false, is_hidden: plan.is_some() });
        Some(plan.map_or_else(
            || What::Call(item(call.name, call.input.cloned().unwrap_or_default(), call_id)),
            What::Plan,
        ))
    }

    /// Takes a result.
    pub(super) fn answer(&mut self, call_id: &CallId) -> Matched {
        let Some(known) = self.known.get_mut(call_id) else { return Matched::Unknown };
        if std::mem::replace(&mut known.is_answered, true) {
            return Matched::Again;
        }
        if known.is_hidden { Matched::Hidden } else { Matched::Here(known.place.clone()) }
    }

    /// The task list, if a result changed it.
    pub(super) fn plan(&mut self, result: &CallResult<'_>, tool_use_result: Option<&Value>) -> Option<What> {
        let call_id = CallId::from(result.id);
        self.task_list.result(&call_id, result.is_error, tool_use_result).map(What::Plan)
    }

    /// Remembers a result without a call, so that it counts once.
    pub(super) fn answer_unknown(&mut self, call_id: &CallId, place: Place) {
        self.known.insert(call_id.clone(), Known { place, is_answered: true, is_hidden: false });
    }

    /// Remembers a call that no line has; tells whether it is new.
    pub(super) fn begin_unseen(&mut self, call_id: &CallId) -> bool {
        let known = Known { place: Place::SubAgent(call_id.clone()), is_answered: true, is_hidden: false };
        let is_new = !self.known.contains_key(call_id);
        self.known.entry(call_id.clone()).or_insert(known);
        is_new
    }

    /// Whether a call has its result.
    pub(super) fn is_answered(&self, call_id: &CallId) -> bool {
        self.known.get(call_id).is_some_and(|known| known.is_answered)
    }
}

/// A result as it shows.
pub(super) fn output(
    result: &CallResult<'_>,
    call_id: CallId,
    text: String,
    tool_use_result: Option<&Value>,
) -> What {
    What::Output(FunctionCallOutputItem {
        call_id,
        output: text,
        is_error: result.is_error,
        details: tool_result::result_details(tool_use_result),
    })
}

pub(super) fn item(name: &str, arguments: Map<String, Value>, call_id: CallId) -> FunctionCallItem {
    let details = tool_result::call_details(name, &arguments);
    FunctionCallItem {
        name: name.to_owned(),
        call_id,
        arguments: Arc::new(arguments),
        raw_arguments: None,
        details,
    }
}
