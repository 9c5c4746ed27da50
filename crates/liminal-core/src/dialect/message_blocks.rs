//! What a user says in the words of the Messages API, which Claude Code takes as they are. Owns the blocks.

use serde_json::{Value, json};

use super::{AttachedFile, FileKind, UserMessage};

/// Words alone are a text; files are blocks beside it.
pub(super) fn content(message: &UserMessage) -> Value {
    if message.files.is_empty() {
        return Value::from(message.text.as_str());
    }
    let words = message.words().map(text_block);
    words.into_iter().chain(message.files.iter().filter_map(file_block)).collect()
}

fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn file_block(file: &AttachedFile) -> Option<Value> {
    let source = || json!({ "type": "base64", "media_type": file.shown.mime_type, "data": file.base64() });
    Some(match file.kind()? {
        FileKind::Image => json!({ "type": "image", "source": source() }),
        FileKind::Pdf => json!({ "type": "document", "source": source(), "title": file.shown.name }),
        FileKind::Text(text) => text_block(&file.among_words(text)),
    })
}
