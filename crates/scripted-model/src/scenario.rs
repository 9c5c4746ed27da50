//! A scenario: rules that match a request and give its reply.
//!
//! It owns matching and the error for a bad file; `file` owns how a reply is written in it. Neither
//! counts requests nor knows an API.

mod file;

use serde::Deserialize;

use crate::answer::Reply;
use crate::conversation::Conversation;

/// A scenario file that was read and found to be valid.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Scenario {
    rules: Vec<Rule>,
    #[serde(default)]
    otherwise: Otherwise,
}

/// Why a scenario file was refused.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The text is not JSON, or not a scenario.
    #[error("the scenario is wrong at {place}: {problem}")]
    Invalid {
        /// The path to the wrong value, for example `rules[2].answer.steps[0]`.
        place: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl Scenario {
    /// Reads the JSON text of a scenario file. Unknown fields are errors.
    pub fn from_json(text: &str) -> Result<Self, ScenarioError> {
        let mut json = serde_json::Deserializer::from_str(text);
        let scenario = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            ScenarioError::Invalid { place: error.path().to_string(), problem: error.inner().to_string() }
        })?;
        json.end().map_err(|error| ScenarioError::Invalid {
            place: "the end of the file".into(),
            problem: error.to_string(),
        })?;
        Ok(scenario)
    }

    pub(crate) fn rules(&self) -> &[Rule] {
        &self.rules
    }

    pub(crate) fn otherwise(&self) -> Otherwise {
        self.otherwise
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rule {
    condition: Condition,
    /// After so many replies the rule is used up. Without a number it never is.
    times: Option<u64>,
    reply: Reply,
}

impl Rule {
    /// Whether the rule replies to `conversation`, the server's `request`-th, after `used` earlier replies.
    pub(crate) fn applies(&self, conversation: &Conversation, request: u64, used: u64) -> bool {
        self.times.is_none_or(|times| used < times) && self.condition.holds(conversation, request)
    }

    pub(crate) fn reply(&self) -> &Reply {
        &self.reply
    }
}

/// What happens to a request that no rule applies to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Otherwise {
    /// It is refused, so that a hole in a scenario is seen.
    #[default]
    Error,
    /// Its prompt is searched for directives.
    Keywords,
}

/// All given parts must hold; a condition without parts always holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Condition {
    prompt_contains: Option<String>,
    system_contains: Option<String>,
    model_contains: Option<String>,
    tool_result: Option<String>,
    turn: Option<usize>,
    request: Option<u64>,
    stream: Option<bool>,
    /// Whether the rule is for errands. They come at any time, so they must not use up other rules.
    #[serde(default)]
    errand: bool,
}

impl Condition {
    fn holds(&self, conversation: &Conversation, request: u64) -> bool {
        let contains =
            |part: &Option<String>, whole: &str| part.as_ref().is_none_or(|part| whole.contains(part));
        self.errand == conversation.errand.is_some()
            && contains(&self.prompt_contains, &conversation.prompt)
            && contains(&self.system_contains, &conversation.system)
            && contains(&self.model_contains, &conversation.model)
            && self.tool_result.as_ref().is_none_or(|tool| has_result_of(conversation, tool))
            && self.turn.is_none_or(|turn| turn == conversation.turn)
            && self.request.is_none_or(|number| number == request)
            && self.stream.is_none_or(|stream| stream == conversation.stream)
    }
}

fn has_result_of(conversation: &Conversation, tool: &str) -> bool {
    conversation.results.iter().any(|result| result.tool == tool)
}

#[cfg(test)]
mod tests;
