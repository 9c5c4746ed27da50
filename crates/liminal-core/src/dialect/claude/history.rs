//! A session file as history. Owns what the lines of any version of Claude Code mean when they are read back;
//! files, and which of them belong to a session, are the caller's business.
//!
//! ```
//! use liminal_core::dialect::claude::history::HistoryReader;
//!
//! let mut reader = HistoryReader::new("claude-code:1".into());
//! reader.push_line(br#"{"type":"user","uuid":"u1","message":{"content":"Hello"}}"#);
//! reader.push_line(br#"{"type":"assistant","uuid":"a1","message":{"content":[{"type":"text","text":"Hi"}]}}"#);
//! let history = reader.finish();
//! assert_eq!(history.title.as_deref(), Some("Hello"));
//! assert_eq!(history.events.len(), 4); // start, prompt, answer, end
//! ```

mod answers;
mod background;
mod calls;
mod content;
mod line;
mod notification;
mod outline;
mod program;
mod runs;
mod skipped;
mod sub_agents;
mod title;
mod turn;
mod user_text;
mod writer;

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

pub use outline::Outline;
pub(crate) use writer::INTERRUPTED;

use crate::envelope::StreamEventEnvelope;
use crate::ids::{CallId, SessionId, TurnId};
use crate::time::Timestamp;
use calls::{Calls, Place};
use line::Line;
use runs::Runs;
use skipped::Skipped;
use sub_agents::SubAgents;
use title::Titles;
use turn::{Ending, Turn, What};
use writer::Writer;

/// Everything a session file tells.
#[derive(Debug)]
pub struct History {
    /// Whole turns, in the order of their prompts; every item in them has an end.
    pub events: Vec<StreamEventEnvelope>,
    /// What the session is called.
    pub title: Option<String>,
    /// The model that answered last.
    pub model: Option<String>,
    /// The directory that the session began in.
    pub cwd: Option<String>,
    /// When the newest line was written.
    pub last_activity: Option<Timestamp>,
    /// The program's own id of the last answer.
    pub last_answer: Option<String>,
    /// Lines and blocks without a known meaning, counted by type.
    pub skipped: BTreeMap<String, u64>,
}

/// Reads a session file, line by line.
#[derive(Debug)]
pub struct HistoryReader {
    session_id: SessionId,
    turns: Vec<Turn>,
    turn_ids: HashSet<String>,
    calls: Calls,
    sub_agents: SubAgents,
    runs: Runs,
    /// The turn that begins if the agent answers what it was told of its work in the background.
    unanswered: Option<Turn>,
    titles: Titles,
    /// Every line's id: copies of a line, as forks and resumes leave them behind, count once.
    seen: HashSet<String>,
    skipped: Skipped,
    /// The time of the last line that told it.
    clock: Option<Timestamp>,
    last_activity: Option<Timestamp>,
    last_answer: Option<String>,
    line_number: u64,
    model: Option<String>,
    cwd: Option<String>,
    /// Whether the last line was the mark of a compaction; its summary follows.
    is_compacted: bool,
}

/// Lines of the program's own bookkeeping, or of context for the model.
const HIDDEN: [&str; 19] = [
    "agent-name",
    "agent-setting",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "atis-latch",
    "cost-state",
    "file-history-delta",
    "file-history-snapshot",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "relocated",
    "tag",
    "tools-used",
    "turn_end",
    "worktree-state",
];
impl HistoryReader {
    /// A reader of one session's files.
    #[must_use]
    pub fn new(session_id: SessionId) -> Self {
        Self {
            session_id,
            turns: Vec::new(),
            turn_ids: HashSet::new(),
            calls: Calls::default(),
            sub_agents: SubAgents::default(),
            runs: Runs::default(),
            unanswered: None,
            titles: Titles::default(),
            seen: HashSet::new(),
            skipped: Skipped::default(),
            clock: None,
            last_activity: None,
            last_answer: None,
            line_number: 0,
            model: None,
            cwd: None,
            is_compacted: false,
        }
    }

    /// Takes the next line of the session file.
    pub fn push_line(&mut self, bytes: &[u8]) {
        self.line_number += 1;
        let Some(line) = self.read(bytes) else { return };
        if line.flag("isSidechain") {
            return self.inline_sub_agent(&line);
        }
        if self.cwd.is_none() {
            self.cwd = line.text("cwd").map(str::to_owned);
        }
        if self.titles.observe(&line) {
            return;
        }
        match line.kind() {
            "user" => self.user(&line),
            "assistant" => {
                self.last_answer = line.text("uuid").map(str::to_owned).or(self.last_answer.take());
                self.assistant(&line);
            }
            "system" => self.system(&line),
            "attachment" => self.attachment(&line),
            kind if HIDDEN.contains(&kind) => return,
            kind => self.skipped.count(kind),
        }
        self.is_compacted = line.text("subtype") == Some("compact_boundary");
    }

