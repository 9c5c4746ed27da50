//! Permission requests of Claude Code. Owns the open requests, their options and what each answer becomes on the
//! wire. Nothing is allowed here without an answer that says so.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::suggestions::{self, Suggestion};
use super::tool_result::call_details;
use super::wire::{flag, list, object, text};
use crate::dialect::requested_input::{ShownInput, mcp_server, shown_input};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::{
    PermissionOption, PermissionOptionKind, PermissionOutcome, PermissionRequest, Question, QuestionOption,
    ToolArguments,
};
use crate::ids::{CallId, ItemId};
use crate::wire::rest::PermissionAnswer;

/// Allow this call.
pub const ALLOW_ONCE: &str = "allow_once";
/// Reject this call; the agent continues.
pub const DENY: &str = "deny";
/// Reject this call and end the turn.
pub const DENY_AND_STOP: &str = "deny_and_stop";

/// A request as it came.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) request_id: String,
    /// The sub-agent that asks.
    pub(super) agent_id: Option<String>,
    tool: Tool,
    /// What the tool will be given, complete.
    pub(super) input: ToolArguments,
    suggestions: Vec<Suggestion>,
    pub(super) shown: PermissionRequest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tool {
    Question,
    Plan,
    Other,
}

/// A request that is shown and waits.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) asked: Asked,
    pub(super) item_id: ItemId,
    /// The call whose sub-agent asks.
    pub(super) parent: Option<CallId>,
    /// When it is rejected automatically, if the user set a time-out.
    pub(super) until: Option<Duration>,
}

/// What an answer means.
#[derive(Debug)]
pub(super) struct Decision {
    /// For the agent.
    pub(super) response: Value,
    /// For people.
    pub(super) outcome: PermissionOutcome,
    /// Whether the turn is to stop.
    pub(super) stops: bool,
}

impl Asked {
    pub(super) fn read(request_id: &str, request: &Map<String, Value>) -> Self {
        let name = text(request, "tool_name").unwrap_or("unknown");
        let tool = match name {
            "AskUserQuestion" => Tool::Question,
            "ExitPlanMode" => Tool::Plan,
            _ => Tool::Other,
        };
        let input = Arc::new(object(request, "input").cloned().unwrap_or_default());
        let suggestions = match tool {
            Tool::Question => Vec::new(),
            Tool::Plan | Tool::Other => suggestions::read(list(request, "permission_suggestions")),
        };
        let ShownInput { input: shown, is_truncated } = shown_input(&input);
        let details = call_details(name, &input);
        let shown = PermissionRequest {
            call_id: CallId::from(text(request, "tool_use_id").unwrap_or(request_id)),
            tool_name: name.to_owned(),
            server: mcp_server(name),
            kind: details.kind,
            input: shown,
            input_truncated: is_truncated,
            announced_input: None,
            announced_tool_name: None,
            title: title(tool, name, request, details.title),
            // Changes are as long as the input that asks for them.
            diffs: if is_truncated { Vec::new() } else { details.diffs },
            options: options(tool, &suggestions),
            questions: questions(tool, &input),
            accepts_reason: true,
            deadline: None,
        };
        let agent_id = text(request, "agent_id").map(str::to_owned);
        Self { request_id: request_id.to_owned(), agent_id, tool, input, suggestions, shown }
    }

    /// What an answer means; one that does not say what it must is refused.
    pub(super) fn decide(&self, answer: &PermissionAnswer) -> Result<Decision, ErrorInfo> {
        let chosen = match &answer.option_id {
            Some(option_id) => option_id.as_str(),
            None if self.tool == Tool::Question && !answer.answers.is_empty() => ALLOW_ONCE,
            None => return Err(refused("choose one of the options")),
        };
        let Some(option) = self.shown.options.iter().find(|option| option.option_id == chosen) else {
            return Err(refused(format!("`{chosen}` is none of the options")));
        };
        let reason = reason(answer);
        if reason.is_some() && !option.kind.is_rejection() {
            return Err(refused("a reason goes with a rejection only"));
        }
        let response = match chosen {
            DENY => deny(self.denial(reason), false),
            DENY_AND_STOP => deny(self.denial(reason), true),
            _ => self.allow(answer, chosen)?,
        };
        let outcome = PermissionOutcome::answered(chosen, answer.answers.clone(), reason.map(str::to_owned));
        Ok(Decision { response, outcome, stops: chosen == DENY_AND_STOP })
    }

