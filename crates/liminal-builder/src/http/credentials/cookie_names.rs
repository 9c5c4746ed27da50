//! What the cookie is called. Owns that servers of one machine take nobody's cookie but their own, and that those behind
//! one address take each other's.

use super::secret::Digest;
use crate::http::host::Authority;
use crate::http::web_origin::WebOrigin;

/// The names of one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CookieNames {
    own: Pair,
    /// Where several servers are one, and the name there.
    shared: Option<(String, Pair)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pair {
    plain: String,
    /// One that browsers take from nobody but the very server they ask.
    secure: String,
}

impl CookieNames {
    /// A name of this server alone: by port, and by `instance` where a port is used by one after the other.
    #[must_use]
    pub fn new(port: u16, instance: &str) -> Self {
        Self { own: Pair::new(&format!("{port}_{}", short(instance))), shared: None }
    }

    /// The same for a server that others stand in for at an address: there the name is all of theirs.
    #[must_use]
    pub fn shared_at(self, url: &WebOrigin) -> Self {
        let origin = url.to_string();
        let pair = Pair::new(&short(&origin));
        Self { shared: Some((origin, pair)), ..self }
    }

    /// The name for those who came under this name of the server's.
    #[must_use]
    pub fn under(&self, authority: &Authority) -> &str {
        let shared = self.shared.as_ref().filter(|(origin, _)| *origin == authority.origin());
        let pair = shared.map_or(&self.own, |(_, pair)| pair);
        if authority.is_secure() { &pair.secure } else { &pair.plain }
    }
}

impl Pair {
    fn new(what: &str) -> Self {
        Self { plain: format!("liminal_{what}"), secure: format!("__Host-liminal_{what}") }
    }
}

/// Cookie names take few characters, and what an instance is called is nobody's business.
fn short(text: &str) -> String {
    Digest::of(text).to_text().chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_behind_one_address_share_a_name_there_and_nowhere_else() {
        let url = WebOrigin::parse("http://builder.example:8080").unwrap();
        let names = |port, instance: &str| CookieNames::new(port, instance).shared_at(&url);
        let (one, two) = (names(4747, "one"), names(4757, "two"));
        let at = |text: &str| Authority::parse(text.as_bytes()).unwrap();
        let public = at("builder.example:8080");
        assert_eq!(one.under(&public), two.under(&public));
        let own = one.under(&at("127.0.0.1:4747"));
        assert!(own.starts_with("liminal_4747_"), "{own}");
        assert_ne!(own, one.under(&public));
        assert_ne!(own, CookieNames::new(4747, "other").under(&at("127.0.0.1:4747")));
        let secure = WebOrigin::parse("https://builder.example").unwrap();
        let alone = CookieNames::new(4747, "one");
        assert_eq!(alone.under(&public), own, "nobody else answers there");
        let secured = alone.shared_at(&secure);
        assert_eq!(secured.under(&at("builder.example")), own, "another scheme is another address");
    }
}
