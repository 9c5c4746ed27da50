//! Files that go with messages. Owns what may be attached in a session, and that a message has its files or is not
//! sent.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use liminal_core::dialect::{AttachedFile, AttachmentAbilities, FileKind};
use liminal_core::error::ErrorCode;
use liminal_core::event::Attachment;
use liminal_core::ids::{AttachmentId, SessionId};
use liminal_core::wire::attachments::AttachFile;

use super::slot::Slot;
use super::{Failure, Sessions};
use crate::attachments::{AttachmentError, Upload, Use};
use crate::clock;

/// With one message; more are a mistake.
const MOST: usize = 10;
/// Of all files of one message. Agents repeat what they are told, in lines of 16 MiB at most, and in Base64.
const MOST_BYTES: u64 = 7 << 20;
/// What file systems take.
const LONGEST_NAME: usize = 255;
const LONGEST_TYPE: usize = 100;

impl Sessions {
    /// Keeps a file for a message that is sent later.
    pub async fn attach(&self, id: &SessionId, file: AttachFile) -> Result<Attachment, Failure> {
        let slot = self.slot(id).await?;
        let upload = upload(file)?;
        let kind = FileKind::of(&upload.mime_type, &upload.content);
        check_kind(kind, self.takes(&slot), &upload.name)?;
        let file = AttachmentId::from(clock::new_session_uuid());
        Ok(self.0.parts.attachments.add(id, upload, file, self.now()).await?)
    }

    /// A file with its bytes.
    pub async fn attachment(&self, id: &SessionId, file: &AttachmentId) -> Result<AttachedFile, Failure> {
        self.slot(id).await?;
        let read = self.0.parts.attachments.read(id, file.clone()).await;
        read.map_err(|error| if self.is_ours(id) { error.into() } else { elsewhere() })
    }

    /// Removes a file that was not sent.
    pub async fn detach(&self, id: &SessionId, file: &AttachmentId) -> Result<(), Failure> {
        self.slot(id).await?;
        Ok(self.0.parts.attachments.remove(id, file.clone()).await?)
    }

    /// What is told of the files of a message.
    pub(super) async fn attached(
        &self,
        slot: &Slot,
        files: &[AttachmentId],
    ) -> Result<Vec<Attachment>, Failure> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        if files.len() > MOST {
            return Err(invalid(format!("attachments: expected at most {MOST} files")));
        }
        let found = self.0.parts.attachments.describe(&slot.id, files.to_vec()).await?;
        let bytes: u64 = found.iter().map(|file| file.bytes).sum();
        if bytes > MOST_BYTES {
            let most = MOST_BYTES >> 20;
            return Err(invalid(format!(
                "attachments: the files of one message may have {most} MiB together"
            )));
        }
        Ok(found)
    }

    /// The files of a message with their bytes.
    pub(super) async fn files(
        &self,
        slot: &Slot,
        files: &[Attachment],
    ) -> Result<Vec<AttachedFile>, Failure> {
        let mut read = Vec::new();
        for id in ids(files) {
            read.push(self.0.parts.attachments.read(&slot.id, id).await?);
        }
        Ok(read)
    }

    /// The files that came with what was said, as far as they are here.
    pub(super) async fn files_of_past(&self, id: &SessionId, files: &[Attachment]) -> Vec<AttachedFile> {
        let mut read = Vec::new();
        for file in ids(files) {
            read.extend(self.0.parts.attachments.read(id, file).await);
        }
        read
    }

    /// Notes what a message does with its files.
    pub(super) async fn mark(&self, id: &SessionId, files: &[Attachment], used: Use) -> Result<(), Failure> {
        if files.is_empty() {
            return Ok(());
        }
        Ok(self.0.parts.attachments.mark(id, ids(files), used, self.now()).await?)
    }

    /// What the agent says that it takes, or what its kind is known to take.
    fn takes(&self, slot: &Slot) -> AttachmentAbilities {
        let told = slot.board.now().view.agent.abilities.attachments;
        let known = self.known_to_take(&slot.cli_type);
        AttachmentAbilities { images: told.images || known.images, files: told.files || known.files }
    }

    /// What a kind of agent takes, as far as that is known before one runs.
    pub(super) fn known_to_take(&self, cli_type: &str) -> AttachmentAbilities {
        let provider = self.0.parts.providers.get(cli_type);
        provider.map(|provider| provider.attachments()).unwrap_or_default()
    }
}

