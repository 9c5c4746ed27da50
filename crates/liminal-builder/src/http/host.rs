//! Under which names this server answers. Owns the reading of a `Host` and the list of own names; knows nothing of
//! requests. It is the only gate against DNS rebinding: a rebound page is of our origin in all but its name.

use std::borrow::Cow;
use std::fmt;
use std::net::{Ipv6Addr, SocketAddr};

use super::web_origin::WebOrigin;

/// The port that `http` addresses leave out.
const DEFAULT_PORT: u16 = 80;
/// The port that `https` addresses leave out.
const DEFAULT_SECURE_PORT: u16 = 443;
/// No DNS name is longer.
const LONGEST_NAME: usize = 253;

/// A host and a port, as in `localhost:4747`. Its text is the one browsers use: small letters, no default port.
#[derive(Debug, Clone)]
pub struct Authority {
    host: String,
    /// Nothing if it was left out; which one that is depends on the scheme.
    port: Option<u16>,
    /// Whether pages under this name come over TLS. A name alone does not tell.
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
pub struct OwnNames {
    names: Vec<Authority>,
    /// It listens at every address of the machine.
    is_wide: bool,
    is_secure: bool,
}

impl OwnNames {
    /// The names of a server that listens here: the address, and those every machine has for itself.
    #[must_use]
    pub fn of(address: SocketAddr) -> Self {
        let hosts = [address_literal(address).as_str(), "localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let is_wide = address.ip().is_unspecified();
        // What names every address names none.
        let hosts = hosts.into_iter().skip(usize::from(is_wide));
        Self { names: Vec::new(), is_wide, is_secure: false }.with(hosts, address.port())
    }

    /// The names of a server that listens on a socket in the file system: clients have to say something.
    #[must_use]
    pub fn of_socket() -> Self {
        let none = Self { names: Vec::new(), is_wide: false, is_secure: false };
        none.with(["localhost".to_owned()], DEFAULT_PORT)
    }

    /// The same with pages that come over TLS.
    #[must_use]
    pub fn secured(self) -> Self {
        let names = self.names.into_iter().map(Authority::secured).collect();
        Self { names, is_secure: true, ..self }
    }

    /// The same with where browsers reach the server.
    #[must_use]
    pub fn with_public(mut self, url: Option<&WebOrigin>) -> Self {
        self.names.extend(url.map(|url| url.authority().clone()));
        self
    }

    /// The names under which a connection to one of our addresses may ask. A server that listens at all of them cannot
    /// list them, but a page that was bound to one by DNS always carries its name, never an address.
    #[must_use]
    pub fn at(&self, local: Option<SocketAddr>) -> Cow<'_, Self> {
        let Some(local) = local.filter(|_| self.is_wide) else { return Cow::Borrowed(self) };
        let local = SocketAddr::new(local.ip().to_canonical(), local.port());
        let mut own = self.clone().with([address_literal(local)], local.port());
        if self.is_secure {
            own = own.secured();
        }
        Cow::Owned(own)
    }

    /// The same with names that the user gave the server, each with the server's port.
    #[must_use]
    pub fn with(mut self, names: impl IntoIterator<Item = String>, port: u16) -> Self {
        let authority = |name: String| Authority { host: literal(&name), port: Some(port), is_secure: false };
        self.names.extend(names.into_iter().map(authority));
        self
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
        match target.map(|target| self.find(&target).ok_or(HostFault::Foreign)).transpose()? {
            Some(target) if target != own => Err(HostFault::Several),
            Some(_) | None => Ok(own.clone()),
        }
    }

    /// A request's name does not tell its scheme, so a port that it leaves out is the one of ours that may be left out.
    fn find(&self, name: &Authority) -> Option<&Authority> {
        self.names.iter().find(|own| own.host == name.host && own.is_reached_at(name.port))
    }
}

impl Authority {
    /// Reads a name and a port; anything that could be understood in two ways gives `None`.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (host, port) = if text.starts_with('[') { split_literal(text)? } else { split_name(text)? };
        let port = match port {
            Some(port) => Some(read_port(port)?),
            None => None,
        };
        Some(Self { host: host.to_ascii_lowercase(), port, is_secure: false })
    }

    /// The same over TLS, where another port is left out.
    pub(super) fn secured(self) -> Self {
        Self { is_secure: true, ..self }
    }

    const fn default_port(&self) -> u16 {
        if self.is_secure { DEFAULT_SECURE_PORT } else { DEFAULT_PORT }
    }

