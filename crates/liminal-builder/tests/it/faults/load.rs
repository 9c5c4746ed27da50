//! Agents that say too much.

use std::time::Duration;

use tokio::sync::{Mutex, MutexGuard};

use crate::chat::{PATIENCE, is_text};
use crate::reliability::figures::{Stopwatch, Times};
use crate::world::{World, wait_until};

/// Tests that look at the memory of the whole process, or take much of it, take turns.
pub(crate) async fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::const_new(());
    ALONE.lock().await
}

/// The most that this process ever held, in KiB.
pub(super) fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// How much more it holds than it ever did before, in KiB. The kernel counts in batches, so this may seem less.
pub(super) fn grown_since(before: u64) -> u64 {
    peak_memory().saturating_sub(before)
}

#[tokio::test]
async fn c11_output_without_end_stays_bounded_and_others_go_on() {
    let _alone = alone().await;
    let mut world = World::fake();
    let mut calm = world.create().await;
    calm.turn("!say 1").await;
    let mut flooded = world.create().await;
    let turn = flooded.send("!flood").await.unwrap();
    flooded.until(|output| is_text(output, "xxx")).await;
    let before = peak_memory();
    // Nobody reads what the first one says: the agent has to wait.
    let mut times = Times::default();
    for _ in 0..20 {
        let begun = Stopwatch::start();
        let answered = calm.turn("!say 50");
        tokio::time::timeout(Duration::from_secs(10), answered).await.expect("the other session answers");
        times.add(begun.elapsed());
    }
    times.gate_p99("c11.turn-beside-unread-flood");
    // Now somebody does, and forgets it.
    let read = async {
        for _ in 0..500 {
            flooded.outputs.recv().await.unwrap();
        }
    };
    tokio::time::timeout(PATIENCE, read).await.expect("the flood goes on");
    let grown = grown_since(before);
    assert!(grown <= 64 * 1024, "{grown} KiB more");
    flooded.handle.cancel().await.unwrap();
    flooded.end_of(&turn).await;
    assert_eq!(flooded.ends(), ["cancelled"]);
    assert_eq!(calm.ends().len(), 21);
    calm.assert_sound();
}

#[tokio::test]
async fn a_session_that_nobody_listens_to_can_still_be_ended() {
    let mut world = World::fake();
    let chat = world.create().await;
    chat.send("!flood").await.unwrap();
    wait_until(|| chat.outputs.len() == chat.outputs.max_capacity()).await;
    tokio::time::timeout(PATIENCE, chat.handle.kill()).await.expect("it ends though nobody listens");
    world.assert_no_process_is_left();
}
