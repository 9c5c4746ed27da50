//! Under which names this server answers. Owns the reading of a `Host` and the list of own names; knows nothing of
//! requests. It is the only gate against DNS rebinding: a rebound page is of our origin in all but its name.

use std::fmt;
use std::net::{Ipv6Addr, SocketAddr};

/// The port that `http` addresses leave out.
const DEFAULT_PORT: u16 = 80;
/// No DNS name is longer.
const LONGEST_NAME: usize = 253;

/// A host and a port, as in `localhost:4747`. Its text is the one browsers use: small letters, no default port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authority {
    host: String,
    port: u16,
    /// Whether pages under this name came by `https`, which somebody before us speaks.
    is_secure: bool,
}

/// Why a request's name is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HostFault {
    /// There is none.
    #[error("send one Host header with the server's name and port")]
    Missing,
    /// There are several, or the target names another.
    #[error("the request names more than one host")]
    Several,
    /// It is not a host and a port.
    #[error("the Host header is not a name and a port")]
    Malformed,
    /// It is somebody else's.
    #[error("this server answers only to its own address")]
    Foreign,
}

/// The names of one server.
#[derive(Debug, Clone)]
pub struct OwnNames(Vec<Authority>);

impl OwnNames {
    /// The names of a server that listens here: the address, and those every machine has for itself.
    #[must_use]
    pub fn of(address: SocketAddr) -> Self {
        let literal = match address {
            SocketAddr::V4(address) => address.ip().to_string(),
            SocketAddr::V6(address) => format!("[{}]", address.ip()),
        };
        let hosts = [literal.as_str(), "localhost", "127.0.0.1", "[::1]"];
        let port = address.port();
        Self(hosts.iter().map(|&host| Authority::plain(host.to_owned(), port)).collect())
    }

    /// The same with names that the user gave the server, each with the server's port.
    #[must_use]
    pub fn with(mut self, names: impl IntoIterator<Item = String>, port: u16) -> Self {
        self.0.extend(names.into_iter().map(|name| Authority::plain(literal(&name), port)));
        self
    }

    /// The same with addresses under which a proxy shows the server, such as `https://builder.example`.
    #[must_use]
    pub fn behind(mut self, addresses: impl IntoIterator<Item = String>) -> Self {
        self.0.extend(addresses.into_iter().filter_map(|address| Authority::of_address(&address)));
        self
    }

    fn find(&self, name: &Authority) -> Option<&Authority> {
        self.0.iter().find(|own| own.host == name.host && own.port == name.port)
    }

    /// The name among ours that a request came under. `target` is the authority of an absolute target.
    pub fn judge<'a>(
        &self,
        hosts: impl IntoIterator<Item = &'a [u8]>,
        target: Option<&str>,
    ) -> Result<Authority, HostFault> {
        let mut hosts = hosts.into_iter();
        let host = hosts.next().ok_or(HostFault::Missing)?;
        if hosts.next().is_some() {
            return Err(HostFault::Several);
        }
        let host = Authority::parse(host).ok_or(HostFault::Malformed)?;
        let target = target.map(|target| Authority::parse(target.as_bytes()).ok_or(HostFault::Malformed));
        let target = target.transpose()?;
        let own = self.find(&host).ok_or(HostFault::Foreign)?;
        if target.as_ref().is_some_and(|target| self.find(target).is_none()) {
            return Err(HostFault::Foreign);
        }
        if target.is_some_and(|target| target != host) {
            return Err(HostFault::Several);
        }
        Ok(own.clone())
    }
}

