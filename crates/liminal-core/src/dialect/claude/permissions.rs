//! What Claude Code asks before it acts. Owns the open requests, the options they have and what each answer
//! becomes on the wire. Nothing is allowed here without an answer that says so.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::tool_result::call_details;
use super::wire::{flag, list, object, text};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::{
    PermissionOption, PermissionOptionKind, PermissionOutcome, PermissionRequest, Question, QuestionOption,
};
use crate::ids::{CallId, ItemId};
use crate::wire::rest::PermissionAnswer;

/// Allow this call.
pub const ALLOW_ONCE: &str = "allow_once";
/// Allow this call and those like it until the session ends.
pub const ALLOW_SESSION: &str = "allow_session";
/// Deny this call; the agent goes on.
pub const DENY: &str = "deny";
/// Deny this call and end the turn.
pub const DENY_AND_STOP: &str = "deny_and_stop";

const FEEDBACK: &str = "What should change in the plan?";

/// A request as it came.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) request_id: String,
    /// The sub-agent that asks.
    pub(super) agent_id: Option<String>,
    tool: Tool,
    input: Map<String, Value>,
    suggestions: Vec<Value>,
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
    pub(super) until: Duration,
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
        let input = object(request, "input").cloned().unwrap_or_default();
        let suggestions = list(request, "permission_suggestions").to_vec();
        let shown = PermissionRequest {
            call_id: CallId::from(text(request, "tool_use_id").unwrap_or(request_id)),
            title: title(tool, name, request, &input),
            options: options(tool, !suggestions.is_empty()),
            questions: questions(tool, &input),
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
        let response = match option.option_id.as_str() {
            DENY => deny(&self.denial(answer), false),
            DENY_AND_STOP => deny(&self.denial(answer), true),
            ALLOW_SESSION => self.allow(answer, Some(self.session_rules()))?,
            _ => self.allow(answer, None)?,
        };
        let outcome =
            PermissionOutcome { option_id: Some(chosen.to_owned()), answers: answer.answers.clone() };
        Ok(Decision { response, outcome, stops: chosen == DENY_AND_STOP })
    }

    fn allow(&self, answer: &PermissionAnswer, rules: Option<Vec<Value>>) -> Result<Value, ErrorInfo> {
        let mut input = self.input.clone();
        if self.tool == Tool::Question {
            input.insert("answers".to_owned(), json!(self.all_answers(answer)?));
        }
        let mut response = json!({ "behavior": "allow", "updatedInput": input });
        if let (Some(rules), Value::Object(fields)) = (rules, &mut response) {
            fields.insert("updatedPermissions".to_owned(), Value::Array(rules));
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

    /// The agent's suggestions, valid for this session only: rules for longer are the user's to write.
    fn session_rules(&self) -> Vec<Value> {
        let mut rules = self.suggestions.clone();
        for rule in rules.iter_mut().filter_map(Value::as_object_mut) {
            rule.insert("destination".to_owned(), Value::from("session"));
        }
        rules
    }

    fn denial(&self, answer: &PermissionAnswer) -> String {
        let words: Vec<&str> = answer.answers.values().map(String::as_str).collect();
        match (words.is_empty(), self.tool) {
            (false, _) => words.join("\n"),
            (true, Tool::Question) => "The user did not want to answer.".to_owned(),
            (true, Tool::Plan) => "The user wants to keep planning.".to_owned(),
            (true, Tool::Other) => "The user denied this.".to_owned(),
        }
    }
}

/// The answer when nobody gave one.
pub(super) fn lapsed() -> Value {
    deny("Nobody answered in time.", false)
}

/// What became of a request that the agent took back.
pub(super) const fn withdrawn() -> PermissionOutcome {
    PermissionOutcome { option_id: None, answers: BTreeMap::new() }
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

fn title(tool: Tool, name: &str, request: &Map<String, Value>, input: &Map<String, Value>) -> String {
    match tool {
        Tool::Question => return "The agent asks".to_owned(),
        Tool::Plan => return "The agent has made a plan".to_owned(),
        Tool::Other => {}
    }
    let name = text(request, "display_name").unwrap_or(name);
    match call_details(text(request, "tool_name").unwrap_or(name), input).title {
        Some(title) => format!("{name}: {title}"),
        None => name.to_owned(),
    }
}

fn options(tool: Tool, has_suggestions: bool) -> Vec<PermissionOption> {
    let [allow, session, deny, stop] = match tool {
        Tool::Question => ["Answer", "", "Do not answer", "Do not answer, and stop"],
        Tool::Plan => ["Approve the plan", "Approve, and allow for this session", "Keep planning", "Stop"],
        Tool::Other => ["Allow once", "Allow for this session", "Deny", "Deny and stop"],
    };
    let mut options = vec![option(ALLOW_ONCE, allow, PermissionOptionKind::AllowOnce)];
    if has_suggestions && tool != Tool::Question {
        options.push(option(ALLOW_SESSION, session, PermissionOptionKind::AllowAlways));
    }
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
        // Without suggestions it is answered in words, and only by those who deny.
        Tool::Plan => vec![Question {
            question: FEEDBACK.to_owned(),
            header: None,
            multi_select: false,
            options: Vec::new(),
        }],
        Tool::Other => Vec::new(),
    }
}

fn question(asked: &Map<String, Value>) -> Option<Question> {
    let options = list(asked, "options").iter().filter_map(Value::as_object);
    Some(Question {
        question: text(asked, "question")?.to_owned(),
        header: text(asked, "header").map(str::to_owned),
        multi_select: flag(asked, "multiSelect"),
        options: options.filter_map(suggested_answer).collect(),
    })
}

fn suggested_answer(option: &Map<String, Value>) -> Option<QuestionOption> {
    let description = text(option, "description").map(str::to_owned);
    Some(QuestionOption { label: text(option, "label")?.to_owned(), description })
}
