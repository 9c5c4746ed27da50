//! Identifiers. Owns their types only: who makes an id and what it looks like is the maker's business, every
//! reader treats it as opaque. A clone shares the text, because every output repeats three of them.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use ts_rs::TS;

macro_rules! id {
    ($(#[$meta:meta])* $name:ident, $expecting:literal) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema, TS)]
        pub struct $name(#[ts(type = "string")] Arc<str>);

        impl $name {
            /// The id's text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}({})", stringify!($name), self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                // By hand, because the derived way builds a String, then a Box, then the Arc.
                struct Text;
                impl de::Visitor<'_> for Text {
                    type Value = $name;

                    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                        formatter.write_str($expecting)
                    }

                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        Ok($name::from(text))
                    }
                }
                deserializer.deserialize_str(Text)
            }
        }
    };
}

id!(/// One event of a stream.
    EventId, "a string");
id!(/// One conversation with one agent: `<cliType>:<the agent's own id>`.
    SessionId, "a string");
id!(/// One prompt and all it causes.
    TurnId, "a string");
id!(/// One message, thinking block, tool call, plan or permission request inside a turn.
    ItemId, "a string");
id!(/// One tool invocation; joins the call to its result.
    CallId, "a string");
id!(/// One directory the user works in.
    ProjectId, "a string");
id!(/// One file that was sent to be attached to a message.
    AttachmentId, "a string");