impl Authority {
    /// Reads a name and a port; anything that could be understood in two ways gives `None`.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (host, port) = if text.starts_with('[') { split_literal(text)? } else { split_name(text)? };
        Some(Self::plain(host.to_ascii_lowercase(), read_port(port)?))
    }

    /// Reads `http://` or `https://` with a name and perhaps a port, and nothing behind them.
    #[must_use]
    pub fn of_address(address: &str) -> Option<Self> {
        let (scheme, name) = address.split_once("://")?;
        let is_secure = match scheme {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        Some(Self { is_secure, ..Self::parse(name.as_bytes())? })
    }

    const fn plain(host: String, port: u16) -> Self {
        Self { host, port, is_secure: false }
    }

    /// Whether pages under this name came by `https`.
    #[must_use]
    pub const fn is_secure(&self) -> bool {
        self.is_secure
    }

    /// The origin of pages that are served under this name.
    #[must_use]
    pub fn origin(&self) -> String {
        if self.is_secure { format!("https://{self}") } else { format!("http://{self}") }
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.host)?;
        if self.port == DEFAULT_PORT { Ok(()) } else { write!(formatter, ":{}", self.port) }
    }
}

/// A name as it stands before a port: small letters, and brackets around addresses with colons.
fn literal(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    if name.parse::<Ipv6Addr>().is_ok() { format!("[{name}]") } else { name }
}

/// `[::1]:80` is `("[::1]", Some("80"))`.
fn split_literal(text: &str) -> Option<(&str, Option<&str>)> {
    let (address, rest) = text.strip_prefix('[')?.split_once(']')?;
    address.parse::<Ipv6Addr>().ok()?;
    let host = text.get(..address.len() + 2)?;
    if rest.is_empty() { Some((host, None)) } else { Some((host, Some(rest.strip_prefix(':')?))) }
}

fn split_name(text: &str) -> Option<(&str, Option<&str>)> {
    let (host, port) = text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)));
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let fits = !host.is_empty() && host.len() <= LONGEST_NAME && host.bytes().all(is_name);
    fits.then_some((host, port))
}

