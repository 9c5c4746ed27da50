//! Codes of this server and of those it shares its logins with. Owns where a code is looked for: one that Redis took is
//! used up there and nowhere else, so that it lets in once however many servers are asked.

use std::sync::Mutex;
use std::time::Duration;

use super::codes::{CodeFault, Codes, LIFETIME};
use super::lock;
use super::secret::{Digest, Secret};
use crate::cluster::{Cluster, CodeUse};

#[derive(Debug)]
pub(super) struct CodeBook {
    /// Codes that no other server knows.
    own: Mutex<Codes>,
    others: Option<Cluster>,
}

impl CodeBook {
    pub(super) fn new(others: Option<Cluster>) -> Self {
        Self { own: Mutex::default(), others }
    }

    /// A new code. While Redis does not answer it is good at this server alone.
    pub(super) async fn issue(&self, now: Duration) -> Secret {
        if let Some(others) = self.answering() {
            let code = Secret::of_128_bits();
            if others.share_code(&code.digest().to_text(), LIFETIME).await.is_ok() {
                return code;
            }
            // Redis may have it all the same: it is shown to nobody.
        }
        lock(&self.own).issue(now)
    }

    pub(super) async fn redeem(&self, text: &str, now: Duration) -> Result<(), CodeFault> {
        let own = lock(&self.own).redeem(text, now);
        if own != Err(CodeFault::Unknown) || self.others.is_none() {
            return own;
        }
        let others = self.answering().ok_or(CodeFault::Unreachable)?;
        match others.use_code(&Digest::of(text).to_text()).await {
            Ok(CodeUse::Good) => Ok(()),
            Ok(CodeUse::Used) => Err(CodeFault::Used),
            Ok(CodeUse::Unknown) => Err(CodeFault::Unknown),
            Err(_) => Err(CodeFault::Unreachable),
        }
    }

    /// Forgets those of this server; Redis forgets the others together with the logins.
    pub(super) fn clear(&self) {
        lock(&self.own).clear();
    }

    fn answering(&self) -> Option<&Cluster> {
        self.others.as_ref().filter(|others| *others.answers().borrow())
    }
}