    /// Takes the next line of the file of the sub-agent that a call has started. All lines of the session file
    /// come before.
    pub fn push_subagent_line(&mut self, tool_use_id: &str, bytes: &[u8]) {
        self.line_number += 1;
        if let Some(line) = self.read(bytes) {
            self.sub_agent_line(&CallId::from(tool_use_id), &line);
        }
    }

    /// Takes what is kept beside the file of a sub-agent. Gives the call that has started it, if that is known.
    pub fn push_subagent_meta(&mut self, agent_id: &str, bytes: &[u8]) -> Option<String> {
        let meta: Option<Value> = serde_json::from_slice(bytes).ok();
        let field = |name: &str| meta.as_ref().and_then(|meta| meta.get(name));
        if field("stoppedByUser").and_then(Value::as_bool).unwrap_or_default() {
            self.runs.stop(agent_id);
        }
        let call = field("toolUseId").and_then(Value::as_str);
        call.or_else(|| self.call_of_agent(agent_id)).map(str::to_owned)
    }

    /// The files that commands in the background have written to, by the ids of their tasks.
    pub fn output_files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.runs.output_files()
    }

    /// Takes what the command of a task has written.
    pub fn push_output(&mut self, task: &str, text: &str) {
        self.runs.written(task, text);
    }

    /// Counts a line that the caller could not read.
    pub fn skip_line(&mut self, name: &str) {
        self.line_number += 1;
        self.skipped.count(name);
    }

    /// The call that has started a sub-agent, if a result has told so.
    #[must_use]
    pub fn call_of_agent(&self, agent_id: &str) -> Option<&str> {
        self.sub_agents.call_of_agent(agent_id).map(CallId::as_str)
    }

    /// The ids of the sub-agents that results have told of.
    pub fn agents(&self) -> impl Iterator<Item = &str> {
        self.sub_agents.agents()
    }

    /// The history, once all lines are read.
    #[must_use]
    pub fn finish(mut self) -> History {
        let mut writer = Writer::new(&self.session_id, &self.calls, &self.runs, &mut self.sub_agents);
        let count = self.turns.len();
        for (index, turn) in self.turns.into_iter().enumerate() {
            writer.turn(turn, index + 1 == count);
        }
        let events = writer.finish();
        for _ in 0..self.sub_agents.left() {
            self.skipped.count("sub-agent without call");
        }
        History {
            events,
            title: self.titles.best(|uuid| self.seen.contains(uuid)),
            model: self.model,
            cwd: self.cwd,
            last_activity: self.last_activity,
            last_answer: self.last_answer,
            skipped: self.skipped.into_counts(),
        }
    }

    /// Reads a line that is no copy of an earlier one.
    fn read(&mut self, bytes: &[u8]) -> Option<Line> {
        if bytes.trim_ascii().is_empty() || Line::is_request(bytes) {
            return None;
        }
        let Some(line) = Line::read(bytes) else {
            self.skipped.count("malformed");
            return None;
        };
        let uuid = line.text("uuid").filter(|uuid| !uuid.is_empty());
        if uuid.is_some_and(|uuid| !self.seen.insert(uuid.to_owned())) {
            self.skipped.count("duplicate");
            return None;
        }
        self.clock = line.timestamp().or(self.clock);
        if self.clock.map(Timestamp::instant) > self.last_activity.map(Timestamp::instant) {
            self.last_activity = self.clock;
        }
        Some(line)
    }

    fn add(&mut self, line: &Line, what: What) {
        let turn = self.open_turn(line);
        self.put(&Place::Turn(turn), what);
    }

    fn put(&mut self, place: &Place, what: What) {
        let now = self.now();
        match place {
            Place::Turn(index) => {
                if let Some(turn) = self.turns.get_mut(*index) {
                    turn.add(now, what);
                }
            }
            Place::SubAgent(call_id) => self.sub_agents.add(call_id, now, what),
        }
    }

    /// The turn that is under way; what comes after the end of one belongs to a turn that nobody asked for.
    fn open_turn(&mut self, line: &Line) -> usize {
        self.begin_answer();
        if !self.turns.last().is_some_and(Turn::is_open) {
            self.begin(line);
        }
        self.turns.len().saturating_sub(1)
    }

    fn begin(&mut self, line: &Line) {
        self.unanswered = None;
        let turn = Turn::new(self.turn_id(line), self.now());
        self.turns.push(turn);
    }

    fn turn_id(&mut self, line: &Line) -> TurnId {
        let uuid = line.text("uuid").filter(|uuid| !uuid.is_empty());
        self.unused_turn_id(uuid.map_or_else(|| format!("line-{}", self.line_number), str::to_owned))
    }

    fn unused_turn_id(&mut self, mut id: String) -> TurnId {
        while !self.turn_ids.insert(id.clone()) {
            id.push('+');
        }
        TurnId::from(id)
    }

    fn end(&mut self, ending: Ending) {
        let now = self.now();
        if let Some(turn) = self.turns.last_mut() {
            turn.end(now, ending);
        }
    }

    /// A line without a time was written when the one before it was.
    fn now(&self) -> Timestamp {
        self.clock.unwrap_or_else(|| jiff::Timestamp::UNIX_EPOCH.into())
    }
}
