//! What a request shows of credentials. Owns where they may stand in it: in headers, never in an address, because
//! addresses end up in logs and histories.

use axum::http::header::{AUTHORIZATION, COOKIE, SEC_WEBSOCKET_PROTOCOL};
use axum::http::{HeaderMap, HeaderName};

/// The header with a browser's key.
const KEY: HeaderName = HeaderName::from_static("x-liminal-key");
/// Browsers cannot add headers to a socket, so there the key is one of the offered subprotocols.
const KEY_PROTOCOL: &str = "key.";
/// Cookies of our name that are tried; the others were planted.
const MOST_COOKIES: usize = 4;

/// What a request shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presented<'a> {
    /// Nothing, or only half of what a browser needs.
    Nothing,
    /// Something that cannot be understood.
    Unreadable,
    /// A program's token.
    Bearer(&'a str),
    /// Both halves of a browser's session.
    Browser {
        /// Every cookie of the name.
        cookies: Vec<&'a str>,
        /// The key.
        key: &'a str,
    },
}

impl<'a> Presented<'a> {
    /// Takes credentials out of headers. An `Authorization` header hides a cookie, so that a request which was let
    /// pass for having one is judged by it alone.
    #[must_use]
    pub fn in_headers(headers: &'a HeaderMap, cookie_name: &str) -> Self {
        if headers.contains_key(AUTHORIZATION) {
            return bearer(headers).map_or(Self::Unreadable, Self::Bearer);
        }
        let cookies: Vec<_> = cookies(headers, cookie_name).take(MOST_COOKIES).collect();
        match key(headers) {
            Some(key) if !cookies.is_empty() => Self::Browser { cookies, key },
            _ => Self::Nothing,
        }
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = only(headers, &AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn cookies<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(found, _)| *found == name).map(|(_, value)| value)
}

fn key(headers: &HeaderMap) -> Option<&str> {
    if headers.contains_key(KEY) {
        return only(headers, &KEY);
    }
    let offered = only(headers, &SEC_WEBSOCKET_PROTOCOL)?.split(',');
    offered.filter_map(|protocol| protocol.trim().strip_prefix(KEY_PROTOCOL)).next()
}

/// The value of a header that is there exactly once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).into_iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { value.to_str().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |&(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), value.parse().expect("a header value"))
        };
        let mut headers = HeaderMap::new();
        for (name, value) in lines.iter().map(pair) {
            headers.append(name, value);
        }
        headers
    }

    fn shown(lines: &[(&'static str, &str)]) -> String {
        format!("{:?}", Presented::in_headers(&headers(lines), "liminal_1_a"))
    }

    #[test]
    fn halves_are_nothing() {
        for half in [
            &[][..],
            &[("cookie", "liminal_1_a=c")],
            &[("x-liminal-key", "k")],
            &[("sec-websocket-protocol", "liminal.v1, key.k")],
            &[("cookie", "liminal_2_a=c; liminal_1_b=c"), ("x-liminal-key", "k")],
            &[("cookie", "liminal_1_a=c"), ("x-liminal-key", "k"), ("x-liminal-key", "k")],
        ] {
            assert_eq!(shown(half), "Nothing", "{half:?}");
        }
    }

    #[test]
    fn a_browser_shows_a_cookie_and_a_key() {
        let both = |cookies: &str| format!("Browser {{ cookies: {cookies}, key: \"k\" }}");
        let key = ("x-liminal-key", "k");
        assert_eq!(shown(&[("cookie", "a=b; liminal_1_a=c"), key]), both("[\"c\"]"));
        assert_eq!(
            shown(&[("cookie", "liminal_1_a=c"), ("cookie", "liminal_1_a=d"), key]),
            both("[\"c\", \"d\"]")
        );
        let protocol = ("sec-websocket-protocol", "liminal.v1, key.k");
        assert_eq!(shown(&[("cookie", "liminal_1_a=c"), protocol]), both("[\"c\"]"));
        let many = "liminal_1_a=c;".repeat(100);
        assert_eq!(shown(&[("cookie", &many), key]), both("[\"c\", \"c\", \"c\", \"c\"]"));
    }

    #[test]
    fn an_authorization_header_is_judged_alone() {
        let (cookie, key) = (("cookie", "liminal_1_a=c"), ("x-liminal-key", "k"));
        for (value, expected) in [
            ("Bearer t", "Bearer(\"t\")"),
            ("bearer  t ", "Bearer(\"t\")"),
            ("Basic t", "Unreadable"),
            ("Bearer", "Unreadable"),
            ("", "Unreadable"),
        ] {
            assert_eq!(shown(&[("authorization", value), cookie, key]), expected, "{value}");
        }
        assert_eq!(shown(&[("authorization", "Bearer t"), ("authorization", "Bearer t")]), "Unreadable");
    }
}
