//! How soon things happen: the best of several tries is compared with its limit in `bench/limits.toml`.

use std::time::Duration;

use liminal_builder::process::StopLadder;
use liminal_builder::provider::SessionOptions;
use liminal_builder::transport::StdioLimits;
use liminal_core::session::Patience;

use super::load::alone;
use crate::chat::{is_end, is_text};
use crate::reliability::figures::{Stopwatch, Times};
use crate::world::{World, wait_until};

const TRIES: usize = 9;

#[test]
fn c04_c08_c13_the_patience_that_other_tests_shorten() {
    let (patience, ladder, limits) = (Patience::default(), StopLadder::default(), StdioLimits::default());
    let seconds = Duration::from_secs;
    assert_eq!((patience.stall, patience.cancel), (seconds(60), seconds(5)));
    assert_eq!((ladder.close_stdin, ladder.terminate, ladder.kill), (seconds(2), seconds(3), seconds(2)));
    assert_eq!((limits.line_bytes, limits.send_patience), (16 << 20, seconds(10)));
}

#[tokio::test]
async fn c01_how_soon_a_crash_is_told() {
    let _alone = alone().await;
    let mut times = Times::default();
    for _ in 0..TRIES {
        let mut world = World::fake();
        let mut chat = world.create().await;
        // The eleventh piece fills the first batch, and then it ends.
        chat.send("!open 11 !exit 1").await.unwrap();
        chat.until(|output| is_text(output, "s1 ")).await;
        let said = Stopwatch::start();
        chat.until(is_end).await;
        times.add(said.elapsed());
        assert_eq!(chat.ends(), ["PROCESS_CRASH"]);
    }
    times.gate("c1.exit-to-session");
}

#[tokio::test]
async fn c03_how_soon_a_start_that_fails_is_told() {
    let _alone = alone().await;
    let mut times = Times::default();
    for _ in 0..TRIES {
        let mut world = World::fake();
        world.settings.program = Some(world.project.join("missing"));
        let begun = Stopwatch::start();
        assert!(world.open(None, SessionOptions::default()).await.is_err());
        times.add(begun.elapsed());
    }
    times.gate("c3.failed-start");
}

#[tokio::test]
async fn c05_how_soon_a_turn_ends_after_its_result() {
    let _alone = alone().await;
    let mut world = World::fake();
    let mut chat = world.create().await;
    let mut times = Times::default();
    for _ in 0..TRIES {
        // The agent says both in one breath.
        chat.send("!say 11").await.unwrap();
        chat.until(|output| is_text(output, "s")).await;
        let said = Stopwatch::start();
        chat.until(is_end).await;
        times.add(said.elapsed());
    }
    times.gate("c5.result-to-end");
}

#[tokio::test]
async fn c18_how_soon_all_that_stems_from_an_agent_is_gone() {
    let _alone = alone().await;
    for descent in ["plain", "setsid", "double"] {
        let mut times = Times::default();
        for _ in 0..3 {
            let mut world = World::fake();
            let mut chat = world.create().await;
            chat.turn(&format!("!spawn {descent} !say 1")).await;
            wait_until(|| world.processes().iter().any(|process| process.contains("sleep"))).await;
            let begun = Stopwatch::start();
            chat.kill().await;
            world.assert_no_process_is_left();
            times.add(begun.elapsed());
        }
        times.gate(&format!("c18.no-survivors.{descent}"));
    }
}
