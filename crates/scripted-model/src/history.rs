//! The history that agents repeat in every request, and what a script wants to know of it.
//!
//! The API modules reduce their messages to entries; what the entries mean is decided here, for all alike.

use crate::conversation::ToolResult;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// What the user says, without what the agent wrapped around it.
    Prompt(String),
    /// A message in the name of the user, in which only the agent speaks.
    Note,
    /// The model says or thinks something.
    Speech,
    /// The model calls a tool.
    Call { id: String, tool: String },
    /// What came of a call. The tool is named only by APIs that repeat it here.
    Result { call: String, tool: Option<String>, text: String },
}

#[derive(Debug, Default)]
pub(crate) struct History {
    entries: Vec<Entry>,
}

impl History {
    /// How many entries came before the answer that is asked for. A broken stream may have left some of
    /// that answer at the end; a retry must look the same with them.
    pub(crate) fn length(&self) -> usize {
        let left_over = self.entries.iter().rev().take_while(|entry| entry.is_spoken()).count();
        self.entries.len() - left_over
    }

    /// The newest prompt; empty when there is none.
    pub(crate) fn prompt(&self) -> &str {
        self.newest_prompt().map_or("", |(_, prompt)| prompt)
    }

    /// How often the model has spoken since the prompt. Entries in a row are one turn. Those at the very end
    /// are none: a stream broke there, and the agent asks for the rest.
    pub(crate) fn turn(&self) -> usize {
        let after = self.newest_prompt().map_or(0, |(index, _)| index + 1);
        let entries: Vec<&Entry> = self.entries.iter().skip(after).collect();
        let ends_turn = |pair: &&[&Entry]| matches!(pair, [one, two] if one.is_spoken() && !two.is_spoken());
        entries.windows(2).filter(ends_turn).count()
    }

    /// The results since the model spoke last, in the order of the calls: agents send them as they come in,
    /// which differs from run to run.
    pub(crate) fn results(&self) -> Vec<ToolResult> {
        let newest = self.entries.iter().rev().take_while(|entry| !entry.is_spoken());
        let mut results: Vec<_> = newest.filter_map(|entry| self.tool_result(entry)).collect();
        results.reverse();
        results.sort_by_key(|(call, _)| *call);
        results.into_iter().map(|(_, result)| result).collect()
    }

    fn newest_prompt(&self) -> Option<(usize, &str)> {
        self.entries.iter().enumerate().rev().find_map(|(index, entry)| match entry {
            Entry::Prompt(prompt) => Some((index, prompt.as_str())),
            Entry::Note | Entry::Speech | Entry::Call { .. } | Entry::Result { .. } => None,
        })
    }

    /// A result and the number of its call in the history, if it is there.
    fn tool_result(&self, entry: &Entry) -> Option<(Option<usize>, ToolResult)> {
        let Entry::Result { call, tool, text } = entry else { return None };
        let found = self.calls().enumerate().find(|(_, (id, _))| id == call);
        let tool = tool.as_deref().or(found.map(|(_, (_, tool))| tool)).unwrap_or_default();
        let number = found.map(|(number, _)| number);
        Some((number, ToolResult { tool: tool.to_owned(), text: text.clone() }))
    }

    /// The identifier and the tool of every call.
    fn calls(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Call { id, tool } => Some((id.as_str(), tool.as_str())),
            Entry::Prompt(_) | Entry::Note | Entry::Speech | Entry::Result { .. } => None,
        })
    }
}

impl FromIterator<Entry> for History {
    fn from_iter<I: IntoIterator<Item = Entry>>(entries: I) -> Self {
        Self { entries: entries.into_iter().collect() }
    }
}

impl Entry {
    /// What the user's role says: a prompt, or a note when no words are left of it.
    pub(crate) fn said(prompt: Option<String>) -> Self {
        prompt.map_or(Self::Note, Self::Prompt)
    }

    fn is_spoken(&self) -> bool {
        match self {
            Self::Speech | Self::Call { .. } => true,
            Self::Prompt(_) | Self::Note | Self::Result { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests;
