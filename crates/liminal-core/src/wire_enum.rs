//! Closed sets of words on the wire. Owns how such a set is read, so that a wrong word or a wrong type is
//! answered with the list of the right ones.

/// Defines an enum whose variants are words on the wire.
macro_rules! wire_enum {
    (
        $(#[$meta:meta])*
        $name:ident { $( $(#[$variant_meta:meta])* $variant:ident = $word:literal ),+ $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, schemars::JsonSchema, ts_rs::TS)]
        pub enum $name {
            $( $(#[$variant_meta])* #[serde(rename = $word)] $variant ),+
        }

        impl $name {
            /// Every word of the set, as on the wire.
            pub const WORDS: &[&str] = &[$($word),+];

            /// The word on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word ),+ }
            }

            /// The variant of a word, if it is one of the set.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $( $word => Some(Self::$variant), )+ _ => None }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Word;
                impl serde::de::Visitor<'_> for Word {
                    type Value = $name;

                    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        crate::wire_enum::one_of($name::WORDS, formatter)
                    }

                    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<$name, E> {
                        $name::from_word(word)
                            .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(word), &self))
                    }
                }
                deserializer.deserialize_str(Word)
            }
        }
    };
}

pub(crate) use wire_enum;

/// Writes the expectation "one of `a`, `b`".
pub(crate) fn one_of(words: &[&str], formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    formatter.write_str("one of ")?;
    for (position, word) in words.iter().enumerate() {
        let separator = if position == 0 { "" } else { ", " };
        write!(formatter, "{separator}`{word}`")?;
    }
    Ok(())
}
