//! Any bytes as `Origin` and `Sec-Fetch-Site` headers: whoever acts without a token is a page of exactly our origin.

use liminal_builder::http::host::Authority;
use liminal_builder::http::origin::{Provenance, Trust, judge};
use url::Url;

const OWN: &str = "localhost:4747";

/// The first byte tells what kind of request it is, a zero byte separates the two kinds of headers, an end of a line two
/// headers of one kind.
pub(crate) fn check(bytes: &[u8]) {
    let Some((kind, headers)) = bytes.split_first() else { return };
    let mut lists = headers.split(|byte| *byte == 0).map(lines);
    let (origins, sites) = (lists.next().unwrap_or_default(), lists.next().unwrap_or_default());
    let is = |bit: u8| kind & (1 << bit) != 0;
    let provenance = Provenance {
        origins: &origins,
        fetch_sites: &sites,
        acts: is(0),
        shows_page: is(1),
        has_authorization: is(2),
        is_guest: is(3),
    };
    let own = Authority::parse(OWN.as_bytes()).expect("a name and a port");
    match judge(&provenance, &own) {
        Ok(Trust::Own) => check_own(&provenance),
        Ok(Trust::IfToken) => {
            assert!(provenance.has_authorization && (provenance.is_guest || origins.is_empty()));
        }
        Err(_) => {}
    }
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    if text.is_empty() { Vec::new() } else { text.split(|byte| *byte == b'\n').collect() }
}

fn check_own(provenance: &Provenance<'_>) {
    let Provenance { origins, fetch_sites, acts, shows_page, .. } = *provenance;
    assert!(!provenance.is_guest);
    assert!(!acts || !origins.is_empty(), "it acts and does not tell its origin");
    for origin in origins {
        let text = std::str::from_utf8(origin).expect("an origin that was taken is text");
        let read = Url::parse(text).map(|url| url.origin().ascii_serialization());
        assert_eq!((origins.len(), read.as_deref()), (1, Ok(text)));
        assert_eq!(text, format!("http://{OWN}"));
    }
    let is_own_site = matches!(fetch_sites, [] | [b"same-origin" | b"none"]);
    assert!(is_own_site || (shows_page && !acts), "{fetch_sites:?}");
}
