//! Lays an answer out in time: its moments in order, the waits between them, and the fault that ends it.
//!
//! It owns where a fault strikes. How a moment looks on the wire is the API module's business.

use std::time::Duration;

use crate::answer::{Answer, Block, Fault, FaultKind, Place};
use crate::pacing::Beat;

/// Something that a stream tells its client.
#[derive(Clone, Copy)]
pub(crate) enum Moment<'a> {
    Open,
    BlockStart {
        index: usize,
        block: &'a Block,
    },
    Piece {
        index: usize,
        block: &'a Block,
        text: &'a str,
    },
    BlockEnd {
        index: usize,
        block: &'a Block,
    },
    Close,
    /// The answer fails here, and nothing follows.
    Error {
        kind: Option<&'a str>,
        message: &'a str,
    },
}

/// The beats of a stream. `write` gives the bytes of each moment; nothing is sent for an empty text.
pub(crate) fn beats(answer: &Answer, write: impl FnMut(Moment<'_>) -> String) -> Vec<Beat> {
    let fault = answer.fault.as_ref();
    let mut timeline = Timeline { beats: Vec::new(), write, fault, pieces: 0, blocks: 0, ended: false };
    timeline.send(Moment::Open);
    timeline.strike_if_due();
    for (index, block) in answer.blocks.iter().enumerate() {
        timeline.block(index, block);
    }
    timeline.strike();
    timeline.send(Moment::Close);
    timeline.beats
}

fn beat(moment: Moment<'_>, frames: String) -> Beat {
    let bytes = frames.into();
    match moment {
        Moment::Piece { text, .. } => Beat::SendDelta { bytes, text: text.to_owned() },
        Moment::Open
        | Moment::BlockStart { .. }
        | Moment::BlockEnd { .. }
        | Moment::Close
        | Moment::Error { .. } => Beat::Send(bytes),
    }
}

struct Timeline<'a, W> {
    beats: Vec<Beat>,
    write: W,
    /// The fault that has not struck yet.
    fault: Option<&'a Fault>,
    pieces: usize,
    blocks: usize,
    /// A fault has ended the stream: what would follow is not sent.
    ended: bool,
}

impl<W: FnMut(Moment<'_>) -> String> Timeline<'_, W> {
    fn block(&mut self, index: usize, block: &Block) {
        self.send(Moment::BlockStart { index, block });
        let content = block.content();
        for text in block.chunking().cut(&content) {
            self.wait(block.delay());
            self.send(Moment::Piece { index, block, text });
            self.pieces += 1;
            self.strike_if_due();
        }
        self.send(Moment::BlockEnd { index, block });
        self.blocks += 1;
        self.strike_if_due();
    }

    fn strike_if_due(&mut self) {
        let due = self.fault.is_some_and(|fault| match fault.place {
            Place::AfterDeltas(pieces) => self.pieces >= pieces,
            Place::AfterBlocks(blocks) => self.blocks >= blocks,
        });
        if due {
            self.strike();
        }
    }

    fn strike(&mut self) {
        let Some(fault) = self.fault.take() else { return };
        match &fault.kind {
            FaultKind::Stall(Some(length)) => return self.wait(*length),
            FaultKind::Stall(None) => self.push(Beat::Silence),
            FaultKind::Drop => self.push(Beat::Cut),
            FaultKind::ErrorEvent { kind, message } => {
                self.send(Moment::Error { kind: kind.as_deref(), message });
            }
        }
        self.ended = true;
    }

    fn wait(&mut self, length: Duration) {
        if !length.is_zero() {
            self.push(Beat::Wait(length));
        }
    }

    fn send(&mut self, moment: Moment<'_>) {
        if self.ended {
            return;
        }
        let frames = (self.write)(moment);
        if !frames.is_empty() {
            self.push(beat(moment, frames));
        }
    }

    fn push(&mut self, beat: Beat) {
        if !self.ended {
            self.beats.push(beat);
        }
    }
}
