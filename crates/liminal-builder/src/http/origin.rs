//! Which page made a request. Owns the rules of `Origin` and `Sec-Fetch-Site`; knows nothing of credentials but
//! whether a token was sent at all.

use super::host::Authority;

/// What a request tells of where it comes from.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and all combinations occur")]
pub struct Provenance<'a> {
    /// Every `Origin` header.
    pub origins: &'a [&'a [u8]],
    /// Every `Sec-Fetch-Site` header.
    pub fetch_sites: &'a [&'a [u8]],
    /// Whether it may change something or opens a socket, so that it must tell its origin.
    pub acts: bool,
    /// Whether it only shows a page, which links from elsewhere may do.
    pub shows_page: bool,
    /// Whether it carries an `Authorization` header. Browsers do not add one by themselves.
    pub has_authorization: bool,
    /// Whether its one origin is among those that the user named.
    pub is_guest: bool,
}

/// How far the provenance of a request is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// It is ours, or it does not matter.
    Own,
    /// Only a program can have sent it, if its token is right.
    IfToken,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OriginFault {
    /// A page of another origin made it.
    #[error("requests from other origins are refused")]
    Foreign,
    /// A page that the user named made it, without the token.
    #[error("pages of this origin must send the token in an Authorization header; cookies do not count")]
    Tokenless,
    /// It does not tell which page made it.
    #[error("send the Origin header as browsers do, or an Authorization header")]
    Untold,
}

/// Judges a request that came under our name `own`. A page must be of exactly that name: `localhost` and `127.0.0.1`
/// can lead to different programs of different users.
pub fn judge(provenance: &Provenance<'_>, own: &Authority) -> Result<Trust, OriginFault> {
    if provenance.is_guest {
        return if provenance.has_authorization { Ok(Trust::IfToken) } else { Err(OriginFault::Tokenless) };
    }
    let shows_page = provenance.shows_page && !provenance.acts;
    if !shows_page && !is_site_trusted(provenance.fetch_sites) {
        return Err(OriginFault::Foreign);
    }
    match provenance.origins {
        [origin] if *origin == own.origin().as_bytes() => Ok(Trust::Own),
        [] if !provenance.acts => Ok(Trust::Own),
        [] if provenance.has_authorization => Ok(Trust::IfToken),
        [] => Err(OriginFault::Untold),
        [..] => Err(OriginFault::Foreign),
    }
}

/// Programs send no such header; browsers send exactly one and let no page change it.
fn is_site_trusted(sites: &[&[u8]]) -> bool {
    matches!(sites, [] | [b"same-origin" | b"none"])
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "http://localhost:4747";

    fn judge(
        origins: &[&str],
        sites: &[&str],
        change: fn(&mut Provenance<'_>),
    ) -> Result<Trust, OriginFault> {
        let origins: Vec<_> = origins.iter().map(|text| text.as_bytes()).collect();
        let sites: Vec<_> = sites.iter().map(|text| text.as_bytes()).collect();
        let mut provenance = Provenance {
            origins: &origins,
            fetch_sites: &sites,
            acts: true,
            shows_page: false,
            has_authorization: false,
            is_guest: false,
        };
        change(&mut provenance);
        super::judge(&provenance, &Authority::parse(b"localhost:4747").unwrap())
    }

    #[test]
    fn only_the_exact_origin_may_act() {
        assert_eq!(judge(&[OWN], &[], |_| {}), Ok(Trust::Own));
        for foreign in [
            "null",
            "",
            "*",
            "http://localhost",
            "http://localhost:4748",
            "http://localhost:47470",
            "http://localhost:4747.evil.example",
            "http://localhost:4747/",
            "http://localhost:4747 ",
            "https://localhost:4747",
            "HTTP://LOCALHOST:4747",
            "http://evil-localhost:4747",
            "http://localhost.evil.example:4747",
            "http://user@localhost:4747",
            "http://127.0.0.1:4747",
            "http://[::1]:4747",
            "http://2130706433:4747",
            "ws://localhost:4747",
            "file://",
            "chrome-extension://abcdefgh",
            "http://localhost:4747, http://localhost:4747",
        ] {
            assert_eq!(judge(&[foreign], &[], |_| {}), Err(OriginFault::Foreign), "{foreign}");
            let with_token = judge(&[foreign], &[], |provenance| provenance.has_authorization = true);
            assert_eq!(with_token, Err(OriginFault::Foreign), "{foreign} and a token");
            let reading = judge(&[foreign], &[], |provenance| provenance.acts = false);
            assert_eq!(reading, Err(OriginFault::Foreign), "{foreign} reads");
        }
        assert_eq!(judge(&[OWN, OWN], &[], |_| {}), Err(OriginFault::Foreign));
    }

    #[test]
    fn an_untold_origin_needs_a_token() {
        assert_eq!(judge(&[], &[], |_| {}), Err(OriginFault::Untold));
        assert_eq!(judge(&[], &["same-origin"], |_| {}), Err(OriginFault::Untold));
        assert_eq!(judge(&[], &[], |provenance| provenance.has_authorization = true), Ok(Trust::IfToken));
        assert_eq!(judge(&[], &[], |provenance| provenance.acts = false), Ok(Trust::Own));
    }

    #[test]
    fn d08_a_page_that_the_user_named_needs_the_token() {
        for site in ["cross-site", "same-site"] {
            let bare = judge(&["https://a.example"], &[site], |provenance| provenance.is_guest = true);
            assert_eq!(bare, Err(OriginFault::Tokenless));
            let with_token = judge(&["https://a.example"], &[site], |provenance| {
                (provenance.is_guest, provenance.has_authorization) = (true, true);
            });
            assert_eq!(with_token, Ok(Trust::IfToken));
        }
    }

    #[test]
    fn the_browser_must_not_say_that_another_site_asks() {
        for site in ["same-origin", "none"] {
            assert_eq!(judge(&[OWN], &[site], |_| {}), Ok(Trust::Own), "{site}");
        }
        for site in ["same-site", "cross-site", "", "Same-Origin", "same-origin, none"] {
            assert_eq!(judge(&[OWN], &[site], |_| {}), Err(OriginFault::Foreign), "{site}");
            let reading = judge(&[], &[site], |provenance| provenance.acts = false);
            assert_eq!(reading, Err(OriginFault::Foreign), "{site} reads");
        }
        assert_eq!(judge(&[OWN], &["none", "none"], |_| {}), Err(OriginFault::Foreign));
    }

    #[test]
    fn a_link_from_elsewhere_may_show_the_page_and_nothing_else() {
        let linked = |provenance: &mut Provenance<'_>| {
            provenance.acts = false;
            provenance.shows_page = true;
        };
        assert_eq!(judge(&[], &["cross-site"], linked), Ok(Trust::Own));
        assert_eq!(judge(&["null"], &["cross-site"], linked), Err(OriginFault::Foreign));
        let acting = judge(&[OWN], &["cross-site"], |provenance| provenance.shows_page = true);
        assert_eq!(acting, Err(OriginFault::Foreign));
    }
}
