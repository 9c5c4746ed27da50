//! The address of a Redis. Owns its form, and that its password is not told.

use std::fmt;
use std::net::IpAddr;

use serde_json::Value;

use super::reading::Readable;

const HIDDEN: &str = "(hidden)";
const TLS: &str = "rediss://";
const SCHEMES: [&str; 4] = ["redis://", TLS, "redis+unix://", "unix://"];

/// The address of a Redis, perhaps with a password in it. Shown without.
#[derive(Clone, PartialEq, Eq)]
pub struct RedisUrl(String);

impl RedisUrl {
    /// Reads an address that the client can use.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_sound = SCHEMES.iter().any(|scheme| text.starts_with(scheme));
        (is_sound && redis::Client::open(text).is_ok()).then(|| Self(text.to_owned()))
    }

    /// What is wrong with it: beyond this machine a Redis is to ask for a password, and to be spoken to in
    /// private.
    #[must_use]
    pub fn advice(&self) -> Option<&'static str> {
        let is_private = self.0.starts_with(TLS);
        match (self.is_here(), is_private, self.has_password()) {
            (true, ..) | (false, true, true) => None,
            (false, false, false) => Some(
                "this Redis is on another machine, asks for no password and is spoken to without TLS: whoever can reach \
                 it reads and changes every session; use rediss://USER:PASSWORD@HOST",
            ),
            (false, false, true) => Some(
                "this Redis is on another machine and is spoken to without TLS: its password and every session can be \
                 read on the way; use rediss://, or a tunnel that ends at this machine",
            ),
            (false, true, false) => Some(
                "this Redis is on another machine and asks for no password: whoever can reach it reads and changes \
                 every session; give it one",
            ),
        }
    }

    /// Whether it is on this machine.
    fn is_here(&self) -> bool {
        let Some((authority, _)) = self.authority() else { return true };
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let host = match host.strip_prefix('[') {
            Some(literal) => literal.split(']').next().unwrap_or_default(),
            None => host.split(':').next().unwrap_or_default(),
        };
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    fn has_password(&self) -> bool {
        let who = self.authority().and_then(|(authority, _)| authority.rsplit_once('@'));
        who.and_then(|(who, _)| who.split_once(':')).is_some_and(|(_, password)| !password.is_empty())
    }

    /// What stands before the path, and the path; none for a socket.
    fn authority(&self) -> Option<(&str, &str)> {
        let (scheme, rest) = self.parts();
        let end = rest.find('/').unwrap_or(rest.len());
        if scheme.contains("unix") { None } else { rest.split_at_checked(end) }
    }

    /// The scheme, and the rest without what stands behind a question mark: an address of a socket has its password there.
    fn parts(&self) -> (&str, &str) {
        let (scheme, rest) = self.0.split_once("://").unwrap_or(("redis", &self.0));
        (scheme, rest.split_once('?').map_or(rest, |(path, _)| path))
    }

    /// The whole address, with the password.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RedisUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.parts();
        let (authority, path) = self.authority().unwrap_or(("", rest));
        match authority.rsplit_once('@') {
            Some((who, host)) => {
                let user = who.split_once(':').map_or("", |(user, _)| user);
                write!(formatter, "{scheme}://{user}:{HIDDEN}@{host}{path}")
            }
            None => write!(formatter, "{scheme}://{rest}"),
        }
    }
}

impl fmt::Debug for RedisUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Readable for Option<RedisUrl> {
    const EXPECTED: &'static str = "the address of a Redis such as redis://127.0.0.1:6379/0, rediss://host:6380 or unix:///run/redis.sock";

    fn of_text(text: &str) -> Option<Self> {
        RedisUrl::parse(text).map(Some)
    }

    fn show(&self) -> Value {
        self.as_ref().map(RedisUrl::to_string).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        for (text, shown) in [
            ("redis://127.0.0.1:6379/2", "redis://127.0.0.1:6379/2"),
            ("redis://:hunter2@localhost", "redis://:(hidden)@localhost"),
            ("redis://me:hunter2@[::1]:6379/1", "redis://me:(hidden)@[::1]:6379/1"),
            ("redis://me:a%40hunter2@host/1?protocol=resp3", "redis://me:(hidden)@host/1"),
            ("rediss://me:hunter2@host:6380", "rediss://me:(hidden)@host:6380"),
            ("unix:///run/redis.sock?pass=hunter2", "unix:///run/redis.sock"),
        ] {
            let address = RedisUrl::parse(text).expect(text);
            assert_eq!(address.to_string(), shown);
            assert!(!format!("{address:?}").contains("hunter2"));
            assert_eq!(address.reveal(), text);
        }
    }

    #[test]
    fn d26_beyond_this_machine_a_password_and_tls_are_asked_for() {
        for here in [
            "redis://127.0.0.1",
            "redis://localhost:1/2",
            "redis://[::1]:6379",
            "unix:///run/redis.sock",
            "redis://u@127.0.0.2",
        ] {
            assert_eq!(RedisUrl::parse(here).expect(here).advice(), None, "{here}");
        }
        for (there, asked) in [
            ("redis://10.0.0.5", "no password and"),
            ("redis://localhost.example:6379", "no password and"),
            ("redis://user@10.0.0.5", "no password and"),
            ("redis://:hunter2@10.0.0.5:6379/1", "can be"),
            ("rediss://[2001:db8::1]:6379", "asks for no password:"),
        ] {
            let advice = RedisUrl::parse(there).expect(there).advice().expect(there);
            assert!(advice.contains(asked) && !advice.contains("hunter2"), "{there}: {advice}");
        }
        assert_eq!(RedisUrl::parse("rediss://u:hunter2@10.0.0.5").expect("an address").advice(), None);
    }

    #[test]
    fn what_the_client_cannot_use_is_refused() {
        for text in ["", "localhost:6379", "http://host", "redis://host/x", "redis://"] {
            assert_eq!(RedisUrl::parse(text), None, "{text}");
        }
    }
}
