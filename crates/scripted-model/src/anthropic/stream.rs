//! Lays a message out in time: its events in order, the waits between them, and the fault that ends it.

use std::time::Duration;

use super::error::ErrorDetail;
use super::event::{Delta, Event, StopDelta};
use super::message::{Message, empty_block};
use crate::answer::{Block, Fault, FaultKind, Place, Speech, ToolUse};
use crate::pacing::Beat;

pub(super) fn beats(message: &Message) -> Vec<Beat> {
    let mut timeline = Timeline { fault: message.fault(), ..Timeline::default() };
    timeline.send(&Event::MessageStart { message: message.head() });
    timeline.send(&Event::Ping);
    timeline.strike_if_due();
    for (index, block) in message.blocks().iter().enumerate() {
        timeline.block(index, block);
    }
    timeline.strike();
    let delta = StopDelta { stop_reason: message.stop_reason(), stop_sequence: None };
    timeline.send(&Event::MessageDelta { delta, usage: message.final_usage() });
    timeline.send(&Event::MessageStop);
    timeline.beats
}

#[derive(Default)]
struct Timeline<'a> {
    beats: Vec<Beat>,
    /// The fault that has not struck yet.
    fault: Option<&'a Fault>,
    deltas: usize,
    blocks: usize,
    /// A fault has ended the stream: what would follow is not sent.
    ended: bool,
}

impl Timeline<'_> {
    fn block(&mut self, index: usize, block: &Block) {
        self.send(&Event::ContentBlockStart { index, content_block: empty_block(block) });
        match block {
            Block::Text(speech) => self.speech(index, speech, |text| Delta::Text { text }),
            Block::Thinking { speech, signature } => {
                self.speech(index, speech, |thinking| Delta::Thinking { thinking });
                self.delta(index, Delta::Signature { signature }, Duration::ZERO);
            }
            Block::ToolUse(tool) => self.tool_input(index, tool),
        }
        self.send(&Event::ContentBlockStop { index });
        self.blocks += 1;
        self.strike_if_due();
    }

    fn speech<'s>(&mut self, index: usize, speech: &'s Speech, delta: impl Fn(&'s str) -> Delta<'s>) {
        for piece in speech.chunking.cut(&speech.text) {
            self.delta(index, delta(piece), speech.delay);
        }
    }

    fn tool_input(&mut self, index: usize, tool: &ToolUse) {
        let input = tool.input_text();
        self.delta(index, Delta::InputJson { partial_json: "" }, Duration::ZERO);
        for piece in tool.chunking.cut(&input) {
            self.delta(index, Delta::InputJson { partial_json: piece }, tool.delay);
        }
    }

    fn delta(&mut self, index: usize, delta: Delta<'_>, delay: Duration) {
        if !delay.is_zero() {
            self.push(Beat::Wait(delay));
        }
        self.send(&Event::ContentBlockDelta { index, delta });
        self.deltas += 1;
        self.strike_if_due();
    }

    fn strike_if_due(&mut self) {
        let due = self.fault.is_some_and(|fault| match fault.place {
            Place::AfterDeltas(deltas) => self.deltas >= deltas,
            Place::AfterBlocks(blocks) => self.blocks >= blocks,
        });
        if due {
            self.strike();
        }
    }

    fn strike(&mut self) {
        let Some(fault) = self.fault.take() else { return };
        match &fault.kind {
            FaultKind::Stall(Some(length)) => return self.push(Beat::Wait(*length)),
            FaultKind::Stall(None) => self.push(Beat::Silence),
            FaultKind::Drop => self.push(Beat::Cut),
            FaultKind::ErrorEvent { kind, message } => {
                self.send(&Event::Error { error: ErrorDetail { r#type: kind, message } });
            }
        }
        self.ended = true;
    }

    fn send(&mut self, event: &Event<'_>) {
        self.push(Beat::Send(event.frame()));
    }

    fn push(&mut self, beat: Beat) {
        if !self.ended {
            self.beats.push(beat);
        }
    }
}
