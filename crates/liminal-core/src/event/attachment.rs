//! A file that came with a message, as everybody sees it. Owns what is told of one; its bytes are elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ids::AttachmentId;

/// The kinds of images that every model which takes images takes.
pub const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// A file that came with a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    /// What to ask for its bytes by; absent where only the agent has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub id: Option<AttachmentId>,
    /// What it is called.
    pub name: String,
    /// What kind of file it is.
    pub mime_type: String,
    /// How long it is.
    #[ts(type = "number")]
    pub bytes: u64,
}

impl Attachment {
    /// Whether it is of a kind that models look at rather than read, and browsers show.
    #[must_use]
    pub fn is_image(&self) -> bool {
        IMAGES.contains(&self.mime_type.as_str())
    }
}
