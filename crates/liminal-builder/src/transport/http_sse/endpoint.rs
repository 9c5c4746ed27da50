//! Where requests go and what they carry. Owns the credentials: they leave through the headers of a request only, and
//! whatever comes back is searched for them.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use memchr::memmem;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Url, redirect};

use super::HttpPatience;

const HIDDEN: &[u8] = b"[key]";

/// A header that carries a secret.
#[derive(Clone)]
pub struct Credential {
    /// The header.
    pub header: &'static str,
    /// What stands before the secret in it.
    pub scheme: &'static str,
    /// The secret.
    pub secret: String,
}

impl fmt::Debug for Credential {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Credential").field("header", &self.header).finish_non_exhaustive()
    }
}

/// Why an endpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// The address is none.
    #[error("{0} is not an address; write it like https://example.com")]
    NotAnAddress(String),
    /// A key must not travel in the open.
    #[error("{0} would send the key in the open; use https, or http on this machine only")]
    Unencrypted(String),
    /// The secret has letters that no header can carry.
    #[error("the key has letters that no key has; set it again")]
    BadKey,
    /// The system has no certificates, or another thing that TLS needs is missing.
    #[error("cannot make connections: {0}; install the system's certificates (ca-certificates)")]
    Client(String),
}

/// One address of a model's API, with everything that every request to it needs.
pub struct Endpoint {
    client: Client,
    url: Url,
    headers: HeaderMap,
    secret: String,
    pub(super) patience: HttpPatience,
}

impl Endpoint {
    /// An endpoint below a base address. Connections to it are shared by all who share it.
    pub fn new(
        base: &str,
        path: &str,
        credential: &Credential,
        headers: &[(&'static str, &'static str)],
        patience: HttpPatience,
    ) -> Result<Self, EndpointError> {
        let url = address(base, path)?;
        let mut map = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        for (name, value) in headers {
            map.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let mut value = HeaderValue::try_from(format!("{}{}", credential.scheme, credential.secret))
            .map_err(|_| EndpointError::BadKey)?;
        value.set_sensitive(true);
        map.insert(HeaderName::from_static(credential.header), value);
        let client =
            client(&url, patience.connect).map_err(|error| EndpointError::Client(root_cause(&error)))?;
        Ok(Self { client, url, headers: map, secret: credential.secret.clone(), patience })
    }

    /// Whether requests can go to this address at all.
    pub fn check_address(base: &str) -> Result<(), EndpointError> {
        address(base, "").map(drop)
    }

    pub(super) fn post(&self, body: Vec<u8>) -> RequestBuilder {
        self.client.post(self.url.clone()).headers(self.headers.clone()).body(body)
    }

    /// What went wrong, in words; without the address, in which a password may stand.
    pub(super) fn told(&self, error: reqwest::Error) -> String {
        let host = self.url.host_str().unwrap_or_default();
        let error = error.without_url();
        match error.is_connect() {
            true => format!("cannot connect to {host}: {}", root_cause(&error)),
            false => root_cause(&error),
        }
    }

    /// What came back, without the secret: a server may repeat what it was sent.
    pub(super) fn without_secret(&self, bytes: Vec<u8>) -> Vec<u8> {
        let secret = self.secret.as_bytes();
        if secret.is_empty() || memmem::find(&bytes, secret).is_none() {
            return bytes;
        }
        let mut clean = Vec::with_capacity(bytes.len());
        let mut from = 0;
        for at in memmem::find_iter(&bytes, secret) {
            clean.extend_from_slice(bytes.get(from..at).unwrap_or_default());
            clean.extend_from_slice(HIDDEN);
            from = at + secret.len();
        }
        clean.extend_from_slice(bytes.get(from..).unwrap_or_default());
        clean
    }
}

/// Without headers and without what may stand in the address before the host.
impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Endpoint").field("host", &self.url.host_str()).finish_non_exhaustive()
    }
}

fn address(base: &str, path: &str) -> Result<Url, EndpointError> {
    let shown = without_user(base);
    let wrong = || EndpointError::NotAnAddress(shown.clone().into_owned());
    let url = Url::parse(&format!("{}{path}", base.trim_end_matches('/'))).map_err(|_| wrong())?;
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        "http" => Err(EndpointError::Unencrypted(shown.into_owned())),
        _ => Err(wrong()),
    }
}

/// An address as it may be shown: a password may stand in it.
fn without_user(base: &str) -> Cow<'_, str> {
    match (base.split_once("://"), base.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => Cow::Owned(format!("{scheme}://{rest}")),
        (None, Some((_, rest))) => Cow::Borrowed(rest),
        (_, None) => Cow::Borrowed(base),
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// No redirects: they would carry the key to wherever they lead.
fn client(url: &Url, connect: Duration) -> reqwest::Result<Client> {
    // Whoever comes first installs it; they are all the same.
    drop(rustls::crypto::ring::default_provider().install_default());
    let agent = concat!("liminal-builder/", env!("CARGO_PKG_VERSION"));
    let builder =
        Client::builder().user_agent(agent).connect_timeout(connect).redirect(redirect::Policy::none());
    // A proxy has no way to this machine.
    let builder = if is_loopback(url) { builder.no_proxy() } else { builder };
    // Where nothing is encrypted, a machine without certificates will do.
    if url.scheme() == "http" { builder.tls_certs_only([]).build() } else { builder.build() }
}

/// The innermost cause of an error, which says the most; those around it name parts of the library.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-secret";

    fn endpoint(base: &str) -> Result<Endpoint, EndpointError> {
        let credential = Credential { header: "x-api-key", scheme: "", secret: KEY.to_owned() };
        Endpoint::new(base, "/v1/messages", &credential, &[("a", "b")], HttpPatience::default())
    }

    #[test]
    fn a_key_travels_encrypted_or_not_at_all() {
        for base in [
            "https://example.com",
            "https://example.com/",
            "http://127.0.0.1:1",
            "http://[::1]:1",
            "http://localhost",
        ] {
            let url = address(base, "/v1/messages").unwrap();
            assert!(url.as_str().ends_with("/v1/messages") && url.path() == "/v1/messages", "{url}");
        }
        for base in ["http://example.com", "http://127.0.0.1.example.com", "http://user:word@example.com"] {
            let error = endpoint(base).unwrap_err().to_string();
            assert!(error.contains("in the open") && !error.contains("word"), "{error}");
        }
        for base in ["", "example.com", "ftp://example.com", "file:///etc"] {
            assert!(matches!(endpoint(base), Err(EndpointError::NotAnAddress(_))), "{base}");
        }
    }

    #[test]
    fn a_key_is_never_shown() {
        let endpoint = endpoint("http://user:word@127.0.0.1:1").unwrap();
        let credential = Credential { header: "x-api-key", scheme: "", secret: KEY.to_owned() };
        let shown = format!("{endpoint:?} {credential:?} {:?}", endpoint.post(Vec::new()));
        assert!(!shown.contains(KEY) && !format!("{endpoint:?}").contains("word"), "{shown}");
        assert_eq!(endpoint.without_secret(b"a sk-secret b sk-secret".to_vec()), b"a [key] b [key]");
        assert_eq!(endpoint.without_secret(b"nothing".to_vec()), b"nothing");
    }

    #[test]
    fn a_key_that_no_header_can_carry_is_told_without_it() {
        let credential = Credential { header: "x-api-key", scheme: "", secret: "line\nbreak".to_owned() };
        let error =
            Endpoint::new("https://example.com", "/", &credential, &[], HttpPatience::default()).unwrap_err();
        assert_eq!(error.to_string(), "the key has letters that no key has; set it again");
    }
}
