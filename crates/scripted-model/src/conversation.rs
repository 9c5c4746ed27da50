//! What a script may look at in a request, whichever API it came by.

use crate::errand::Errand;

/// One request, reduced to what decides the answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Conversation {
    pub(crate) model: String,
    pub(crate) stream: bool,
    pub(crate) system: String,
    /// The newest text of the user, without what the agent wrapped around it.
    pub(crate) prompt: String,
    /// How often the assistant has spoken since that prompt.
    pub(crate) turn: usize,
    /// The tool results that came in since the assistant spoke last.
    pub(crate) results: Vec<ToolResult>,
    /// The same for a request and its retries, different for all others.
    pub(crate) identity: String,
    /// Set when the agent asks for itself and not for its user.
    pub(crate) errand: Option<Errand>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolResult {
    /// The name of the tool; empty when its call is not in the history.
    pub(crate) tool: String,
    pub(crate) text: String,
}
