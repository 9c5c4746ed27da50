//! How soon things happen. Machines are busy with other tests as well, so figures are told and not judged: only what
//! hangs fails.

use std::time::Duration;

use liminal_builder::clock::Clock;
use liminal_builder::process::StopLadder;
use liminal_builder::provider::SessionOptions;
use liminal_builder::transport::StdioLimits;
use liminal_core::session::Patience;

use super::load::alone;
use crate::chat::{is_end, is_text};
use crate::world::{World, wait_until};

const TRIES: usize = 9;

/// Whatever takes longer than this hangs.
const HANGS: Duration = Duration::from_secs(60);

/// Tells how long something took, of which the aim is so many milliseconds.
pub(super) fn tell(row: &str, aim: u64, times: &[Duration]) {
    let (fastest, slowest) = (times.iter().min().copied().unwrap(), times.iter().max().copied().unwrap());
    println!("{row}: {fastest:?} to {slowest:?} in {} tries, the aim is {aim} ms", times.len());
    assert!(slowest < HANGS, "{times:?}");
}

/// How long something takes.
pub(super) struct Stopwatch(Clock);

impl Stopwatch {
    pub(super) fn start() -> Self {
        Self(Clock::start())
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.0.now().mono
    }
}

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
    let mut times = Vec::new();
    for _ in 0..TRIES {
        let mut world = World::fake();
        let mut chat = world.create().await;
        // The eleventh piece fills the first batch, and then it ends.
        chat.send("!open 11 !exit 1").await.unwrap();
        chat.until(|output| is_text(output, "s1 ")).await;
        let said = Stopwatch::start();
        chat.until(is_end).await;
        times.push(said.elapsed());
        assert_eq!(chat.ends(), ["PROCESS_CRASH"]);
    }
    tell("C1", 250, &times);
}

#[tokio::test]
async fn c03_how_soon_a_start_that_fails_is_told() {
    let _alone = alone().await;
    let mut times = Vec::new();
    for _ in 0..TRIES {
        let mut world = World::fake();
        world.settings.program = Some(world.project.join("missing"));
        let begun = Stopwatch::start();
        assert!(world.open(None, SessionOptions::default()).await.is_err());
        times.push(begun.elapsed());
    }
    tell("C3", 500, &times);
}

#[tokio::test]
async fn c05_how_soon_a_turn_ends_after_its_result() {
    let _alone = alone().await;
    let mut world = World::fake();
    let mut chat = world.create().await;
    let mut times = Vec::new();
    for _ in 0..TRIES {
        // The agent says both in one breath.
        chat.send("!say 11").await.unwrap();
        chat.until(|output| is_text(output, "s")).await;
        let said = Stopwatch::start();
        chat.until(is_end).await;
        times.push(said.elapsed());
    }
    tell("C5", 50, &times);
}

#[tokio::test]
async fn c18_how_soon_all_that_stems_from_an_agent_is_gone() {
    let _alone = alone().await;
    for descent in ["plain", "setsid", "double"] {
        let mut times = Vec::new();
        for _ in 0..3 {
            let mut world = World::fake();
            let mut chat = world.create().await;
            chat.turn(&format!("!spawn {descent} !say 1")).await;
            wait_until(|| world.processes().iter().any(|process| process.contains("sleep"))).await;
            let begun = Stopwatch::start();
            chat.kill().await;
            world.assert_no_process_is_left();
            times.push(begun.elapsed());
        }
        tell("C18", 2000, &times);
    }
}
