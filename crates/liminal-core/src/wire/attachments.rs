//! Files on their way to a message. Owns the body of an upload; what is told of a file is [`Attachment`].
//!
//! [`Attachment`]: crate::event::Attachment

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A file to be attached to a message that is sent later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct AttachFile {
    /// What it is called. Of a path only the last part is kept.
    pub name: String,
    /// What kind of file it is, such as `image/png`.
    pub mime_type: String,
    /// Its bytes in Base64, with padding.
    pub data: String,
}
