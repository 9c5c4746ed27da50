//! Lines of agents: answers, tool calls and their results, in the main conversation and in those of sub-agents.

use serde_json::Value;

use super::super::{launch, tool_result};
use super::HistoryReader;
use super::calls::{self, Matched, Place};
use super::content::{Block, CallResult, blocks, texts};
use super::line::Line;
use super::turn::{Ending, What};
use super::user_text::{UserText, classify};
use crate::dialect::login;
use crate::error::ErrorCode;
use crate::event::{Attachment, Origin};
use crate::ids::CallId;

const NO_RESPONSE: &str = "No response requested.";

impl HistoryReader {
    pub(super) fn assistant(&mut self, line: &Line) {
        let blocks = blocks(line.content());
        if blocks.is_empty() {
            return;
        }
        let text = || texts(&blocks).join("\n");
        if line.flag("isApiErrorMessage") || (line.is_synthetic() && text().starts_with("API Error")) {
            return self.fail(line, text());
        }
        if line.is_synthetic() {
            return self.synthetic(line, text());
        }
        let turn = self.open_turn(line);
        for block in &blocks {
            self.block(line, block, &Place::Turn(turn));
        }
        if let Some(turn) = self.turns.last_mut() {
            turn.account(line);
        }
        self.model = line.model().map(str::to_owned).or_else(|| self.model.take());
    }

    /// Takes what the program wrote in the model's place. After a restart it closes an unanswered prompt so; older
    /// versions closed local commands the same way.
    fn synthetic(&mut self, line: &Line, text: String) {
        if text.trim() != NO_RESPONSE {
            return self.note(line, text);
        }
        if self.turns.last().is_some_and(|turn| turn.asked && !turn.answered) {
            self.end(Ending::Abandoned);
        }
    }

    fn fail(&mut self, line: &Line, message: String) {
        self.open_turn(line);
        let code = line.text("error").unwrap_or(ErrorCode::ResponseError.as_str());
        self.end(Ending::Failed(login::failure(code, message)));
    }

    /// Older versions kept the lines of sub-agents in the main file.
    pub(super) fn inline_sub_agent(&mut self, line: &Line) {
        if !matches!(line.kind(), "user" | "assistant") {
            return;
        }
        let text = texts(&blocks(line.content())).join("\n");
        match self.sub_agents.call_of_line(line, &text) {
            Some(call_id) => self.sub_agent_line(&call_id, line),
            None => self.skipped.count("sub-agent without call"),
        }
    }

    pub(super) fn sub_agent_line(&mut self, call_id: &CallId, line: &Line) {
        let call_id = &self.runs.call_at(call_id, self.now());
        let blocks = blocks(line.content());
        let is_user = line.kind() == "user";
        if !is_user && line.kind() != "assistant" {
            return;
        }
        if !is_user {
            let place = Place::SubAgent(call_id.clone());
            return blocks.iter().for_each(|block| self.block(line, block, &place));
        }
        if self.results(line, &blocks) {
            return;
        }
        if line.flag("isMeta") {
            return self.sub_agent_notified(&texts(&blocks).join("\n"));
        }
        if self.sub_agents.is_first_prompt(call_id) {
            return;
        }
        let text = self.shown_text(&blocks);
        if classify(&text) == UserText::Prompt && !text.trim().is_empty() {
            self.sub_agents.add(call_id, self.now(), What::message(Origin::User, text));
        }
    }

    /// Takes one block of an answer.
    fn block(&mut self, line: &Line, block: &Block<'_>, place: &Place) {
        let what = match block {
            Block::Text(text) if !text.trim().is_empty() => What::message(Origin::Agent, *text),
            Block::Thinking(text) if !text.trim().is_empty() => What::Reasoning((*text).to_owned()),
            Block::File(file) => What::message(Origin::Agent, placeholder(file)),
            Block::Call(call) => {
                let Some(what) = self.calls.call(call, place.clone()) else {
                    return self.skipped.count("duplicate");
                };
                self.sub_agents.observe_call(call);
                what
            }
            Block::Result(result) => return self.result(line, result, None),
            Block::Unknown(kind) => return self.skipped.count(&format!("block/{kind}")),
            Block::Text(_) | Block::Thinking(_) | Block::Hidden => return,
        };
        self.put(place, what);
    }

    /// Takes the results in a line; tells whether there are any.
    pub(super) fn results(&mut self, line: &Line, blocks: &[Block<'_>]) -> bool {
        let results = blocks.iter().filter_map(|block| match block {
            Block::Result(result) => Some(result),
            Block::Text(_)
            | Block::Thinking(_)
            | Block::Call(_)
            | Block::File(_)
            | Block::Hidden
            | Block::Unknown(_) => None,
        });
        let results: Vec<_> = results.collect();
        // The structured half of a line belongs to its one result.
        let structured = line.value("toolUseResult").filter(|_| results.len() == 1);
        for result in &results {
            self.result(line, result, structured);
        }
        !results.is_empty()
    }

    fn result(&mut self, line: &Line, result: &CallResult<'_>, structured: Option<&Value>) {
        let call_id = CallId::from(result.id);
        self.sub_agents.observe_result(line, &call_id);
        launch::stopped_task(structured).into_iter().for_each(|task| self.runs.stop(task));
        let text = tool_result::result_text(result.content);
        let place = match self.calls.answer(&call_id) {
            Matched::Here(place) if self.is_launch(result, &text, structured) => {
                return self.put(&place, What::Launch(call_id));
            }
            Matched::Here(place) => place,
            Matched::Hidden => return,
            Matched::Again => return self.skipped.count("duplicate"),
            Matched::Unknown if line.flag("isSidechain") => return self.skipped.count("result without call"),
            Matched::Unknown => {
                let place = Place::Turn(self.open_turn(line));
                self.calls.answer_unknown(&call_id, place.clone());
                place
            }
        };
        let plan = self.calls.plan(result, structured);
        self.put(&place, calls::output(result, call_id, text, structured));
        plan.into_iter().for_each(|plan| self.put(&place, plan));
    }

    /// Whether a result says that the work of its call has only begun.
    fn is_launch(&mut self, result: &CallResult<'_>, text: &str, structured: Option<&Value>) -> bool {
        let Some(task) = launch::stored_task(text, structured).filter(|_| !result.is_error) else {
            return false;
        };
        let path = launch::output_file(text).filter(|(written, _)| *written == task).map(|(_, path)| path);
        self.runs.begin(&CallId::from(result.id), task, launch::shown(text), path);
        true
    }
}

/// An agent's files are not kept for anybody to see.
fn placeholder(file: &Attachment) -> &'static str {
    if file.is_image() { "[image]" } else { "[document]" }
}
