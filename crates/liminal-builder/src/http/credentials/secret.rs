//! Secrets and how they are compared. Owns their form; nothing here keeps one longer than its owner does.

use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

use crate::clock::random_bytes;

/// A text that nobody can guess.
#[derive(Clone)]
pub struct Secret(String);

/// What is kept of a secret. Comparing two takes the same time wherever they differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Secret {
    /// For what lives long.
    #[must_use]
    pub fn of_256_bits() -> Self {
        Self(hexadecimal(&random_bytes::<32>()))
    }

    /// For what people may have to look at.
    #[must_use]
    pub fn of_128_bits() -> Self {
        Self(hexadecimal(&random_bytes::<16>()))
    }

    /// Reads one of 256 bits that was kept.
    #[must_use]
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let is_one = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_one.then(|| Self(text.to_owned()))
    }

    /// The text to send.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// What to keep.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.0)
    }
}

impl Digest {
    /// The digest of any text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text).into())
    }

    /// Whether both are of the same text.
    #[must_use]
    pub fn matches(&self, other: Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }

    /// Reads what [`Digest::to_text`] wrote.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let is_hexadecimal = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let mut bytes = [0; 32];
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
        }
        is_hexadecimal.then_some(Self(bytes))
    }

    /// As text, for those who store it.
    #[must_use]
    pub fn to_text(self) -> String {
        hexadecimal(&self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Digest(…)")
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
