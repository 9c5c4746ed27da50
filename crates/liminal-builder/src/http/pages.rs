//! The page. Owns the files that are embedded in the program and how browsers may keep them; nothing is ever read from
//! disk for a request.

use std::sync::LazyLock;

use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::IntoResponse;
use liminal_core::error::ErrorCode;

use super::answers::{PageFile as Sent, Shown};
use super::extract::Path;
use super::problem::ApiError;

/// A file of the page, with what the build made of it.
struct PageFile {
    path: &'static str,
    /// Changes with the content.
    tag: &'static str,
    plain: &'static [u8],
    brotli: Option<&'static [u8]>,
    gzip: Option<&'static [u8]>,
}

static FILES: &[PageFile] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Their names change with their content.
const FOREVER: &str = "public, max-age=31536000, immutable";
/// Asked for each time, answered by a tag alone if nothing is new.
const ASK: &str = "no-cache";

/// A program that was built without the page has one that says so.
static INDEX: LazyLock<&str> = LazyLock::new(|| {
    find("index.html").and_then(|file| std::str::from_utf8(file.plain).ok()).unwrap_or_default()
});

/// The same page one level down. A `<base>` would do it too, but the policy forbids it.
static NESTED: LazyLock<String> = LazyLock::new(|| INDEX.replace("=\"./", "=\"../"));

pub(super) async fn index() -> Shown {
    Shown(&INDEX)
}

/// A link to a session; the page itself reads the address.
pub(super) async fn session(_: Path<String>) -> Shown {
    Shown(&NESTED)
}

/// A script, style or worker of this build.
pub(super) async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Result<Sent, ApiError> {
    serve(&format!("assets/{name}"), FOREVER, &headers)
}

pub(super) async fn theme(headers: HeaderMap) -> Result<Sent, ApiError> {
    serve("theme.js", ASK, &headers)
}

pub(super) async fn icon(headers: HeaderMap) -> Result<Sent, ApiError> {
    serve("favicon.svg", ASK, &headers)
}

fn serve(path: &str, cache: &'static str, headers: &HeaderMap) -> Result<Sent, ApiError> {
    let file = find(path).ok_or_else(|| {
        ApiError::new(ErrorCode::NotFound, "this build has no such file; reload the page").about(path)
    })?;
    let kept = [(CACHE_CONTROL, cache), (ETAG, file.tag), (VARY, "Accept-Encoding")];
    if headers.get(IF_NONE_MATCH).is_some_and(|tags| lists(tags, file.tag)) {
        return Ok(Sent((StatusCode::NOT_MODIFIED, kept).into_response()));
    }
    let (encoding, bytes) = file.encoded_for(headers);
    let mut response = (kept, [(CONTENT_TYPE, media_type(path))], bytes).into_response();
    if let Some(encoding) = encoding {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    Ok(Sent(response))
}

fn find(path: &str) -> Option<&'static PageFile> {
    FILES.iter().find(|file| file.path == path)
}

impl PageFile {
    fn encoded_for(&self, headers: &HeaderMap) -> (Option<&'static str>, &'static [u8]) {
        let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let choices = [("br", self.brotli), ("gzip", self.gzip)];
        let mut there = choices.into_iter().filter_map(|(name, bytes)| Some((name, bytes?)));
        let chosen = there.find(|(name, _)| accepts(accepted, name));
        chosen.map_or((None, self.plain), |(name, bytes)| (Some(name), bytes))
    }
}

/// Whether an `Accept-Encoding` names an encoding and does not rule it out.
fn accepts(accepted: &str, encoding: &str) -> bool {
    accepted.split(',').any(|choice| {
        let mut parts = choice.split(';').map(str::trim);
        let is_named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(encoding));
        is_named && !parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
    })
}

fn lists(tags: &HeaderValue, tag: &str) -> bool {
    let tags = tags.to_str().unwrap_or_default();
    tags == "*" || tags.split(',').any(|found| found.trim().trim_start_matches("W/") == tag)
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: PageFile = PageFile {
        path: "assets/a.js",
        tag: "\"1\"",
        plain: b"plain",
        brotli: Some(b"br"),
        gzip: Some(b"gz"),
    };

    fn encoded(accepted: &'static str) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(accepted));
        FILE.encoded_for(&headers).0
    }

    #[test]
    fn the_smallest_encoding_that_is_accepted_is_sent() {
        assert_eq!(encoded("gzip, deflate, br, zstd"), Some("br"));
        assert_eq!(encoded("gzip;q=0.5, br;q=0"), Some("gzip"));
        assert_eq!(encoded("identity"), None);
        assert_eq!(encoded("brotli"), None);
    }

    #[test]
    fn a_tag_is_found_in_a_list() {
        for tags in ["\"1\"", "W/\"1\"", "\"0\", \"1\"", "*"] {
            assert!(lists(&HeaderValue::from_static(tags), "\"1\""), "{tags}");
        }
        assert!(!lists(&HeaderValue::from_static("\"11\""), "\"1\""));
    }

    #[test]
    fn a_page_one_level_down_finds_its_files() {
        assert!(!NESTED.contains("=\"./"));
        assert_eq!(NESTED.matches("=\"../").count(), INDEX.matches("=\"./").count());
    }

    #[test]
    fn there_is_always_a_page() {
        assert!(INDEX.contains("<title>Liminal Builder</title>"));
    }

    #[test]
    fn every_file_of_the_build_has_a_route() {
        for file in FILES.iter().filter(|file| file.path != "index.html") {
            let known = file.path.starts_with("assets/") || matches!(file.path, "theme.js" | "favicon.svg");
            assert!(known, "{} is embedded and cannot be reached", file.path);
        }
    }
}
