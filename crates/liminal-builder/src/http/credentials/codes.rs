//! One-time codes. Owns how long they live and that each lets in once.

use std::collections::VecDeque;
use std::time::Duration;

use super::secret::{Digest, Secret};

/// Long enough to switch to a browser, short enough that a screenshot is worthless.
pub(super) const LIFETIME: Duration = Duration::from_secs(600);
/// Whoever asks for more at once gets rid of the oldest.
const MOST: usize = 32;

/// Why a code does not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeFault {
    Unknown,
    Used,
    /// Whether another server made it cannot be asked.
    Unreachable,
}

/// The codes that were made lately.
#[derive(Debug, Default)]
pub(super) struct Codes(VecDeque<Code>);

#[derive(Debug)]
struct Code {
    digest: Digest,
    expires: Duration,
    used: bool,
}

impl Codes {
    pub(super) fn issue(&mut self, now: Duration) -> Secret {
        self.forget_expired(now);
        if self.0.len() >= MOST {
            self.0.pop_front();
        }
        let code = Secret::of_128_bits();
        self.0.push_back(Code { digest: code.digest(), expires: now + LIFETIME, used: false });
        code
    }

    /// Uses a code up. One that was used is remembered, so that a thief's use is noticed.
    pub(super) fn redeem(&mut self, text: &str, now: Duration) -> Result<(), CodeFault> {
        self.forget_expired(now);
        let shown = Digest::of(text);
        let code = self.0.iter_mut().find(|code| code.digest.matches(shown)).ok_or(CodeFault::Unknown)?;
        if code.used {
            return Err(CodeFault::Used);
        }
        code.used = true;
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn forget_expired(&mut self, now: Duration) {
        self.0.retain(|code| now < code.expires);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_lets_in_once_and_not_after_its_time() {
        let mut codes = Codes::default();
        let (first, second) = (codes.issue(Duration::ZERO), codes.issue(Duration::ZERO));
        assert_eq!(codes.redeem(first.text(), LIFETIME - Duration::from_millis(1)), Ok(()));
        assert_eq!(codes.redeem(first.text(), LIFETIME - Duration::from_millis(1)), Err(CodeFault::Used));
        assert_eq!(codes.redeem(second.text(), LIFETIME), Err(CodeFault::Unknown));
        assert_eq!(codes.redeem(first.text(), LIFETIME), Err(CodeFault::Unknown));
        for wrong in ["", "0", &first.text().to_uppercase(), &format!("{} ", first.text())] {
            assert_eq!(Codes::default().redeem(wrong, Duration::ZERO), Err(CodeFault::Unknown));
        }
    }

    #[test]
    fn codes_have_128_bits_and_do_not_pile_up() {
        let mut codes = Codes::default();
        let oldest = codes.issue(Duration::ZERO);
        assert_eq!(oldest.text().len(), 32);
        let mut texts: Vec<_> = (0..MOST).map(|_| codes.issue(Duration::ZERO).text().to_owned()).collect();
        assert_eq!(codes.0.len(), MOST);
        assert_eq!(codes.redeem(oldest.text(), Duration::ZERO), Err(CodeFault::Unknown));
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), MOST);
    }
}
