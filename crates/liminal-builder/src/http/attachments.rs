//! Routes of files that go with messages. Owns in what form they are given back: nothing that somebody uploaded may
//! act as a page of ours.

use axum::extract::State;
use axum::http::HeaderName;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use liminal_core::event::Attachment;
use liminal_core::ids::{AttachmentId, SessionId};
use liminal_core::wire::attachments::AttachFile;

use super::answers::{Created, Done};
use super::app::App;
use super::extract::{FileBody, Path};
use super::ledger::Target;
use super::operation::{Answer, Content, Give};
use super::problem::ApiError;

/// What browsers may do with a file that is opened by itself: nothing but show it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

pub(super) async fn upload(
    State(app): State<App>,
    Path(id): Path<SessionId>,
    FileBody(file): FileBody<AttachFile>,
) -> Result<Created<Attachment>, ApiError> {
    let attachment = app.sessions().attach(&id, file).await?;
    Ok(Created(attachment, Target(id.to_string())))
}

pub(super) async fn read(
    State(app): State<App>,
    Path((id, file)): Path<(SessionId, AttachmentId)>,
) -> Result<Bytes, ApiError> {
    let file = app.sessions().attachment(&id, &file).await?;
    let headers = headers(&file.shown);
    Ok(Bytes((headers, file.content.to_vec()).into_response()))
}

pub(super) async fn remove(
    State(app): State<App>,
    Path((id, file)): Path<(SessionId, AttachmentId)>,
) -> Result<Done, ApiError> {
    app.sessions().detach(&id, &file).await?;
    Ok(Done)
}

/// The bytes of a file.
#[derive(Debug)]
pub(super) struct Bytes(Response);

impl IntoResponse for Bytes {
    fn into_response(self) -> Response {
        self.0
    }
}

impl Give for Bytes {
    const ANSWER: Answer = Answer {
        status: 200,
        content: Content::Bytes(&["image/png", "image/jpeg", "image/gif", "image/webp", DOWNLOAD]),
    };
}

const DOWNLOAD: &str = "application/octet-stream";

fn headers(file: &Attachment) -> [(HeaderName, String); 3] {
    let (kind, way) = match file.is_image() {
        true => (file.mime_type.as_str(), "inline"),
        false => (DOWNLOAD, "attachment"),
    };
    [
        (CONTENT_TYPE, kind.to_owned()),
        (CONTENT_DISPOSITION, format!("{way}; {}", file_name(&file.name))),
        (CONTENT_SECURITY_POLICY, POLICY.to_owned()),
    ]
}

/// A name for old programs, and as it is for all others.
fn file_name(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || " ._-()".contains(letter);
    let plain: String = name.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    let encoded: String = name.bytes().map(encoded).collect();
    format!("filename=\"{plain}\"; filename*=UTF-8''{encoded}")
}

fn encoded(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_header() {
        assert_eq!(file_name("a b.txt"), "filename=\"a b.txt\"; filename*=UTF-8''a%20b.txt");
        assert_eq!(file_name("\"ä;"), "filename=\"___\"; filename*=UTF-8''%22%C3%A4%3B");
    }

    #[test]
    fn only_images_are_shown_as_what_they_are() {
        let file = |mime_type: &str| Attachment {
            id: None,
            name: "a".to_owned(),
            mime_type: mime_type.to_owned(),
            bytes: 0,
        };
        for (mime_type, kind, way) in [
            ("image/png", "image/png", "inline"),
            ("image/svg+xml", DOWNLOAD, "attachment"),
            ("text/html", DOWNLOAD, "attachment"),
            ("application/pdf", DOWNLOAD, "attachment"),
        ] {
            let [(_, given), (_, disposition), (_, policy)] = headers(&file(mime_type));
            assert_eq!(given, kind);
            assert!(disposition.starts_with(way) && policy.contains("sandbox"), "{disposition} {policy}");
        }
    }
}
