//! Owns the dead that became our children: orphans of agents, which nobody waits for.
//! May not reap a child that other code of this server started and will ask about.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::platform::{self, ProcessEntry, ProcessIdentity};

const PASS_EVERY: Duration = Duration::from_secs(10);

// Global like the thing it mirrors: the children of this process that `AgentProcess` waits for.
static LEADERS: Mutex<Leaders> = Mutex::new(Leaders { starting: 0, started: BTreeSet::new() });

struct Leaders {
    /// Forked, perhaps, and not registered yet.
    starting: usize,
    started: BTreeSet<ProcessIdentity>,
}

/// Starts a child that no orphan hunt will touch, not even between its fork and its registration.
pub(super) fn start_leader<T, E>(
    start: impl FnOnce() -> Result<(T, ProcessIdentity), E>,
) -> Result<(T, ProcessIdentity), E> {
    leaders().starting += 1;
    // Without the lock: a program on a dead network drive may take for ever to start.
    let child = start();
    let mut leaders = leaders();
    leaders.starting -= 1;
    leaders.started.retain(|leader| platform::exists(*leader));
    leaders.started.extend(child.as_ref().map(|(_, identity)| *identity));
    child
}

/// Forgets a leader that has been reaped.
pub(super) fn forget_leader(leader: ProcessIdentity) {
    leaders().started.remove(&leader);
}

/// Reaps what the caller knows to be an agent's: dead, ours by adoption, and no leader.
pub(super) fn reap_members(members: &[ProcessEntry]) {
    let leaders = leaders();
    let is_orphan =
        |entry: &&ProcessEntry| is_dead_child(entry) && !leaders.started.contains(&entry.identity);
    members.iter().filter(is_orphan).for_each(|entry| drop(platform::reap(entry.identity)));
}

/// Reaps orphans that died before anybody could tell whose they were.
///
/// All that is known of such a process is that it left our session, as every agent does. Other code
/// of this server may have started a program that does the same, so one pass only notes the dead and
/// the next one reaps: whoever waits for a child has asked by then.
#[derive(Debug, Default)]
pub struct OrphanReaper {
    noted: BTreeSet<ProcessIdentity>,
}

impl OrphanReaper {
    /// Makes a pass every ten seconds until dropped.
    pub async fn run(mut self) -> Infallible {
        let mut ticks = tokio::time::interval(PASS_EVERY);
        loop {
            ticks.tick().await;
            let pass = tokio::task::spawn_blocking(move || {
                self.pass();
                self
            });
            self = pass.await.unwrap_or_default();
        }
    }

    /// Reaps what the pass before noted, notes the rest; returns how many were reaped.
    ///
    /// Does nothing while an agent is being started, as that cannot be told from an orphan.
    pub fn pass(&mut self) -> usize {
        let leaders = leaders();
        if leaders.starting > 0 {
            return 0;
        }
        let own_session = platform::process_entry(std::process::id()).map(|own| own.session);
        let is_orphan = |entry: &ProcessEntry| {
            is_dead_child(entry)
                && Some(entry.session) != own_session
                && !leaders.started.contains(&entry.identity)
        };
        let orphans = platform::process_table().into_iter().filter(is_orphan).map(|entry| entry.identity);
        let (due, fresh): (BTreeSet<_>, BTreeSet<_>) =
            orphans.partition(|orphan| self.noted.contains(orphan));
        self.noted = fresh;
        due.into_iter().filter(|orphan| platform::reap(*orphan).is_ok()).count()
    }
}

fn leaders() -> MutexGuard<'static, Leaders> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_dead_child(entry: &ProcessEntry) -> bool {
    entry.is_zombie && entry.parent == std::process::id()
}
