//! What a server holds of its machine, as the machine tells it.

use std::collections::BTreeMap;
use std::fs;

use super::world::{Server, World};

/// The state of a socket that waits for connections, in the kernel's table.
const LISTENS: &str = "0A";

/// Connections that read the database are opened when they are needed first, and stay.
const READERS: usize = 4;
/// Threads for work that blocks stay a while after it.
const IDLE_THREADS: u64 = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Held {
    /// Open descriptors, by what they are open to.
    pub(super) descriptors: BTreeMap<String, usize>,
    pub(super) threads: u64,
    /// Processes that stem from it.
    pub(super) processes: usize,
    /// Bytes in memory.
    pub(super) memory: u64,
}

impl Held {
    pub(super) fn by(server: &Server, world: &World) -> Self {
        Self {
            descriptors: descriptors(server),
            threads: server.threads(),
            processes: world.processes().len(),
            memory: server.memory(),
        }
    }

    /// What is held beyond what was held then, but for memory, which nobody gives back at once.
    pub(super) fn beyond(&self, then: &Self) -> Vec<String> {
        let most = |what: &String| then.descriptors.get(what).copied().unwrap_or_default() + later(what);
        let open = self.descriptors.iter().filter(|(what, count)| **count > most(what));
        let mut beyond: Vec<String> = open.map(|(what, count)| format!("{count} open to {what}")).collect();
        if self.threads > then.threads + IDLE_THREADS {
            beyond.push(format!("{} threads", self.threads));
        }
        if self.processes > then.processes {
            beyond.push(format!("{} processes", self.processes));
        }
        beyond
    }
}

/// How many descriptors of a kind may come later without being too many.
fn later(what: &str) -> usize {
    if what.contains("liminal.db") { READERS } else { 0 }
}

fn descriptors(server: &Server) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    let folder = fs::read_dir(format!("/proc/{}/fd", server.pid().as_raw_pid())).unwrap();
    // One that was closed since is none.
    for target in folder.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok()) {
        let target = target.to_string_lossy();
        let kind = target.split_once(":[").map_or(&*target, |(kind, _)| kind);
        *all.entry(kind.to_owned()).or_default() += 1;
    }
    all
}

/// Connections that a server has not closed.
pub(super) fn connections(server: &Server) -> usize {
    let port = format!(":{:04X}", server.client.address.port());
    let table = fs::read_to_string("/proc/net/tcp").unwrap();
    let rows = table.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.filter(|row| row[1].ends_with(&port) && row[3] != LISTENS && row[9] != "0").count()
}
