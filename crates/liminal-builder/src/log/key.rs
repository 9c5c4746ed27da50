//! What an output replaces. Owns the keys' text form, which logs store.

use std::fmt;

use liminal_core::ids::{ItemId, TurnId};

/// Outputs of the same key replace each other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// An item's states.
    Item(ItemId),
    /// A turn's beginning.
    TurnStarted(TurnId),
    /// A turn's end, whichever it was.
    TurnEnded(TurnId),
}

/// What a payload is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An [`Upsert`](liminal_core::upsert::Upsert).
    Upsert,
    /// A [`TurnEvent`](liminal_core::upsert::TurnEvent).
    Turn,
}

impl Key {
    /// What the payloads under this key are.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Item(_) => Kind::Upsert,
            Self::TurnStarted(_) | Self::TurnEnded(_) => Kind::Turn,
        }
    }

    /// Reads the text form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, id) = text.split_once(':')?;
        match kind {
            "item" => Some(Self::Item(id.into())),
            "start" => Some(Self::TurnStarted(id.into())),
            "end" => Some(Self::TurnEnded(id.into())),
            _ => None,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Item(item) => write!(formatter, "item:{item}"),
            Self::TurnStarted(turn) => write!(formatter, "start:{turn}"),
            Self::TurnEnded(turn) => write!(formatter, "end:{turn}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_was_written() {
        for id in ["t1", "t1/3", "a:b", "end:t1", ""] {
            for key in [Key::Item(id.into()), Key::TurnStarted(id.into()), Key::TurnEnded(id.into())] {
                assert_eq!(Key::parse(&key.to_string()), Some(key));
            }
        }
        assert_eq!(Key::parse("other:t1"), None);
        assert_eq!(Key::parse("t1"), None);
    }
}
