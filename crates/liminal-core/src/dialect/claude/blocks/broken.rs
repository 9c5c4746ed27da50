//! What broken streams left unfinished. Owns which answer, asked again, takes its place, and until when it may.
//!
//! What clients were shown of a block cannot be taken back, only replaced: so the block that is told in its stead
//! goes on with its item. That one is told whole, because a text that is shown only ever grows until it ends.

use super::{Desk, OpenBlock};
use crate::dialect::claude::wire::Block;

#[derive(Debug, Default)]
pub(super) struct Broken {
    blocks: Vec<OpenBlock>,
    /// The message that is the answer, asked again.
    again: Option<String>,
}

impl Broken {
    /// Another stream broke.
    pub(super) fn extend(&mut self, left: impl Iterator<Item = OpenBlock>) {
        self.blocks.extend(left);
        self.again = None;
    }

    /// A message begins. The first one after the break takes what is left; when the one after it comes, nothing
    /// will.
    pub(super) fn is_asked_again_as(&mut self, message_id: &str, desk: &mut Desk<'_, '_>) {
        if self.again.as_deref().is_some_and(|again| again != message_id) {
            self.give_up(desk);
        }
        if !self.blocks.is_empty() {
            self.again = Some(message_id.to_owned());
        }
    }

    pub(super) fn has_place_for(&self, block: &Block) -> bool {
        self.blocks.iter().any(|open| open.fits(block))
    }

    pub(super) fn take_place_for(&mut self, block: &Block) -> Option<OpenBlock> {
        let position = self.blocks.iter().position(|open| open.fits(block))?;
        Some(self.blocks.remove(position))
    }

    /// Ends what nothing took the place of.
    pub(super) fn give_up(&mut self, desk: &mut Desk<'_, '_>) {
        self.again = None;
        std::mem::take(&mut self.blocks).into_iter().for_each(|block| block.give_up(desk));
    }
}
