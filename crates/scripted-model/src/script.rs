//! Decides the reply to a request by the prompt's directives.
//!
//! It owns what must be counted over requests. It knows no API.

use std::sync::{Mutex, PoisonError};

use crate::answer::Reply;
use crate::conversation::Conversation;
use crate::keywords::{self, Attempts};

#[derive(Debug, Default)]
pub(crate) struct Script {
    attempts: Mutex<Attempts>,
}

impl Script {
    pub(crate) fn reply(&self, conversation: &Conversation) -> Reply {
        let mut attempts = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        keywords::reply(conversation, &mut attempts)
    }
}
