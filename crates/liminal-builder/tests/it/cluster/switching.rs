//! A browser that goes from one server to another.

use std::time::Duration;

use super::super::figures::{tell, times};
use super::super::reader::{Reader, begin};
use super::super::shown::Shown;
use super::super::socket::Socket;
use super::team::Team;

const SLOW: &str = "!split 1 !say 200 !think 60 !tool Bash {\"command\":\"ls\"} !say 200";

#[test]
fn r24_a_browser_that_changes_its_server_at_every_frame_shows_the_same() {
    let team = Team::new();
    let servers = [team.member("one"), team.member("two"), team.member("three")];
    let session = team.create(&servers[0]);
    let mut calm = Reader::join(&servers[0].client, &session, None);
    let (mut shown, mut changes) = (Shown::default(), 0);
    let turns = times(2, 20);
    for _ in 0..turns {
        let turn = begin(&servers[changes % 3].client, &session, SLOW);
        while !shown.has_ended(&turn) {
            let mut socket = Socket::open(&servers[changes % 3].client);
            let encoding = (changes % 2 == 0).then_some("append");
            socket.subscribe(&session, shown.cursor().as_deref(), encoding);
            let frames = socket.take_some(2, Duration::from_millis(30));
            frames.into_iter().for_each(|message| shown.apply(message));
            shown.cut();
            changes += 1;
        }
        calm.until_end(&turn);
    }
    let resets = shown.resets;
    let mut last = Reader::rejoin(&servers[1].client, &session, shown, None);
    last.until("it has caught up", |shown| shown.seq >= calm.shown.seq);
    last.shown.assert_same(&calm.shown);
    last.shown.assert_settled();
    assert!(resets <= 1 + changes as u64 / 10, "{resets} of {changes} cursors were of no use");
    tell(
        "R24",
        &format!("{changes} changes of server in {turns} turns: {resets} resets, the same at the end"),
    );
}
