//! Owns the killing of an agent's process together with all that stems from it.
//! May not know about agents, pipes or tokio; everything here blocks for milliseconds.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use super::kinship::kin;
use super::orphans;
use crate::platform::{self, ProcessEntry, ProcessIdentity, Signal};

const FREEZE_ROUNDS: usize = 32;
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(64);

/// A set of related processes that grows and shrinks while it is watched.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    known: BTreeSet<ProcessIdentity>,
    tag: String,
    /// Nothing that started earlier can carry the tag.
    since: u64,
}

/// What a kill achieved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Killed {
    pub(super) killed: BTreeSet<ProcessIdentity>,
    pub(super) survivors: Vec<ProcessIdentity>,
}

impl Tree {
    /// The tree of one process that was started with `tag` (`NAME=value`) in its environment.
    pub(super) fn of(root: ProcessIdentity, tag: String) -> Self {
        Self { known: BTreeSet::from([root]), tag, since: root.start }
    }

    /// All processes that carry the tag, those in `known`, and what descends from either.
    pub(super) fn tagged(tag: String, known: BTreeSet<ProcessIdentity>) -> Self {
        Self { known, tag, since: 0 }
    }

    /// Reads the process table and remembers the members found, so that losing their parents
    /// or their tag does not lose them.
    pub(super) fn observe(&mut self) -> Vec<ProcessEntry> {
        let mut pause = FIRST_PAUSE;
        loop {
            let (members, is_clear) = self.look();
            self.known = members.iter().map(|entry| entry.identity).collect();
            if is_clear || pause > LONGEST_PAUSE {
                return members;
            }
            thread::sleep(pause);
            pause *= 2;
        }
    }

    /// Kills every member at once, without waiting for the deaths.
    pub(super) fn strike(&mut self) -> BTreeSet<ProcessIdentity> {
        let targets = self.freeze();
        // Youngest first: when a parent dies, its stopped children are woken, and must wake up dead.
        for target in targets.iter().rev() {
            drop(platform::signal(*target, Signal::KILL));
        }
        targets
    }

    /// Kills every member, again and again until none is left or patience ends, and reaps adopted ones.
    pub(super) fn kill(&mut self, patience: Duration) -> Killed {
        let mut killed = self.strike();
        let mut pause = FIRST_PAUSE;
        let mut waited = Duration::ZERO;
        loop {
            let members = self.observe();
            let survivors: Vec<_> = living(&members).collect();
            if survivors.is_empty() || waited >= patience {
                orphans::reap_members(&members);
                return Killed { killed, survivors };
            }
            thread::sleep(pause);
            waited += pause;
            pause = (pause * 2).min(LONGEST_PAUSE);
            killed.extend(self.strike());
        }
    }

    // A stopped process cannot fork, so once nobody new turns up the set is complete.
    fn freeze(&mut self) -> BTreeSet<ProcessIdentity> {
        let mut frozen = BTreeSet::new();
        for _ in 0..FREEZE_ROUNDS {
            let fresh: Vec<_> = living(&self.observe()).filter(|member| frozen.insert(*member)).collect();
            if fresh.is_empty() {
                break;
            }
            for member in fresh {
                drop(platform::signal(member, Signal::STOP));
            }
        }
        frozen
    }

    // Not clear while some process shows no environment, and so may or may not carry the tag.
    fn look(&self) -> (Vec<ProcessEntry>, bool) {
        let is_clear = Cell::new(true);
        let is_marked = |entry: &ProcessEntry| {
            self.is_marked(entry).unwrap_or_else(|| {
                is_clear.set(false);
                false
            })
        };
        (kin(platform::process_table(), std::process::id(), is_marked), is_clear.get())
    }

    fn is_marked(&self, entry: &ProcessEntry) -> Option<bool> {
        if self.known.contains(&entry.identity) {
            return Some(true);
        }
        let has_no_environment = entry.is_zombie || entry.is_kernel();
        if has_no_environment || entry.identity.start < self.since {
            return Some(false);
        }
        platform::carries_variable(entry.identity.pid, &self.tag)
    }
}

fn living(members: &[ProcessEntry]) -> impl Iterator<Item = ProcessIdentity> {
    members.iter().filter(|entry| !entry.is_zombie).map(|entry| entry.identity)
}
