//! Items that are longer than they may be. Owns what becomes of them.
//!
//! A text ends there, as an error with all that fits. The output of a running tool stops growing and says so: its
//! result still comes. Streamed arguments are forgotten: the call tells them again when they are final.

use super::emission::Sink;
use super::items::CallItem;
use super::{Cause, UpsertProcessor};
use crate::error::{ErrorCode, ErrorInfo};
use crate::event::ItemError;
use crate::ids::ItemId;

/// Whether something still fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    Whole,
    /// Only its beginning did. Nothing will from now on.
    Cut,
    /// It did not: the item is full.
    Not,
}

impl UpsertProcessor {
    /// Ends a text that is longer than it may be; what comes of it later is late.
    pub(super) fn end_too_long(&mut self, id: &ItemId, cause: Cause<'_>, out: &mut dyn Sink) {
        self.dropped.too_long += 1;
        let message = format!(
            "this is longer than {} bytes, and the rest is not shown; ask for less at once",
            self.config.item_bytes
        );
        let error = ErrorInfo::new(ErrorCode::ItemTooLong, message);
        self.fail_item(&ItemError { item_id: id.clone(), error }, cause, out);
    }
}

impl CallItem {
    /// Adds to the arguments as they stream in.
    pub(super) fn stream(&mut self, added: &str, limit: usize) -> Fit {
        if self.is_cut {
            return Fit::Not;
        }
        if self.streamed.len().saturating_add(added.len()) > limit {
            self.is_cut = true;
            self.streamed = String::new();
            return Fit::Cut;
        }
        self.streamed.push_str(added);
        Fit::Whole
    }
}
