//! Any lines as `Host` headers, the last one as the target of the request: what is taken is exactly one name of ours, as
//! browsers read it too.

use std::net::{Ipv4Addr, SocketAddr};

use liminal_builder::http::host::{Authority, OwnNames};
use liminal_builder::http::web_origin::WebOrigin;
use url::{Host, Url};

const PORT: u16 = 4747;

pub(crate) fn check(bytes: &[u8]) {
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let Some((target, hosts)) = lines.split_last() else { return };
    let Ok(target) = std::str::from_utf8(target) else { return };
    for names in own_names() {
        check_names(&names, hosts, Some(target).filter(|target| !target.is_empty()));
    }
    check_origin(target);
}

/// The names of a server on this machine alone, of one at every address, and of one with a certificate.
fn own_names() -> [OwnNames; 3] {
    let (local, public) =
        (SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)), WebOrigin::parse("https://builder.example"));
    let everywhere = OwnNames::of(SocketAddr::from((Ipv4Addr::UNSPECIFIED, PORT)));
    let reached = everywhere.at(Some(SocketAddr::from(([192, 0, 2, 7], PORT)))).into_owned();
    let given = OwnNames::of(local).with(["fd00::2".to_owned()], PORT).with_public(public.as_ref());
    [given, reached, OwnNames::of(SocketAddr::from((Ipv4Addr::LOCALHOST, 443))).secured()]
}

fn check_names(names: &OwnNames, hosts: &[&[u8]], target: Option<&str>) {
    let Ok(own) = names.judge(hosts.iter().copied(), target) else { return };
    let [host] = hosts else { panic!("{} names were taken", hosts.len()) };
    let host = std::str::from_utf8(host).expect("a name that was taken is text");
    for text in [Some(host), target].into_iter().flatten() {
        assert_eq!(as_browsers_read(text, &own), Some(own.origin()), "{text}");
    }
}

/// The origin of the page at this name.
fn as_browsers_read(text: &str, own: &Authority) -> Option<String> {
    let scheme = if own.is_secure() { "https" } else { "http" };
    let url = Url::parse(&format!("{scheme}://{text}/")).ok()?;
    let is_bare = url.username().is_empty() && url.password().is_none() && url.path() == "/";
    (is_bare && url.query().is_none() && url.fragment().is_none()).then(|| url.origin().ascii_serialization())
}

/// An origin as a user writes it means the same to browsers. They write addresses in their own way.
fn check_origin(text: &str) {
    let Some(origin) = WebOrigin::parse(text) else { return };
    assert_eq!(WebOrigin::parse(&origin.to_string()), Some(origin.clone()), "{text}");
    let Ok(url) = Url::parse(text) else { return };
    if matches!(url.host(), Some(Host::Domain(_))) {
        assert_eq!(url.origin().ascii_serialization(), origin.to_string(), "{text}");
    }
}