    fn port_number(&self) -> u16 {
        self.port.unwrap_or(self.default_port())
    }

    /// Whether whoever names this port means this. Nobody who asks over TLS names the default one.
    fn is_reached_at(&self, port: Option<u16>) -> bool {
        let is_named_in_vain = self.is_secure && port == Some(DEFAULT_SECURE_PORT);
        !is_named_in_vain && port.unwrap_or(self.default_port()) == self.port_number()
    }

    /// Whether its pages come over TLS.
    #[must_use]
    pub const fn is_secure(&self) -> bool {
        self.is_secure
    }

    /// The origin of pages that are served under this name.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("{}://{self}", if self.is_secure { "https" } else { "http" })
    }

    /// Where sockets of those pages lead.
    #[must_use]
    pub fn sockets(&self) -> String {
        format!("{}://{self}", if self.is_secure { "wss" } else { "ws" })
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.host)?;
        let port = self.port_number();
        if port == self.default_port() { Ok(()) } else { write!(formatter, ":{port}") }
    }
}

/// A port that is left out is the same as the one that it stands for.
impl PartialEq for Authority {
    fn eq(&self, other: &Self) -> bool {
        let of = |one: &Self| (one.port_number(), one.is_secure);
        self.host == other.host && of(self) == of(other)
    }
}

impl Eq for Authority {}

fn address_literal(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
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

fn read_port(port: &str) -> Option<u16> {
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
    fn d24_where_browsers_reach_the_server_is_a_name_of_its_own() {
        let public = WebOrigin::parse("https://Builder.example").unwrap();
        assert_eq!(public.to_string(), "https://builder.example");
        let names = names(4747).with_public(Some(&public));
        let own = names.judge([&b"builder.example"[..]], None).unwrap();
        assert_eq!(
            (own.origin(), own.sockets()),
            ("https://builder.example".into(), "wss://builder.example".into())
        );
        let local = names.judge([&b"localhost:4747"[..]], None).unwrap();
        assert_eq!(local.origin(), "http://localhost:4747");
        for foreign in ["builder.example:4747", "builder.example:443", "evil.builder.example"] {
            assert_eq!(names.judge([foreign.as_bytes()], None), Err(HostFault::Foreign), "{foreign}");
        }
        for wrong in [
            "builder.example",
            "ftp://a",
            "https://a/b",
            "https://a/",
            "https://",
            "https://u@a",
            "https://*",
        ] {
            assert_eq!(WebOrigin::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn d02_a_server_at_every_address_takes_the_one_it_was_reached_by_and_no_other() {
        let names = OwnNames::of("0.0.0.0:4747".parse().unwrap());
        let reached = names.at(Some("192.0.2.7:4747".parse().unwrap()));
        for (name, is_own) in [
            ("192.0.2.7:4747", true),
            ("localhost:4747", true),
            ("0.0.0.0:4747", false),
            ("192.0.2.8:4747", false),
            ("evil.example:4747", false),
        ] {
            assert_eq!(reached.judge([name.as_bytes()], None).is_ok(), is_own, "{name}");
        }
        let narrow = OwnNames::of("127.0.0.1:4747".parse().unwrap());
        let reached = narrow.at(Some("192.0.2.7:4747".parse().unwrap()));
        assert!(reached.judge([&b"192.0.2.7:4747"[..]], None).is_err());
        let secure = names.secured().at(Some("192.0.2.7:4747".parse().unwrap())).into_owned();
        assert_eq!(secure.judge([&b"192.0.2.7:4747"[..]], None).unwrap().origin(), "https://192.0.2.7:4747");
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
    fn each_scheme_leaves_out_its_own_port_alone() {
        for (text, expected) in [
            ("https://a.example:443", "https://a.example"),
            ("https://a.example:80", "https://a.example:80"),
            ("http://a.example:80", "http://a.example"),
            ("http://a.example:443", "http://a.example:443"),
        ] {
            assert_eq!(WebOrigin::parse(text).unwrap().to_string(), expected);
        }
        let secure = names(443).secured();
        assert!(secure.judge([&b"localhost"[..]], None).is_ok());
        assert_eq!(secure.judge([&b"localhost:80"[..]], None), Err(HostFault::Foreign));
        let odd = names(80).secured();
        assert_eq!(odd.judge([&b"localhost:80"[..]], None).unwrap().origin(), "https://localhost:80");
        assert_eq!(odd.judge([&b"localhost"[..]], None), Err(HostFault::Foreign));
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
