//! Messages and thoughts: texts that grow and go out in batches. Owns their way from start to end; live tool
//! output grows the same way and shares it.

use super::emission::{Emission, Sink};
use super::growing::GrowingText;
use super::items::{ItemState, OpenItem, Ordinal, TextItem, TextKind};
use super::limits::Fit;
use super::rules::HoldRule;
use super::{Cause, Turn, UpsertProcessor};
use crate::event::{ItemKind, ItemStart, MessageItem, Origin, ReasoningItem};
use crate::ids::ItemId;
use crate::time::Now;
use crate::upsert::{MessageBody, ThinkingBody, UpsertBody, UpsertStatus};

impl UpsertProcessor {
    pub(super) fn start_text(&mut self, start: &ItemStart, cause: Cause<'_>, out: &mut dyn Sink) {
        let mut growing = GrowingText::new(&self.config, self.rules);
        let content = start.initial_content.as_deref().unwrap_or_default();
        let fit = growing.push(content, cause.now.mono, &self.config);
        let kind = if start.kind == ItemKind::Message { TextKind::Message } else { TextKind::Reasoning };
        let held = self.holds(kind, &start.item_id);
        let ordinal = self.insert(start, ItemState::Text(TextItem { kind, growing, held }), cause);
        if fit != Fit::Whole {
            return self.end_too_long(&start.item_id, cause, out);
        }
        let growing = self.items.get_mut(ordinal).and_then(OpenItem::growing_mut);
        if let Some(growing) = growing.filter(|_| !held) {
            self.deadlines.watch(ordinal, growing);
        }
    }

    pub(super) fn finish_message(
        &mut self,
        id: &ItemId,
        message: &MessageItem,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        let by_user = self.rules.hold == HoldRule::UserMessages && message.origin == Origin::User;
        let MessageItem { content, origin, attachments } = message.clone();
        let body = UpsertBody::Message(MessageBody { content, origin, attachments });
        self.finish_text(id, body, !by_user && !message.content.is_empty(), cause, out);
    }

    pub(super) fn finish_reasoning(
        &mut self,
        id: &ItemId,
        reasoning: &ReasoningItem,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        let ReasoningItem { content, provider_id } = reasoning.clone();
        let body = UpsertBody::Thinking(ThinkingBody { content, provider_id });
        self.finish_text(id, body, !reasoning.content.is_empty(), cause, out);
    }

    /// A started item that never went out is created first, so that clients see every item begin.
    fn finish_text(
        &mut self,
        id: &ItemId,
        body: UpsertBody,
        show_create: bool,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        let Some(closed) = self.close_matching(id, |state| matches!(state, ItemState::Text(_))) else {
            return;
        };
        let unseen = closed.as_ref().is_some_and(|item| match &item.state {
            ItemState::Text(text) => !text.held && !text.growing.is_created(),
            ItemState::Call(_) | ItemState::Output(_) | ItemState::Plan(_) | ItemState::Permission(_) => {
                false
            }
        });
        let parent = closed.and_then(|item| item.parent_call_id);
        let mut emit = |status, body| {
            let upsert = self.turn.upsert(id, parent.as_ref(), status, cause, body);
            out.item(Emission::whole(upsert, cause));
        };
        if unseen && show_create {
            emit(UpsertStatus::Create, body.clone());
        }
        emit(UpsertStatus::Complete, body);
    }

    /// Gives out everything that a waiting text has so far.
    pub(super) fn emit_growing(&mut self, ordinal: Ordinal, now: Now, out: &mut dyn Sink) {
        let Some(item) = self.items.get_mut(ordinal) else { return };
        let trace = item.trace.clone();
        let cause = Cause { source: item.source, now, trace: trace.as_ref() };
        match &mut item.state {
            ItemState::Text(text) => {
                let status = text.growing.emit(&self.config, self.rules);
                self.turn.emit_text(item, status, cause, out);
            }
            ItemState::Output(_) => self.emit_live_output(ordinal, cause, out),
            ItemState::Call(_) | ItemState::Plan(_) | ItemState::Permission(_) => {}
        }
    }

    fn holds(&self, kind: TextKind, id: &ItemId) -> bool {
        self.rules.hold == HoldRule::UserMessages
            && kind == TextKind::Message
            && id.as_str().contains("user-prompt")
    }
}

impl Turn {
    /// Gives out a text as far as it has grown.
    pub(super) fn emit_text(
        &self,
        item: &OpenItem,
        status: UpsertStatus,
        cause: Cause<'_>,
        out: &mut dyn Sink,
    ) {
        let ItemState::Text(text) = &item.state else { return };
        let body = self.text_body(text);
        let upsert = self.upsert(&item.id, item.parent_call_id.as_ref(), status, cause, body);
        out.item(Emission::growing(upsert, text.growing.text(), cause));
    }

    /// The body of a text that is still growing, with room for it.
    pub(super) fn text_body(&self, text: &TextItem) -> UpsertBody {
        let content = String::new();
        match text.kind {
            TextKind::Message => {
                let origin = if text.held { Origin::User } else { Origin::Agent };
                UpsertBody::Message(MessageBody::new(origin, content))
            }
            TextKind::Reasoning => {
                UpsertBody::Thinking(ThinkingBody { provider_id: self.provider(), content })
            }
        }
    }
}
