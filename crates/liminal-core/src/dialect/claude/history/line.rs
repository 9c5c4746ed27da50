//! One line of a session file, read so that no shape of it is an error. Owns how fields are looked up; knows
//! nothing of what they mean together.

use serde_json::{Map, Value};

use crate::dialect::claude::repair;
use crate::time::Timestamp;

/// A line that is a JSON object.
#[derive(Debug)]
pub(super) struct Line {
    fields: Map<String, Value>,
}

impl Line {
    /// Reads a line; `None` is a line to be skipped.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let fields = serde_json::from_slice(bytes).ok();
        let fields = fields.or_else(|| serde_json::from_str(&repair::repaired(bytes)?).ok());
        fields.map(|fields| Self { fields })
    }

    /// Whether a line holds what was sent to the model: most of a file, and nothing for people. Its type comes first, so the
    /// rest need not be read.
    pub(super) fn is_request(bytes: &[u8]) -> bool {
        REQUESTS.iter().any(|begin| bytes.starts_with(begin))
    }

    /// The word that tells what the line is.
    pub(super) fn kind(&self) -> &str {
        self.text("type").unwrap_or("untyped")
    }

    /// A field that is text.
    pub(super) fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field)?.as_str()
    }

    /// Whether a field is there and true.
    pub(super) fn flag(&self, field: &str) -> bool {
        self.value(field).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A field of any type but null.
    pub(super) fn value(&self, field: &str) -> Option<&Value> {
        self.fields.get(field).filter(|value| !value.is_null())
    }

    /// A field of the message inside.
    pub(super) fn message(&self, field: &str) -> Option<&Value> {
        self.value("message")?.get(field).filter(|value| !value.is_null())
    }

    /// A text field of the message inside.
    pub(super) fn message_text(&self, field: &str) -> Option<&str> {
        self.message(field)?.as_str()
    }

    /// What was said. Lines without a message inside, as some system lines are, have it at the top.
    pub(super) fn content(&self) -> Option<&Value> {
        self.message("content").or_else(|| self.value("content"))
    }

    /// The model that wrote the line; words of the program itself have none.
    pub(super) fn model(&self) -> Option<&str> {
        self.message_text("model").filter(|model| *model != SYNTHETIC)
    }

    /// Whether the program wrote the line in the model's place.
    pub(super) fn is_synthetic(&self) -> bool {
        self.message_text("model") == Some(SYNTHETIC)
    }

    /// When the line was written.
    pub(super) fn timestamp(&self) -> Option<Timestamp> {
        Timestamp::parse(self.text("timestamp")?)
    }
}

const SYNTHETIC: &str = "<synthetic>";
const REQUESTS: [&[u8]; 3] =
    [b"{\"type\":\"api-request\"", b"{\"type\":\"api-request-blob\"", b"{\"type\":\"api-request-shape\""];
