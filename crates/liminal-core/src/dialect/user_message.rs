//! What a user tells an agent: words, and files with their bytes. Owns what kind a file is, and the one form in which
//! a text file stands among other words, so that it is known again where an agent repeats it.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::event::{Attachment, IMAGES, MessageItem, Origin};

/// What a user tells an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserMessage {
    /// The words.
    pub text: String,
    /// The files that come with them.
    pub files: Vec<AttachedFile>,
}

/// A file with its bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct AttachedFile {
    /// What is told of it.
    pub shown: Attachment,
    /// Its bytes.
    pub content: Arc<[u8]>,
}

/// What an agent can do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind<'a> {
    /// Look at it.
    Image,
    /// Read it.
    Text(&'a str),
    /// Read it, with a program that knows the form.
    Pdf,
}

impl<'a> FileKind<'a> {
    /// What kind a file is; none, if no agent can do anything with it.
    #[must_use]
    pub fn of(mime_type: &str, content: &'a [u8]) -> Option<Self> {
        match mime_type {
            image if IMAGES.contains(&image) => Some(Self::Image),
            "application/pdf" => Some(Self::Pdf),
            _ => std::str::from_utf8(content).ok().filter(|text| is_legible(text)).map(Self::Text),
        }
    }
}

/// Texts for terminals have escapes; other control characters are in no text.
fn is_legible(text: &str) -> bool {
    text.chars().all(|letter| !letter.is_control() || "\t\n\r\u{c}\u{1b}".contains(letter))
}

impl UserMessage {
    /// The message as everybody sees it.
    #[must_use]
    pub fn shown(&self) -> MessageItem {
        let attachments = self.files.iter().map(|file| file.shown.clone()).collect();
        MessageItem { content: self.text.clone(), origin: Origin::User, attachments }
    }

    /// The words, if there are any.
    pub(crate) fn words(&self) -> Option<&str> {
        Some(self.text.as_str()).filter(|text| !text.is_empty() || self.files.is_empty())
    }
}

impl From<String> for UserMessage {
    fn from(text: String) -> Self {
        Self { text, files: Vec::new() }
    }
}

impl From<&str> for UserMessage {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl AttachedFile {
    /// What kind it is.
    #[must_use]
    pub fn kind(&self) -> Option<FileKind<'_>> {
        FileKind::of(&self.shown.mime_type, &self.content)
    }

    /// Its bytes in Base64.
    pub(crate) fn base64(&self) -> String {
        STANDARD.encode(&self.content)
    }

    /// Its bytes in a URL.
    pub(crate) fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.shown.mime_type, self.base64())
    }

    /// A text file among other words.
    pub(crate) fn among_words(&self, text: &str) -> String {
        format!("<{TAG} name=\"{}\">\n{text}\n</{TAG}>", escaped(&self.shown.name))
    }
}

/// The bytes are nothing to read in a log.
impl fmt::Debug for AttachedFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("AttachedFile").field("shown", &self.shown).finish_non_exhaustive()
    }
}

const TAG: &str = "attached-file";

/// The file that a text is, if it was put among words by [`AttachedFile::among_words`].
pub(crate) fn among_words(text: &str) -> Option<Attachment> {
    let rest = text.strip_prefix(&format!("<{TAG} name=\""))?;
    let (name, rest) = rest.split_once("\">\n")?;
    let content = rest.strip_suffix(&format!("\n</{TAG}>"))?;
    Some(known_by_agent(unescaped(name), "text/plain", content.len()))
}

/// A file that only the agent has.
pub(crate) fn known_by_agent(name: impl Into<String>, mime_type: &str, bytes: usize) -> Attachment {
    Attachment { id: None, name: name.into(), mime_type: mime_type.to_owned(), bytes: bytes as u64 }
}

/// An image that only the agent has, of which nobody told the name.
pub(crate) fn nameless_image(mime_type: &str, data: &str) -> Attachment {
    let ending = mime_type.strip_prefix("image/").unwrap_or("bin");
    known_by_agent(format!("image.{ending}"), mime_type, decoded_length(data))
}

/// How many bytes are in a text of Base64.
#[must_use]
pub fn decoded_length(data: &str) -> usize {
    let padding = data.bytes().rev().take_while(|&byte| byte == b'=').count();
    (data.len() / 4 * 3).saturating_sub(padding)
}

fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}

fn unescaped(name: &str) -> String {
    name.replace("&gt;", ">").replace("&lt;", "<").replace("&quot;", "\"").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, mime_type: &str, content: &[u8]) -> AttachedFile {
        AttachedFile { shown: known_by_agent(name, mime_type, content.len()), content: content.into() }
    }

    #[test]
    fn a_kind_is_told_by_the_type_of_images_and_by_the_bytes_of_texts() {
        assert_eq!(FileKind::of("image/png", &[0, 1]), Some(FileKind::Image));
        assert_eq!(FileKind::of("application/pdf", &[0xff]), Some(FileKind::Pdf));
        assert_eq!(FileKind::of("image/svg+xml", b"<svg/>"), Some(FileKind::Text("<svg/>")));
        assert_eq!(
            FileKind::of("application/octet-stream", "a\tü\n".as_bytes()),
            Some(FileKind::Text("a\tü\n"))
        );
        assert_eq!(FileKind::of("text/plain", &[0xff, 0xfe]), None);
        assert_eq!(FileKind::of("text/plain", b"a\0b"), None);
    }

    #[test]
    fn a_text_among_words_is_known_again() {
        for name in ["a.txt", "a \"b\" <c> & &quot;d.txt"] {
            let file = file(name, "text/plain", b"one\n</attached-file>\ntwo");
            let said = file.among_words("one\n</attached-file>\ntwo");
            assert_eq!(among_words(&said), Some(file.shown), "{said}");
        }
        for other in [
            "",
            "<attached-file>",
            "<attached-file name=\"a\">\nx",
            "see <attached-file name=\"a\">\nx\n</attached-file>",
        ] {
            assert_eq!(among_words(other), None, "{other}");
        }
    }

    #[test]
    fn the_length_of_bytes_is_known_by_their_text() {
        for length in 0..9 {
            assert_eq!(decoded_length(&STANDARD.encode(vec![7; length])), length);
        }
        assert_eq!(decoded_length("="), 0);
    }
}
