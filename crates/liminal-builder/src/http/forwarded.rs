//! What proxies say of whom they ask for. Owns whose word counts: that of proxies which the user named, and nobody
//! else's.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderName};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address of whoever asks: the other end of the connection, or whom a trusted proxy there asks for. Each proxy adds
/// the address that it saw at the end, so that what a client made up stands before what is true.
pub(super) fn client(peer: IpAddr, trusted: &[IpAddr], headers: &HeaderMap) -> IpAddr {
    let is_trusted = |address: IpAddr| trusted.contains(&address.to_canonical());
    if !is_trusted(peer) {
        return peer;
    }
    let lines = headers.get_all(FORWARDED_FOR).into_iter().filter_map(|line| line.to_str().ok());
    let named: Vec<&str> = lines.flat_map(|line| line.split(',')).collect();
    let mut nearest = peer;
    for name in named.into_iter().rev() {
        let Ok(address) = name.trim().parse::<IpAddr>() else { return nearest };
        nearest = address.to_canonical();
        if !is_trusted(nearest) {
            return nearest;
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_word_of_a_trusted_proxy_counts() {
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let trusted = [address("127.0.0.1"), address("10.0.0.2")];
        for (peer, said, expected) in [
            ("192.0.2.9", "198.51.100.1", "192.0.2.9"),
            ("127.0.0.1", "", "127.0.0.1"),
            ("127.0.0.1", "198.51.100.1", "198.51.100.1"),
            ("::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"),
            ("127.0.0.1", "made-up, 198.51.100.1", "198.51.100.1"),
            ("127.0.0.1", "203.0.113.5, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
            ("127.0.0.1", "nonsense", "127.0.0.1"),
            ("127.0.0.1", "203.0.113.5, nonsense, 10.0.0.2", "10.0.0.2"),
            ("127.0.0.1", "2001:db8::7", "2001:db8::7"),
        ] {
            let mut headers = HeaderMap::new();
            for part in said.split(", ").filter(|part| !part.is_empty()) {
                headers.append(FORWARDED_FOR, part.parse().unwrap());
            }
            assert_eq!(client(address(peer), &trusted, &headers), address(expected), "{peer} {said}");
            assert_eq!(client(address(peer), &[], &headers), address(peer), "{peer} {said} without trust");
        }
    }
}
