//! How often somebody may be wrong. Owns the count of failures, per address and of all; never bars an address, and is
//! not asked about those who are right.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

/// So many wrong attempts are a person's mistakes.
const FREE: u32 = 10;
/// After so long without a failure all is forgotten.
const MEMORY: Duration = Duration::from_secs(60);
/// Each failure beyond doubles the wait, up to this.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// Addresses that are counted apart; beyond them the count of all must do.
const MOST_ADDRESSES: usize = 1024;

/// Counts wrong attempts.
#[derive(Debug, Default)]
pub(super) struct Throttle {
    all: Count,
    by_address: BTreeMap<IpAddr, Count>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Count {
    failures: u32,
    last: Duration,
    closed_until: Duration,
}

impl Throttle {
    /// Notes a wrong attempt. `Some` is how long the next must wait: this one came too early to count as a guess.
    pub(super) fn failed(&mut self, address: IpAddr, now: Duration) -> Option<Duration> {
        let address = canonical(address);
        self.by_address.retain(|_, count| !count.is_over(now));
        let room = self.by_address.len() < MOST_ADDRESSES || self.by_address.contains_key(&address);
        let own = room.then(|| self.by_address.entry(address).or_default());
        let counts = [Some(&mut self.all), own];
        let waits: Vec<_> = counts.into_iter().flatten().map(|count| count.failed(now)).collect();
        waits.into_iter().flatten().max()
    }
}

impl Count {
    fn failed(&mut self, now: Duration) -> Option<Duration> {
        if now < self.closed_until {
            return Some(self.closed_until.saturating_sub(now));
        }
        if self.is_over(now) {
            *self = Self::default();
        }
        self.failures = self.failures.saturating_add(1);
        self.last = now;
        if let Some(beyond) = self.failures.checked_sub(FREE) {
            self.closed_until = now + wait(beyond);
        }
        None
    }

    fn is_over(&self, now: Duration) -> bool {
        now.saturating_sub(self.last.max(self.closed_until)) >= MEMORY
    }
}

fn wait(beyond: u32) -> Duration {
    Duration::from_secs(1_u64.checked_shl(beyond).unwrap_or(u64::MAX)).min(LONGEST_WAIT)
}

/// One client has one key, however its address is written: a machine's own addresses are all one.
fn canonical(address: IpAddr) -> IpAddr {
    let address = address.to_canonical();
    if address.is_loopback() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { address }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guesses_within(minute: Duration, step: Duration, addresses: &[&str]) -> usize {
        let mut throttle = Throttle::default();
        let addresses: Vec<IpAddr> = addresses.iter().map(|address| address.parse().unwrap()).collect();
        let attempts = (0..).map(|attempt| step * attempt).take_while(|&at| at < minute);
        let answers = attempts.zip(addresses.iter().cycle()).map(|(at, &from)| throttle.failed(from, at));
        answers.filter(Option::is_none).count()
    }

    #[test]
    fn guesses_are_few_however_many_try_and_from_wherever() {
        let minute = Duration::from_secs(60);
        let local = ["127.0.0.1", "::1", "::ffff:127.0.0.1", "127.9.9.9"];
        for addresses in [&local[..1], &local[..], &["192.0.2.1", "192.0.2.2", "2001:db8::1"]] {
            for step in [Duration::from_micros(100), Duration::from_millis(300)] {
                let guesses = guesses_within(minute, step, addresses);
                assert!((10..=20).contains(&guesses), "{guesses} from {addresses:?}");
            }
        }
    }

    #[test]
    fn waits_grow_to_half_a_minute_and_end() {
        let (mut throttle, from) = (Throttle::default(), IpAddr::V4(Ipv4Addr::LOCALHOST));
        let mut now = Duration::ZERO;
        for _ in 0..40 {
            throttle.failed(from, now);
            let wait = throttle.failed(from, now).unwrap_or_default();
            assert!(wait <= LONGEST_WAIT);
            now += wait;
        }
        assert_eq!(throttle.failed(from, now), None);
        assert_eq!(throttle.failed(from, now), Some(LONGEST_WAIT));
        now += LONGEST_WAIT + MEMORY;
        for _ in 0..FREE {
            assert_eq!(throttle.failed(from, now), None);
        }
    }

    #[test]
    fn addresses_do_not_pile_up() {
        let mut throttle = Throttle::default();
        for number in 0..2000_u32 {
            throttle.failed(IpAddr::V4(Ipv4Addr::from(number + 1)), Duration::ZERO);
        }
        assert!(throttle.by_address.len() <= MOST_ADDRESSES);
    }
}
