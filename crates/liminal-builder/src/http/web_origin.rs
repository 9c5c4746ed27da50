//! An origin of the web, as a user writes it: a scheme, a name and perhaps a port. Owns its reading; whose origin it is
//! and what it may do is decided elsewhere.

use std::fmt;

use super::host::Authority;

/// An origin. Its text is the one browsers use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebOrigin(Authority);

impl WebOrigin {
    /// Reads `https://builder.example`; a path or anything else behind it is an error, and so is a `*`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (rest, is_secure) = match text.strip_prefix("https://") {
            Some(rest) => (rest, true),
            None => (text.strip_prefix("http://")?, false),
        };
        let authority = Authority::parse(rest.as_bytes())?;
        Some(Self(if is_secure { authority.secured() } else { authority }))
    }

    /// Its name and port.
    #[must_use]
    pub const fn authority(&self) -> &Authority {
        &self.0
    }
}

impl fmt::Display for WebOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.origin())
    }
}