/// Files stay at the server that took them.
fn elsewhere() -> Failure {
    let problem = "the file is at the server that has the session; open the session there";
    Failure::new(ErrorCode::AttachmentNotFound, problem)
}

pub(super) fn ids(files: &[Attachment]) -> Vec<AttachmentId> {
    files.iter().filter_map(|file| file.id.clone()).collect()
}

fn upload(file: AttachFile) -> Result<Upload, Failure> {
    let AttachFile { name, mime_type, data } = file;
    let content =
        STANDARD.decode(data).map_err(|error| invalid(format!("data: expected Base64: {error}")))?;
    Ok(Upload { name: plain_name(&name)?, mime_type: plain_type(&mime_type)?, content })
}

/// A name without the way to it: nobody else has to know where a file lay.
fn plain_name(name: &str) -> Result<String, Failure> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = last.chars().filter(|letter| !letter.is_control()).collect();
    let plain = plain.trim();
    if plain.is_empty() || plain == "." || plain == ".." || plain.len() > LONGEST_NAME {
        return Err(invalid(format!("name: expected the name of a file, of at most {LONGEST_NAME} bytes")));
    }
    Ok(plain.to_owned())
}

fn plain_type(mime_type: &str) -> Result<String, Failure> {
    let essence = mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    let is_type = essence.split_once('/').is_some_and(|(kind, rest)| is_word(kind) && is_word(rest));
    if !is_type || essence.len() > LONGEST_TYPE {
        return Err(invalid("mimeType: expected a type such as image/png".to_owned()));
    }
    Ok(essence)
}

fn check_kind(kind: Option<FileKind<'_>>, takes: AttachmentAbilities, name: &str) -> Result<(), Failure> {
    let problem = match kind {
        Some(FileKind::Image) if takes.images => return Ok(()),
        Some(FileKind::Text(_) | FileKind::Pdf) if takes.files => return Ok(()),
        Some(FileKind::Image) => format!("{name}: this agent takes no images"),
        Some(FileKind::Text(_) | FileKind::Pdf) => {
            format!("{name}: this agent takes no files; put what matters into the message")
        }
        None => format!("{name}: only PNG, JPEG, GIF, WebP, PDF and text in UTF-8 can be attached"),
    };
    Err(Failure::new(ErrorCode::AttachmentNotTaken, problem))
}

fn invalid(problem: String) -> Failure {
    Failure::new(ErrorCode::InvalidRequest, problem)
}

impl From<AttachmentError> for Failure {
    fn from(error: AttachmentError) -> Self {
        let code = match &error {
            AttachmentError::NotFound(_) => ErrorCode::AttachmentNotFound,
            AttachmentError::Sent => ErrorCode::WrongState,
            AttachmentError::TooMany => ErrorCode::AttachmentsFull,
            AttachmentError::Disk(problem) if is_full(problem) => ErrorCode::StorageFull,
            AttachmentError::Disk(_) => ErrorCode::Internal,
        };
        Self::new(code, error.to_string())
    }
}

fn is_full(problem: &std::io::Error) -> bool {
    matches!(problem.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_its_last_part() {
        for (given, expected) in [
            ("a.txt", "a.txt"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\me\\b c.png", "b c.png"),
            (" \u{202e}a\u{0}\nb ", "\u{202e}ab"),
        ] {
            assert_eq!(plain_name(given).unwrap(), expected);
        }
        for wrong in ["", "/", "a/", "..", "a/..", " . ", "\n", &"x".repeat(256)] {
            assert_eq!(plain_name(wrong).unwrap_err().code, ErrorCode::InvalidRequest, "{wrong}");
        }
    }

    #[test]
    fn a_type_is_two_words() {
        assert_eq!(plain_type("Text/Plain; charset=utf-8").unwrap(), "text/plain");
        assert_eq!(plain_type("image/svg+xml").unwrap(), "image/svg+xml");
        for wrong in [
            "",
            "text",
            "text/",
            "/plain",
            "a/b/c",
            "a/b\r\nX: y",
            "a b/c",
            &format!("a/{}", "b".repeat(200)),
        ] {
            assert_eq!(plain_type(wrong).unwrap_err().code, ErrorCode::InvalidRequest, "{wrong}");
        }
    }
}
