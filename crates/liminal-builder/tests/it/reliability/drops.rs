//! Clients that lose their connection, come late, or bring a cursor of no use.

use std::thread;
use std::time::Duration;

use liminal_core::wire::{Resume, ServerMessage};

use super::figures::{Chance, tell, times};
use super::reader::{Reader, begin};
use super::shown::Shown;
use super::socket::Socket;
use super::stream::Stream;
use super::world::{World, alone};

/// Says much, slowly enough that there is time to lose many connections.
const SLOW: &str = "!split 1 !say 300 !think 100 !tool Bash {\"command\":\"ls\"} !say 300";
const ENCODINGS: [Option<&str>; 2] = [None, Some("append")];

#[test]
fn p4_a_client_that_loses_its_connection_a_thousand_times_shows_the_same() {
    let _alone = alone();
    let (world, mut chance) = (World::new(), Chance::new(4));
    let server = world.begin();
    let session = world.create(&server.client);
    let wanted = times(1_000, 10_000);
    let (mut shown, mut drops, mut turns) = (Shown::default(), 0, 0);
    let mut calm = Reader::join(&server.client, &session, None);
    while drops < wanted {
        let turn = begin(&server.client, &session, SLOW);
        turns += 1;
        while !shown.has_ended(&turn) {
            let mut socket = Socket::open(&server.client);
            socket.subscribe(&session, shown.cursor().as_deref(), ENCODINGS[drops % 2]);
            let (most, patience) = (chance.below(6), Duration::from_millis(3));
            let messages = match chance.below(2) {
                0 => socket.cut_after(usize::try_from(chance.below(3_000)).unwrap(), patience),
                _ => socket.take_some(most, patience),
            };
            messages.into_iter().for_each(|message| shown.apply(message));
            shown.cut();
            drops += 1;
        }
        calm.until_end(&turn);
    }
    let mut last = Reader::rejoin(&server.client, &session, shown, None);
    last.until("it has caught up", |shown| shown.seq >= calm.shown.seq);
    last.shown.assert_same(&calm.shown);
    last.shown.assert_settled();
    tell("P4", &format!("{drops} drops in {turns} turns, both encodings: the same as an undisturbed client"));
}

#[test]
fn r03_p5_a_cursor_of_no_use_is_always_answered_by_a_reset_and_everything() {
    let world = World::new();
    let server = world.begin();
    let session = world.create(&server.client);
    let mut calm = Reader::join(&server.client, &session, None);
    let turn = begin(&server.client, &session, "!say 20 !think 5");
    calm.until_end(&turn);
    let cursor = calm.shown.cursor().unwrap();
    let (epoch, seq) = cursor.rsplit_once('.').unwrap();
    let stale = [
        format!("{epoch}.{}", seq.parse::<u64>().unwrap() + 1),
        format!("{epoch}.{}", u64::MAX),
        format!("{epoch}.99999999999999999999999"),
        format!("0{epoch}.{seq}"),
        format!("{}.{seq}", epoch.to_uppercase() + "x"),
        format!("{epoch}.-1"),
        format!("{epoch}.{seq}.{seq}"),
        format!("{epoch}{seq}"),
        format!(".{seq}"),
        "x".repeat(10_000),
        "\u{1f600}.\u{0}".to_owned(),
        String::new(),
        "null".to_owned(),
    ];
    for cursor in &stale {
        let mut socket = Socket::open(&server.client);
        socket.subscribe(&session, Some(cursor), None);
        let subscribed = socket.subscribed();
        assert!(matches!(&subscribed, ServerMessage::Subscribed { resume: Resume::Reset, .. }), "{cursor}");
        let mut shown = Shown::default();
        shown.apply(subscribed);
        shown.apply(socket.message());
        shown.assert_same(&calm.shown);
        if cursor.len() < 100 && cursor.bytes().all(|byte| byte.is_ascii_graphic()) {
            let mut stream = Stream::open(&server.client, &session, Some(cursor));
            assert_eq!(stream.next().data["resume"], "reset", "{cursor}");
            assert_eq!(stream.next().kind, "session:history", "{cursor}");
        }
    }
    let mut good = Stream::open(&server.client, &session, Some(&cursor));
    assert_eq!(good.next().data["resume"], "ok");
    tell("R03 P5", &format!("{} of {} stale cursors answered by a reset", stale.len(), stale.len()));
}

#[test]
fn r04_whoever_joins_a_heavy_stream_misses_nothing_and_sees_nothing_twice() {
    let _alone = alone();
    let world = World::new();
    let server = world.begin();
    let session = world.create(&server.client);
    let (rounds, joins) = (times(3, 30), 40);
    let mut ends = 0;
    for round in 0..rounds {
        let mut calm = Reader::join(&server.client, &session, None);
        let turn = begin(&server.client, &session, "!say 2000 !think 500 !say 2000 !say 500 !say 500");
        let client = server.client.clone();
        let join = |index: usize| Reader::join(&client, &session, ENCODINGS[index % 2]);
        let readers: Vec<Reader> = (0..joins).map(join).collect();
        calm.until_end(&turn);
        for mut reader in readers {
            reader.until("it has caught up", |shown| shown.seq >= calm.shown.seq);
            reader.shown.assert_same(&calm.shown);
            ends += 1;
        }
        assert_eq!(calm.shown.turns.len(), round + 1);
    }
    tell("R04", &format!("{ends} joins inside {rounds} heavy turns: no gap, nothing twice"));
}

#[test]
fn i5_any_way_of_reading_gives_the_same_end() {
    let _alone = alone();
    let world = World::new();
    let server = world.begin();
    let sessions: Vec<String> = (0..3).map(|_| world.create(&server.client)).collect();
    let seeds = times(6, 100);
    for seed in 0..seeds {
        let mut calm: Vec<Reader> =
            sessions.iter().map(|session| Reader::join(&server.client, session, None)).collect();
        let turns: Vec<String> = sessions
            .iter()
            .map(|session| {
                begin(&server.client, session, "!split 1 !say 80 !think 20 !tool Read {} !say 120")
            })
            .collect();
        let client = server.client.clone();
        let names = sessions.clone();
        let restless = thread::spawn(move || {
            let mut tab = super::tab::Tab::new(&client, &names, Chance::new(seed as u64 + 1));
            (0..150).for_each(|_| tab.act());
            tab.settle()
        });
        for (reader, turn) in calm.iter_mut().zip(&turns) {
            reader.until_end(turn);
        }
        let heads: Vec<u64> = calm.iter().map(|reader| reader.shown.seq).collect();
        let mut tab = restless.join().unwrap();
        tab.catch_up(&heads);
        for (reader, shown) in calm.iter().zip(tab.shown()) {
            reader.shown.assert_same(shown);
        }
    }
    tell("I5", &format!("{seeds} seeds of 150 subscriptions, drops, pauses and departures on 3 sessions"));
}
