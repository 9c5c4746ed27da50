//! The blocks of a prompt. Owns how words and files are told to an agent, and how files are known again in what it
//! replays: not every agent replays the blocks that it was given.

use serde_json::{Map, Value, json};

use crate::dialect::fields::{object, text};
use crate::dialect::user_message::{decoded_length, known_by_agent, nameless_image};
use crate::dialect::{AttachedFile, AttachmentAbilities, FileKind, UserMessage};
use crate::event::Attachment;

/// Where an embedded file is said to be: nowhere that the agent could look for it.
const PLACE: &str = "attachment:///";

pub(super) fn blocks(message: &UserMessage) -> Vec<Value> {
    let words = message.words().map(|words| json!({ "type": "text", "text": words }));
    words.into_iter().chain(message.files.iter().filter_map(file)).collect()
}

fn file(file: &AttachedFile) -> Option<Value> {
    let mime_type = &file.shown.mime_type;
    let uri = format!("{PLACE}{}", encoded(&file.shown.name));
    let resource = match file.kind()? {
        FileKind::Image => {
            let data = file.base64();
            return Some(json!({ "type": "image", "mimeType": mime_type, "data": data, "uri": uri }));
        }
        FileKind::Text(text) => json!({ "uri": uri, "mimeType": mime_type, "text": text }),
        FileKind::Pdf => json!({ "uri": uri, "mimeType": mime_type, "blob": file.base64() }),
    };
    Some(json!({ "type": "resource", "resource": resource }))
}

/// What an agent takes, from its answer to `initialize`.
pub(super) fn abilities(result: &Map<String, Value>) -> AttachmentAbilities {
    let prompts =
        object(result, "agentCapabilities").and_then(|abilities| object(abilities, "promptCapabilities"));
    let takes = |key| prompts.is_some_and(|prompts| prompts.get(key) == Some(&Value::Bool(true)));
    AttachmentAbilities { images: takes("image"), files: takes("embeddedContext") }
}

/// Whether an agent that takes this takes a message.
pub(super) fn is_taken(message: &UserMessage, abilities: AttachmentAbilities) -> bool {
    message.files.iter().all(|file| match file.kind() {
        Some(FileKind::Image) => abilities.images,
        Some(FileKind::Text(_) | FileKind::Pdf) => abilities.files,
        None => false,
    })
}

/// The file that a replayed block is, if it is one.
pub(super) fn attachment(block: &Map<String, Value>) -> Option<Attachment> {
    match text(block, "type")? {
        "text" => linked_image(text(block, "text")?).or_else(|| in_context(text(block, "text")?)),
        "image" => Some(image(block)),
        "resource" => embedded(object(block, "resource")?),
        "resource_link" => linked(block),
        _ => None,
    }
}

fn image(block: &Map<String, Value>) -> Attachment {
    let mime_type = text(block, "mimeType").unwrap_or("image/png");
    let image = nameless_image(mime_type, text(block, "data").unwrap_or_default());
    match text(block, "uri").filter(|uri| uri.starts_with(PLACE)) {
        Some(uri) => Attachment { name: name_in(uri), ..image },
        None => image,
    }
}

/// A link to what we embedded; any other is a word of the user.
fn linked(block: &Map<String, Value>) -> Option<Attachment> {
    let uri = text(block, "uri").filter(|uri| uri.starts_with(PLACE))?;
    let bytes = block.get("size").and_then(Value::as_u64).unwrap_or_default();
    let mime_type = text(block, "mimeType").unwrap_or("application/octet-stream").to_owned();
    Some(Attachment { id: None, name: name_in(uri), mime_type, bytes })
}

fn embedded(resource: &Map<String, Value>) -> Option<Attachment> {
    let name = name_in(text(resource, "uri")?);
    let mime_type = text(resource, "mimeType").unwrap_or("text/plain");
    let bytes = match (text(resource, "text"), text(resource, "blob")) {
        (Some(words), _) => words.len(),
        (None, Some(data)) => decoded_length(data),
        (None, None) => 0,
    };
    Some(known_by_agent(name, mime_type, bytes))
}

/// Codex's adapter replays an image as a link to its bytes.
fn linked_image(words: &str) -> Option<Attachment> {
    let data = words.strip_prefix("[@image](data:")?.strip_suffix(')')?;
    let (mime_type, data) = data.split_once(";base64,")?;
    Some(nameless_image(mime_type, data))
}

/// The adapters of Codex replay an embedded file in words; only our own are known for what they are.
fn in_context(words: &str) -> Option<Attachment> {
    let (_, context) = words.split_once("<context ref=\"")?;
    let is_whole = words.starts_with("<context") || words.starts_with(PLACE) || words.starts_with("[@");
    let (uri, rest) = context.split_once('"').filter(|(uri, _)| is_whole && uri.starts_with(PLACE))?;
    let (head, rest) = rest.split_once(">\n")?;
    let content = rest.strip_suffix("\n</context>")?;
    let mime_type = head.split_once("mimeType=\"").and_then(|(_, rest)| Some(rest.split_once('"')?.0));
    let bytes = if head.contains("base64") { decoded_length(content) } else { content.len() };
    Some(known_by_agent(name_in(uri), mime_type.unwrap_or("text/plain"), bytes))
}

/// What a file at a URI is called.
#[must_use]
pub fn name_in(uri: &str) -> String {
    decoded(uri.rsplit('/').next().unwrap_or(uri))
}

/// A name as a part of a URI.
fn encoded(name: &str) -> String {
    let letter = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    name.bytes().map(letter).collect()
}

fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| byte == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_goes_through_a_uri() {
        for name in ["a.txt", "ä b/c%41?#.md", "%", "%4"] {
            assert_eq!(decoded(&encoded(name)), name);
            assert!(!encoded(name).contains(['/', ' ', '"', '>']), "{}", encoded(name));
        }
    }

    #[test]
    fn only_what_we_embedded_is_taken_for_a_file() {
        let said = |text: &str| attachment(json!({ "type": "text", "text": text }).as_object().unwrap());
        let ours = "attachment:///a%20b.txt\n<context ref=\"attachment:///a%20b.txt\">\none\n</context>";
        assert_eq!(said(ours), Some(known_by_agent("a b.txt", "text/plain", 3)));
        let pdf = "attachment:///a.pdf\n<context ref=\"attachment:///a.pdf\" mimeType=\"application/pdf\" \
            encoding=\"base64\">\nAAAA\n</context>";
        assert_eq!(said(pdf), Some(known_by_agent("a.pdf", "application/pdf", 3)));
        assert_eq!(
            said("[@image](data:image/png;base64,AAA=)"),
            Some(known_by_agent("image.png", "image/png", 2))
        );
        for words in [
            "look at [@image](data:image/png;base64,AAA=)",
            "see <context ref=\"file:///a\">\nx\n</context>",
            "",
        ] {
            assert_eq!(said(words), None, "{words}");
        }
    }
}
