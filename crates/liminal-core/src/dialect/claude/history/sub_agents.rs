//! Sub-agents: conversations that a tool call started. Owns which call a line of theirs belongs to, for each of the
//! ways in which versions of Claude Code have stored them.

use std::collections::{BTreeMap, HashMap};

use super::content::Call;
use super::line::Line;
use super::turn::{Entry, What, add};
use crate::ids::CallId;
use crate::time::Timestamp;

#[derive(Debug, Default)]
pub(super) struct SubAgents {
    lanes: BTreeMap<CallId, Lane>,
    /// The calls that start sub-agents, in the order of the file.
    delegations: Vec<Delegation>,
    /// The call of each line of a sub-agent in the main file.
    chain: HashMap<String, CallId>,
    by_agent: BTreeMap<String, CallId>,
}

/// What one sub-agent did.
#[derive(Debug, Default)]
struct Lane {
    entries: Vec<Entry>,
    is_prompted: bool,
}

#[derive(Debug)]
struct Delegation {
    call_id: CallId,
    prompt: String,
    is_taken: bool,
}

impl SubAgents {
    /// Looks whether a call starts a sub-agent.
    pub(super) fn observe_call(&mut self, call: &Call<'_>) {
        if !matches!(call.name, "Task" | "Agent") {
            return;
        }
        let prompt = call.input.and_then(|input| input.get("prompt")?.as_str()).unwrap_or_default();
        let call_id = CallId::from(call.id);
        self.delegations.push(Delegation { call_id, prompt: prompt.to_owned(), is_taken: false });
    }

    /// Takes the name of the sub-agent that a call had started.
    pub(super) fn observe_result(&mut self, line: &Line, call_id: &CallId) {
        let agent = line.value("toolUseResult").and_then(|result| result.get("agentId")?.as_str());
        if let Some(agent) = agent {
            self.by_agent.insert(agent.to_owned(), call_id.clone());
        }
    }

    /// The call that started a sub-agent.
    pub(super) fn call_of_agent(&self, agent: &str) -> Option<&CallId> {
        self.by_agent.get(agent)
    }

    /// The names of the sub-agents that results have told.
    pub(super) fn agents(&self) -> impl Iterator<Item = &str> {
        self.by_agent.keys().map(String::as_str)
    }

    /// The call that a sub-agent's line in the main file belongs to. Such a conversation begins with the prompt
    /// of its call; every later line names the one before it.
    pub(super) fn call_of_line(&mut self, line: &Line, text: &str) -> Option<CallId> {
        let known = line.text("parentUuid").and_then(|parent| self.chain.get(parent)).cloned();
        let call_id = known.or_else(|| self.take_delegation(text))?;
        if let Some(uuid) = line.text("uuid") {
            self.chain.insert(uuid.to_owned(), call_id.clone());
        }
        Some(call_id)
    }

    pub(super) fn add(&mut self, call_id: &CallId, at: Timestamp, what: What) {
        add(&mut self.lanes.entry(call_id.clone()).or_default().entries, Entry { at, what });
    }

    /// Whether this is the first prompt, which the arguments of the call show already.
    pub(super) fn is_first_prompt(&mut self, call_id: &CallId) -> bool {
        !std::mem::replace(&mut self.lanes.entry(call_id.clone()).or_default().is_prompted, true)
    }

    /// Whether the sub-agent of a call did nothing until then.
    pub(super) fn begins_after(&self, call_id: &CallId, at: Timestamp) -> bool {
        let first = self.lanes.get(call_id).and_then(|lane| lane.entries.first());
        first.is_some_and(|entry| entry.at.instant() > at.instant())
    }

    /// Takes out what the sub-agent of a call did.
    pub(super) fn take(&mut self, call_id: &CallId) -> Vec<Entry> {
        self.lanes.remove(call_id).unwrap_or_default().entries
    }

    /// How many entries nobody has taken.
    pub(super) fn left(&self) -> usize {
        self.lanes.values().map(|lane| lane.entries.len()).sum()
    }

    fn take_delegation(&mut self, text: &str) -> Option<CallId> {
        let same = |open: &Delegation| !open.is_taken && open.prompt.trim() == text.trim();
        let found = self.delegations.iter().rposition(same);
        let found = found.or_else(|| self.delegations.iter().rposition(|open| !open.is_taken))?;
        let delegation = self.delegations.get_mut(found)?;
        delegation.is_taken = true;
        Some(delegation.call_id.clone())
    }
}
