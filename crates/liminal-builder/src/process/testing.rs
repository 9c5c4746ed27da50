//! Owns what tests with real processes need: scripts to run and conditions to wait for.
//! May not be used outside tests.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::ChildStdout;

use super::*;

/// A script as an agent, with a session tag no other test has.
pub(crate) fn shell(script: &str) -> ProcessSpec {
    static SESSIONS: AtomicU64 = AtomicU64::new(0);
    let session = format!("test-{}-{}", std::process::id(), SESSIONS.fetch_add(1, Ordering::Relaxed));
    ProcessSpec {
        program: PathBuf::from("sh"),
        args: vec!["-c".into(), script.into()],
        wrapper: Wrapper::default(),
        cwd: std::env::temp_dir(),
        environment: Environment::inherited(),
        instance: InstanceId::new("test").unwrap(),
        session: SessionTag::new(&session).unwrap(),
    }
}

/// Waits until the condition holds; fails after ten seconds.
pub(crate) async fn eventually(what: &str, condition: impl FnMut() -> bool) {
    within(Duration::from_secs(10), what, condition).await;
}

/// Waits until the condition holds; fails after `limit`.
pub(crate) async fn within(limit: Duration, what: &str, mut condition: impl FnMut() -> bool) {
    let poll = async {
        let mut ticks = tokio::time::interval(Duration::from_millis(5));
        while !condition() {
            ticks.tick().await;
        }
    };
    assert!(timeout(limit, poll).await.is_ok(), "not within {limit:?}: {what}");
}

/// Reads as many lines as asked for, each of which is the pid of a living process.
pub(crate) async fn read_identities(stdout: ChildStdout, count: usize) -> Vec<ProcessIdentity> {
    let mut lines = BufReader::new(stdout).lines();
    let mut identities = Vec::new();
    for _ in 0..count {
        let line = lines.next_line().await.unwrap().unwrap();
        identities.push(platform::process_entry(line.trim().parse().unwrap()).unwrap().identity);
    }
    identities
}

/// Waits until the script has said `ready`, and nothing else.
pub(crate) async fn wait_ready(process: &mut AgentProcess) {
    let mut word = [0; 6];
    process.stdout.as_mut().unwrap().read_exact(&mut word).await.unwrap();
    assert_eq!(&word, b"ready\n");
}

/// Tells whether the process is there and not merely waiting to be reaped.
pub(crate) fn is_alive(identity: ProcessIdentity) -> bool {
    let entry = platform::process_entry(identity.pid);
    entry.is_some_and(|entry| entry.identity == identity && !entry.is_zombie)
}

/// Processes that must not outlive the test, whatever becomes of it.
#[derive(Debug)]
pub(crate) struct Doomed(pub(crate) Vec<ProcessIdentity>);

impl Drop for Doomed {
    fn drop(&mut self) {
        for identity in &self.0 {
            drop(platform::signal(*identity, Signal::KILL));
        }
    }
}