fn read_port(port: Option<&str>) -> Option<u16> {
    let Some(port) = port else { return Some(DEFAULT_PORT) };
    let plain = port.bytes().all(|byte| byte.is_ascii_digit()) && !port.starts_with('0');
    if plain { port.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use proptest::prelude::*;

    use super::*;

    fn names(port: u16) -> OwnNames {
        OwnNames::of(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
    }

    fn judge(port: u16, hosts: &[&str], target: Option<&str>) -> Result<String, HostFault> {
        let hosts = hosts.iter().map(|host| host.as_bytes());
        names(port).judge(hosts, target).map(|authority| authority.to_string())
    }

    #[test]
    fn only_own_names_with_the_exact_port_are_taken() {
        for own in ["localhost:4747", "127.0.0.1:4747", "[::1]:4747"] {
            assert_eq!(judge(4747, &[own], None), Ok(own.to_owned()));
        }
        assert_eq!(judge(4747, &["LocalHost:4747"], None), Ok("localhost:4747".to_owned()));
        for foreign in [
            "localhost",
            "127.0.0.1",
            "[::1]",
            "localhost:80",
            "localhost:4748",
            "localhost:47470",
            "localhost.:4747",
            "localhost.evil.example:4747",
            "evil.example:4747",
            "127.0.0.1.nip.io:4747",
            "7f000001.rbndr.us:4747",
            "127.1:4747",
            "0.0.0.0:4747",
            "2130706433:4747",
            "0x7f.1:4747",
            "127.0.0.2:4747",
            "[::ffff:127.0.0.1]:4747",
            "[0:0:0:0:0:0:0:1]:4747",
            "xn--lcalhost-s4a:4747",
        ] {
            assert_eq!(judge(4747, &[foreign], None), Err(HostFault::Foreign), "{foreign}");
        }
    }

    #[test]
    fn names_that_the_user_gave_are_taken_with_the_port() {
        let given = ["Builder.example", "[fd00::1]", "fd00::2"].map(str::to_owned);
        let names = names(4747).with(given, 4747);
        for own in ["builder.example:4747", "BUILDER.EXAMPLE:4747", "[fd00::1]:4747", "[fd00::2]:4747"] {
            assert!(names.judge([own.as_bytes()], None).is_ok(), "{own}");
        }
        for foreign in
            ["builder.example", "builder.example:80", "a.builder.example:4747", "builder.example.:4747"]
        {
            assert_eq!(names.judge([foreign.as_bytes()], None), Err(HostFault::Foreign), "{foreign}");
        }
    }

    #[test]
    fn addresses_of_a_proxy_are_taken_with_their_own_port_and_scheme() {
        let names =
            names(4747).behind(["https://builder.example", "http://[fd00::1]:8080"].map(str::to_owned));
        for (host, origin) in [
            ("builder.example", "https://builder.example"),
            ("[fd00::1]:8080", "http://[fd00::1]:8080"),
            ("localhost:4747", "http://localhost:4747"),
        ] {
            assert_eq!(names.judge([host.as_bytes()], None).unwrap().origin(), origin);
        }
        for foreign in ["builder.example:4747", "[fd00::1]:4747", "builder.example:443", "a.builder.example"]
        {
            assert_eq!(names.judge([foreign.as_bytes()], None), Err(HostFault::Foreign), "{foreign}");
        }
        for address in [
            "builder.example",
            "ftp://builder.example",
            "https://builder.example/",
            "https://a b",
            "https://",
        ] {
            assert_eq!(Authority::of_address(address), None, "{address}");
        }
    }

    #[test]
    fn what_is_no_name_and_port_is_malformed() {
        for malformed in [
            "",
            ":4747",
            "localhost:",
            "localhost:04747",
            "localhost:+4747",
            "localhost:99999",
            "localhost:0",
            "localhost:47 47",
            " localhost:4747",
            "localhost:4747,evil.example",
            "localhost:4747@evil.example",
            "evil.example@localhost:4747",
            "http://localhost:4747",
            "localhost:4747/",
            "localhost:4747:4747",
            "[::1:4747",
            "[::1]4747",
            "[localhost]:4747",
            "[::1%25lo]:4747",
            "::1",
            "ⓛocalhost:4747",
        ] {
            assert_eq!(judge(4747, &[malformed], None), Err(HostFault::Malformed), "{malformed}");
        }
    }

    #[test]
    fn there_is_exactly_one_name() {
        assert_eq!(judge(4747, &[], None), Err(HostFault::Missing));
        assert_eq!(judge(4747, &["localhost:4747", "localhost:4747"], None), Err(HostFault::Several));
        let (own, other) = ("localhost:4747", "127.0.0.1:4747");
        assert_eq!(judge(4747, &[own], Some(own)), Ok(own.to_owned()));
        assert_eq!(judge(4747, &[own], Some(other)), Err(HostFault::Several));
        assert_eq!(judge(4747, &[own], Some("evil.example")), Err(HostFault::Foreign));
        assert_eq!(judge(4747, &["evil.example"], Some(own)), Err(HostFault::Foreign));
        assert_eq!(judge(4747, &[own], Some("a@b")), Err(HostFault::Malformed));
    }

    #[test]
    fn the_default_port_may_be_left_out() {
        assert_eq!(judge(80, &["localhost"], None), Ok("localhost".to_owned()));
        assert_eq!(judge(80, &["localhost:80"], None), Ok("localhost".to_owned()));
        assert_eq!(Authority::parse(b"localhost").unwrap().origin(), "http://localhost");
    }

    proptest! {
        /// Against the plainest rule there is: a list of texts.
        #[test]
        fn a_name_is_taken_exactly_if_it_is_written_like_one_of_ours(
            text in "(localhost|LOCALHOST|127\\.0\\.0\\.1|\\[::1\\]|[a-z.]{0,3}|localhost\\.)(:(4747|0?80|[0-9]{0,5}))?[ /@,]?"
        ) {
            let own = ["localhost:4747", "127.0.0.1:4747", "[::1]:4747"];
            let expected = own.contains(&text.to_ascii_lowercase().as_str());
            prop_assert_eq!(judge(4747, &[&text], None).is_ok(), expected);
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Some(authority) = Authority::parse(&bytes) {
                prop_assert_eq!(Authority::parse(authority.to_string().as_bytes()), Some(authority));
            }
        }
    }
}