    fn allow(&self, answer: &PermissionAnswer, chosen: &str) -> Result<Value, ErrorInfo> {
        let mut input = Map::clone(&self.input);
        if self.tool == Tool::Question {
            input.insert("answers".to_owned(), json!(self.all_answers(answer)?));
        }
        let mut response = json!({ "behavior": "allow", "updatedInput": input });
        let granted = self.suggestions.iter().find(|suggestion| suggestion.option_id == chosen);
        if let (Some(granted), Value::Object(fields)) = (granted, &mut response) {
            fields.insert("updatedPermissions".to_owned(), json!([granted.update]));
        }
        Ok(response)
    }

    fn all_answers<'a>(
        &self,
        answer: &'a PermissionAnswer,
    ) -> Result<&'a BTreeMap<String, String>, ErrorInfo> {
        let mut questions = self.shown.questions.iter();
        match questions.find(|question| !answer.answers.contains_key(&question.question)) {
            Some(open) => Err(refused(format!("answer the question `{}`", open.question))),
            None => Ok(&answer.answers),
        }
    }

    fn denial<'a>(&self, reason: Option<&'a str>) -> &'a str {
        match (reason, self.tool) {
            (Some(reason), _) => reason,
            (None, Tool::Question) => "The user did not want to answer.",
            (None, Tool::Plan) => "The user wants to keep planning.",
            (None, Tool::Other) => "The user rejected this.",
        }
    }
}

/// The response to a request that nobody answered.
pub(super) fn unanswered() -> Value {
    deny("The user did not answer.", false)
}

fn reason(answer: &PermissionAnswer) -> Option<&str> {
    answer.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty())
}

fn deny(message: &str, stops: bool) -> Value {
    if stops {
        return json!({ "behavior": "deny", "message": message, "interrupt": true });
    }
    json!({ "behavior": "deny", "message": message })
}

fn refused(message: impl Into<String>) -> ErrorInfo {
    ErrorInfo::new(ErrorCode::InvalidRequest, message)
}

fn title(tool: Tool, name: &str, request: &Map<String, Value>, call: Option<String>) -> String {
    match tool {
        Tool::Question => return "Claude has a question".to_owned(),
        Tool::Plan => return "Claude has a plan".to_owned(),
        Tool::Other => {}
    }
    let name = text(request, "display_name").unwrap_or(name);
    match call {
        Some(call) => format!("{name}: {call}"),
        None => name.to_owned(),
    }
}

fn options(tool: Tool, suggestions: &[Suggestion]) -> Vec<PermissionOption> {
    let [allow, deny, stop] = match tool {
        Tool::Question => ["Answer", "Skip", "Skip and stop"],
        Tool::Plan => ["Approve the plan", "Keep planning", "Stop"],
        Tool::Other => ["Allow once", "Reject", "Reject and stop"],
    };
    let mut options = vec![option(ALLOW_ONCE, allow, PermissionOptionKind::AllowOnce)];
    options.extend(suggestions.iter().map(|suggestion| {
        let name = match tool {
            Tool::Plan => format!("Approve the plan. {}", suggestion.name),
            Tool::Question | Tool::Other => suggestion.name.clone(),
        };
        option(&suggestion.option_id, &name, PermissionOptionKind::AllowAlways)
    }));
    options.push(option(DENY, deny, PermissionOptionKind::RejectOnce));
    options.push(option(DENY_AND_STOP, stop, PermissionOptionKind::RejectOnce));
    options
}

fn option(id: &str, name: &str, kind: PermissionOptionKind) -> PermissionOption {
    PermissionOption { option_id: id.to_owned(), name: name.to_owned(), kind }
}

fn questions(tool: Tool, input: &Map<String, Value>) -> Vec<Question> {
    match tool {
        Tool::Question => {
            list(input, "questions").iter().filter_map(Value::as_object).filter_map(question).collect()
        }
        Tool::Plan | Tool::Other => Vec::new(),
    }
}

fn question(asked: &Map<String, Value>) -> Option<Question> {
    let options = list(asked, "options").iter().filter_map(Value::as_object);
    Some(Question {
        question: text(asked, "question")?.to_owned(),
        header: text(asked, "header").map(str::to_owned),
        multi_select: flag(asked, "multiSelect"),
        options: options.filter_map(suggested_answer).collect(),
        answer_type: None,
        is_optional: false,
    })
}

fn suggested_answer(option: &Map<String, Value>) -> Option<QuestionOption> {
    let description = text(option, "description").map(str::to_owned);
    Some(QuestionOption { label: text(option, "label")?.to_owned(), description })
}
