//! Requests of a browser in which one header was changed at random: under another name, from another page, with another
//! cookie, or for something that is no socket.

mod mutation;
mod pipeline;

use std::collections::BTreeMap;
use std::thread;

use super::client::Client;
use super::figures::{Chance, Stopwatch, seed_of_run, tell, times};
use super::strangers::{login, page};
use super::world::{Server, World, alone};
use mutation::{Mutated, Verdict, mutate};
use pipeline::Pipeline;

/// Connections that ask at the same time, each with its own part of the requests.
const CONNECTIONS: usize = 2;
/// Sent at once on one connection.
const BATCH: usize = 64;

/// What a browser that was let in sends.
#[derive(Debug, Clone)]
pub(super) struct Browser {
    pub(super) client: Client,
    pub(super) host: String,
    pub(super) origin: String,
    /// `name=value`.
    pub(super) cookie: String,
    pub(super) key: String,
}

impl Browser {
    fn let_in(server: &Server) -> Self {
        let answer = login(&server.client);
        let cookie = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let host = server.client.address.to_string();
        let key = answer.json()["key"].as_str().unwrap().to_owned();
        Self { client: page(&server.client), origin: format!("http://{host}"), host, cookie, key }
    }
}

/// How often each header was answered with each status.
type Tally = BTreeMap<(&'static str, u16), usize>;

/// Sends its part of the requests, and counts the answers.
fn ask(browser: &Browser, mut chance: Chance, count: usize) -> Tally {
    let (mut pipeline, mut tally) = (Pipeline::new(&browser.client), Tally::new());
    let mut asked = 0;
    while asked < count {
        let batch: Vec<Mutated> =
            (0..BATCH.min(count - asked)).map(|_| mutate(&mut chance, browser)).collect();
        asked += batch.len();
        let requests: Vec<&[u8]> = batch.iter().map(|mutated| mutated.bytes.as_slice()).collect();
        for (mutated, status) in batch.iter().zip(pipeline.statuses(&requests)) {
            check(mutated, status);
            *tally.entry((mutated.header, status)).or_default() += 1;
        }
    }
    tally
}

fn check(mutated: &Mutated, status: u16) {
    let (is_served, is_refused) = (status == mutated.served, (400..500).contains(&status));
    let is_right = match mutated.verdict {
        Verdict::Served => is_served,
        Verdict::Either => is_served || is_refused,
        Verdict::Refused => is_refused,
    };
    let shown = String::from_utf8_lossy(&mutated.bytes);
    assert!(is_right, "{status}, but expected {:?}: {}", mutated.verdict, shown.escape_debug());
}

fn sum(tally: &Tally, holds: impl Fn(&str, u16) -> bool) -> usize {
    tally.iter().filter(|((header, status), _)| holds(header, *status)).map(|(_, count)| count).sum()
}

#[test]
fn s09_p1_no_changed_host_origin_cookie_or_upgrade_is_served_or_breaks_the_server() {
    let _alone = alone();
    let (world, begun) = (World::new(), Stopwatch::start());
    let server = world.start();
    let (browser, count) = (Browser::let_in(&server), times(100_000, 1_000_000));
    println!("seed {}", seed_of_run());
    let part = |number: usize| {
        let (browser, chance) = (browser.clone(), Chance::of_many(seed_of_run() + number as u64));
        thread::spawn(move || ask(&browser, chance, count / CONNECTIONS))
    };
    let parts: Vec<_> = (0..CONNECTIONS).map(part).collect();
    let mut tally = Tally::new();
    for (kind, count) in parts.into_iter().flat_map(|part| part.join().unwrap()) {
        *tally.entry(kind).or_default() += count;
    }
    let took = begun.elapsed();
    tell("S09", &format!("{count} changed requests, none served that must not be, in {took:?}: {tally:?}"));
    assert_eq!(sum(&tally, |_, _| true), count);
    // Every gate was reached, and what changes nothing was served.
    for header in ["Host", "Origin", "Cookie", "Upgrade"] {
        let refused = sum(&tally, |found, status| found == header && status >= 400);
        let served = sum(&tally, |found, status| found == header && status < 400);
        assert!(refused > count / 10 && served > 10, "{header}: {refused} refused, {served} served");
    }
    for status in [400, 401, 403, 431] {
        assert!(sum(&tally, |_, found| found == status) > 50, "hardly a {status}: {tally:?}");
    }
    assert!(!world.log().contains("panicked"), "{}", world.log());
    assert!(server.is_alive());
}
