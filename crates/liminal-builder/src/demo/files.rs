//! Files that came with a prompt. Owns what the demo agent makes of them: it tells that it got them, and keeps nothing
//! but what they are called.

use liminal_core::dialect::{acp, decoded_length};
use serde_json::{Value, json};

/// What is known of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct File {
    name: String,
    uri: String,
    mime_type: String,
    bytes: usize,
}

/// The files of a prompt.
pub(super) fn of_prompt(params: &Value) -> Vec<File> {
    let blocks = params.get("prompt").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    blocks.iter().filter_map(file).collect()
}

fn file(block: &Value) -> Option<File> {
    let inner = match word(block, "type") {
        "image" => block,
        "resource" => block.get("resource")?,
        _ => return None,
    };
    let (uri, mime_type) = (word(inner, "uri"), word(inner, "mimeType"));
    let encoded = decoded_length(word(inner, "data")) + decoded_length(word(inner, "blob"));
    let name = if uri.is_empty() { mime_type.to_owned() } else { acp::name_in(uri) };
    let bytes = encoded + word(inner, "text").len();
    Some(File { name, uri: uri.to_owned(), mime_type: mime_type.to_owned(), bytes })
}

impl File {
    /// As it is kept, and told to whoever loads the session.
    pub(super) fn link(&self) -> Value {
        let Self { name, uri, mime_type, bytes } = self;
        json!({ "type": "resource_link", "name": name, "uri": uri, "mimeType": mime_type, "size": bytes })
    }
}

/// What is said of files.
pub(super) fn receipt(files: &[File]) -> Option<String> {
    let row = |file: &File| format!("- `{}`, {} bytes of {}\n", file.name, file.bytes, file.mime_type);
    let rows: String = files.iter().map(row).collect();
    (!rows.is_empty()).then(|| format!("You attached:\n\n{rows}"))
}

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
