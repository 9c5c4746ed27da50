//! Any lines as the headers that carry credentials: whatever is read out of them stands in them, whole.

use axum::http::header::{AUTHORIZATION, COOKIE, SEC_WEBSOCKET_PROTOCOL};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use liminal_builder::http::credentials::Presented;

const NAME: &str = "liminal_4747_0a1b2c3d";
const KEY: HeaderName = HeaderName::from_static("x-liminal-key");

/// The first byte of each line tells which header it is.
pub(crate) fn check(bytes: &[u8]) {
    let mut headers = HeaderMap::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let Some((first, value)) = line.split_first() else { continue };
        let name = [COOKIE, KEY, AUTHORIZATION, SEC_WEBSOCKET_PROTOCOL][usize::from(first % 4)].clone();
        headers.extend(HeaderValue::from_bytes(value).map(|value| (name, value)));
    }
    let has_authorization = headers.contains_key(AUTHORIZATION);
    match Presented::in_headers(&headers, NAME) {
        Presented::Nothing => assert!(!has_authorization),
        Presented::Unreadable => assert!(has_authorization),
        Presented::Bearer(token) => {
            let [line] = texts(&headers, &AUTHORIZATION)[..] else { panic!("one of several was taken") };
            assert!(line[..6].eq_ignore_ascii_case("bearer") && line[6..].trim() == token, "{line}");
        }
        Presented::Browser { cookies, key } => {
            assert!(!has_authorization && (1..=4).contains(&cookies.len()));
            cookies.iter().for_each(|cookie| check_cookie(&headers, cookie));
            check_key(&headers, key);
        }
    }
}

fn check_cookie(headers: &HeaderMap, cookie: &str) {
    let pair = format!("{NAME}={cookie}");
    let lines = texts(headers, &COOKIE);
    assert!(lines.iter().any(|line| line.split(';').any(|found| found.trim() == pair)), "{cookie} {lines:?}");
}

fn check_key(headers: &HeaderMap, key: &str) {
    let (own, offers) = (texts(headers, &KEY), texts(headers, &SEC_WEBSOCKET_PROTOCOL));
    let is_offered =
        offers.iter().any(|offer| offer.split(',').any(|part| part.trim() == format!("key.{key}")));
    assert!(own == [key] || (own.is_empty() && offers.len() == 1 && is_offered), "{key} {own:?} {offers:?}");
}

fn texts<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Vec<&'a str> {
    headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok()).collect()
}
