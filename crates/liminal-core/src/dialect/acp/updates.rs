//! What each `session/update` means for the session. Owns the words of the protocol's version 1 and the choice of
//! the turn that an update belongs to; one that this version does not know is kept for diagnosis.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::call_news::{CallNews, content_text};
use super::handshake::{Replay, Stage};
use super::messages::{Chunk, TextKind};
use super::turn::{Cause, Turn};
use super::{ASIDE_PAUSE, AcpDialect, rpc};
use crate::dialect::fields::{object, objects, text};
use crate::dialect::{Notice, Step};
use crate::event::{Plan, PlanEntry, PlanPriority, PlanStatus};
use crate::ids::TurnId;

impl AcpDialect {
    pub(super) fn update(&mut self, params: Option<&RawValue>, bytes: &[u8], step: &mut Step<'_>) {
        let params: Map<String, Value> = rpc::read(params);
        let Some(update) = object(&params, "update") else { return step.unknown("session/update", bytes) };
        match text(update, "sessionUpdate").unwrap_or_default() {
            "agent_message_chunk" => self.chunk(TextKind::Message, update, step),
            "agent_thought_chunk" => self.chunk(TextKind::Thought, update, step),
            "user_message_chunk" => self.user_chunk(update, step),
            "tool_call" | "tool_call_update" => self.call(update, bytes, step),
            "plan" => self.plan(update, step),
            "usage_update" => self.usage(update, step),
            "session_info_update" => self.session_info(update, step),
            "available_commands_update" => {
                let commands = self.settings.take_commands(update);
                step.notify(Notice::Commands(commands));
            }
            "config_option_update" => self.settings.options_changed(update, step),
            "current_mode_update" => self.settings.set_mode(text(update, "currentModeId"), step),
            other => step.unknown(format!("session/update {other}"), bytes),
        }
    }

    /// The turn that the agent speaks of now; one of its own, if nobody asked.
    pub(super) fn turn_to_tell(&mut self, step: &mut Step<'_>) -> Option<&mut Turn> {
        match &self.stage {
            Stage::Opening(opening) => match opening.replay {
                Replay::Told(_) => return self.history_turn(step),
                Replay::Skipped => return None,
                Replay::No => {}
            },
            Stage::Open => {}
            Stage::New | Stage::Failed(_) | Stage::Closed => return None,
        }
        if self.turn.is_none() && self.draining.is_some() {
            return None;
        }
        if self.turn.is_none() {
            self.open_aside(step);
        }
        self.keep_aside(step);
        self.turn.as_mut()
    }

    /// Something that was said unasked goes on.
    pub(super) fn keep_aside(&mut self, step: &Step<'_>) {
        if let Some(Turn { cause: Cause::Aside { until }, .. }) = &mut self.turn {
            *until = step.now.mono + ASIDE_PAUSE;
        }
    }

    fn open_aside(&mut self, step: &mut Step<'_>) {
        self.turns_by_agent += 1;
        let turn = TurnId::from(format!("auto-{}-{}", self.turns_by_agent, self.agent.session()));
        let mut turn = self.new_turn(turn, None, Cause::Aside { until: step.now.mono + ASIDE_PAUSE });
        turn.writer.open(step);
        self.turn = Some(turn);
    }

    fn chunk(&mut self, kind: TextKind, update: &Map<String, Value>, step: &mut Step<'_>) {
        let words = object(update, "content").map(content_text).unwrap_or_default();
        let message_id = text(update, "messageId");
        self.uses_message_ids |= message_id.is_some();
        let uses_ids = self.uses_message_ids;
        if words.is_empty() {
            return;
        }
        if let Some(turn) = self.turn_to_tell(step) {
            turn.chunk(&Chunk { kind, message_id, text: &words }, uses_ids, step);
        }
    }

    fn user_chunk(&mut self, update: &Map<String, Value>, step: &mut Step<'_>) {
        let Some(block) = object(update, "content") else { return };
        if self.history_mut().is_some() {
            return self.replay_user(text(update, "messageId"), block, step);
        }
        let words = content_text(block);
        // Files of the prompt are there already.
        if words.is_empty() || text(block, "type") != Some("text") {
            return;
        }
        if let Some(turn) = self.turn_to_tell(step) {
            turn.user_chunk(&words, step);
        }
    }

    /// Of a call whose turn is over nothing is told any more.
    fn call(&mut self, update: &Map<String, Value>, bytes: &[u8], step: &mut Step<'_>) {
        let Some(news) = CallNews::read(update) else { return step.unknown("tool_call", bytes) };
        if self.ended_calls.contains(&news.id) {
            return;
        }
        if let Some(turn) = self.turn_to_tell(step) {
            turn.call(news, step);
        }
    }

    fn plan(&mut self, update: &Map<String, Value>, step: &mut Step<'_>) {
        let entries = objects(update, "entries").filter_map(plan_entry).collect();
        if let Some(turn) = self.turn_to_tell(step) {
            turn.plan(Plan { entries }, step);
        }
    }

    /// What is used is counted when the model has answered.
    fn usage(&mut self, update: &Map<String, Value>, step: &mut Step<'_>) {
        if let Some(turn) = &mut self.turn {
            turn.model_answered(step);
        }
        let count = |key| update.get(key).and_then(Value::as_u64);
        if let (Some(used), Some(size)) = (count("used"), count("size")) {
            step.notify(Notice::Context { used, size });
        }
        let cost = object(update, "cost").filter(|cost| text(cost, "currency") == Some("USD"));
        if let Some(amount) = cost.and_then(|cost| cost.get("amount")).and_then(Value::as_f64) {
            self.agent.cost.total = Some(amount);
        }
    }

    fn session_info(&mut self, update: &Map<String, Value>, step: &mut Step<'_>) {
        let title = text(update, "title").filter(|title| self.agent.title.as_deref() != Some(title));
        if let Some(title) = title.map(str::to_owned) {
            self.agent.title = Some(title.clone());
            step.notify(Notice::Title { title });
        }
        let codex = object(update, "_meta").and_then(|meta| object(meta, "codex"));
        if let (Some(codex), Some(turn)) = (codex, &mut self.turn)
            && let Some(retry) = turn.trouble.hear(codex)
        {
            turn.retry(retry, step);
        }
    }
}

fn plan_entry(entry: &Map<String, Value>) -> Option<PlanEntry> {
    let status = match text(entry, "status") {
        Some("in_progress") => PlanStatus::InProgress,
        Some("completed") => PlanStatus::Completed,
        Some(_) | None => PlanStatus::Pending,
    };
    let priority = match text(entry, "priority") {
        Some("high") => Some(PlanPriority::High),
        Some("medium") => Some(PlanPriority::Medium),
        Some("low") => Some(PlanPriority::Low),
        Some(_) | None => None,
    };
    Some(PlanEntry { content: text(entry, "content")?.to_owned(), status, priority })
}
