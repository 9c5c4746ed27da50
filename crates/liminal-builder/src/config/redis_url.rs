//! The address of a Redis. Owns its form, and that its password is not told.

use std::fmt;

use serde_json::Value;

use super::reading::Readable;

const HIDDEN: &str = "(hidden)";
const SCHEMES: [&str; 3] = ["redis://", "redis+unix://", "unix://"];

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

    /// The whole address, with the password.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RedisUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.0.split_once("://").unwrap_or(("redis", &self.0));
        // An address of a socket has its password behind the path.
        let rest = rest.split_once('?').map_or(rest, |(path, _)| path);
        let end = rest.find('/').unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
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
    const EXPECTED: &'static str = "the address of a Redis such as redis://127.0.0.1:6379/0 or unix:///run/redis.sock; TLS is not built in";

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
            ("unix:///run/redis.sock?pass=hunter2", "unix:///run/redis.sock"),
        ] {
            let address = RedisUrl::parse(text).expect(text);
            assert_eq!(address.to_string(), shown);
            assert!(!format!("{address:?}").contains("hunter2"));
            assert_eq!(address.reveal(), text);
        }
    }

    #[test]
    fn what_the_client_cannot_use_is_refused() {
        for text in ["", "localhost:6379", "http://host", "rediss://host", "redis://host/x", "redis://"] {
            assert_eq!(RedisUrl::parse(text), None, "{text}");
        }
    }
}
