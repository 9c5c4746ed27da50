use super::super::testing::*;
use super::super::*;

fn is_our_zombie(pid: u32) -> bool {
    let entry = platform::process_entry(pid);
    entry.is_some_and(|entry| entry.is_zombie && entry.parent == std::process::id())
}

#[tokio::test]
async fn reaps_the_unknown_dead_and_leaves_the_children_of_others() {
    // The orphan lives until stdin ends, so that it can be identified before it dies.
    let script = "(setsid sh -c 'echo $$; read word <&3' 3<&0 &) 3<&0; exit 5";
    let mut leader = AgentProcess::spawn(&shell(script)).unwrap();
    let orphan = read_identities(leader.take_stdout().unwrap(), 1).await[0];
    let mut foreign = std::process::Command::new("true").spawn().unwrap();
    drop(leader.take_stdin());
    let dead = [orphan.pid, leader.identity().pid, foreign.id()];
    eventually("all three are dead", || dead.into_iter().all(is_our_zombie)).await;

    let mut reaper = OrphanReaper::default();
    // Other tests start agents, and then a pass does nothing.
    eventually("the orphan is reaped", || {
        reaper.pass();
        !platform::exists(orphan)
    })
    .await;
    assert!(foreign.wait().unwrap().success());
    assert_eq!(leader.wait().await, Exit::Code(5));
}
