//! Owns the question which processes belong together.
//! May not read the process table or signal anything: it is given a table and answers.
//!
//! A tool may leave its agent's process group (`setsid`), lose its parent (double fork) or both, so no
//! single trait finds every process. A process is kin if
//! - it is marked: seen before (pid and start time are the same), or started with our tag; or
//! - its parent is kin; or
//! - its session holds kin: a session is founded, never joined, so all of it has one origin. Somebody
//!   may have copied a tag into a terminal of their own, so a living founder must be kin as well.
//!
//! Being our adopted child alone is no proof: a browser we opened is adopted too. So a process that
//! dropped the tag, founded a session and lost its parent before it was ever seen is not found.

use std::collections::BTreeSet;

use crate::platform::ProcessEntry;

/// Finds the kin of the marked processes; never the asking process `own` nor its ancestors.
pub(super) fn kin(
    table: Vec<ProcessEntry>,
    own: u32,
    is_marked: impl Fn(&ProcessEntry) -> bool,
) -> Vec<ProcessEntry> {
    let spared = Spared::new(&table, own);
    let mut others = table;
    let marked = |entry: &mut ProcessEntry| !spared.covers(entry) && is_marked(entry);
    let mut kin: Vec<ProcessEntry> = others.extract_if(.., marked).collect();
    loop {
        let ties = Ties::new(&kin, &others, &spared);
        let tied = |entry: &mut ProcessEntry| !spared.covers(entry) && ties.bind(entry);
        let found: Vec<ProcessEntry> = others.extract_if(.., tied).collect();
        if found.is_empty() {
            return kin;
        }
        kin.extend(found);
    }
}

struct Ties {
    parents: BTreeSet<u32>,
    sessions: BTreeSet<u32>,
}

impl Ties {
    fn new(kin: &[ProcessEntry], others: &[ProcessEntry], spared: &Spared) -> Self {
        let parents = kin.iter().map(|entry| entry.identity.pid).collect();
        let mut sessions: BTreeSet<u32> = kin.iter().map(|entry| entry.session).collect();
        for stranger in others {
            sessions.remove(&stranger.identity.pid);
        }
        // Session 0 is the kernel's, or founded where we cannot look.
        sessions.retain(|session| *session != spared.session && *session != 0);
        Self { parents, sessions }
    }

    fn bind(&self, entry: &ProcessEntry) -> bool {
        self.parents.contains(&entry.parent) || self.sessions.contains(&entry.session)
    }
}

struct Spared {
    pids: BTreeSet<u32>,
    session: u32,
}

impl Spared {
    fn new(table: &[ProcessEntry], own: u32) -> Self {
        let find = |pid: u32| table.iter().find(|entry| entry.identity.pid == pid);
        let session = find(own).map_or(0, |entry| entry.session);
        let mut pids = BTreeSet::from([1]);
        let mut next = Some(own);
        while let Some(pid) = next.filter(|pid| pids.insert(*pid)) {
            next = find(pid).map(|entry| entry.parent);
        }
        Self { pids, session }
    }

    fn covers(&self, entry: &ProcessEntry) -> bool {
        self.pids.contains(&entry.identity.pid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::ProcessIdentity;

    const SHELL: u32 = 20;
    const OWN: u32 = 30;
    const LEADER: u32 = 40;

    /// `(pid, parent, session)`
    type Row = (u32, u32, u32);

    // init, the kernel's, the user's terminal with this server and an editor in it, and an agent.
    const BASE: [Row; 6] = [
        (1, 0, 1),
        (2, 0, 0),
        (SHELL, 1, SHELL),
        (OWN, SHELL, SHELL),
        (31, SHELL, SHELL),
        (LEADER, OWN, LEADER),
    ];

    fn kin_of(marked: &[u32], more: &[Row]) -> Vec<u32> {
        let entry = |&(pid, parent, session): &Row| ProcessEntry {
            identity: ProcessIdentity { start: 0, pid },
            parent,
            session,
            is_zombie: false,
        };
        let table = BASE.iter().chain(more).map(entry).collect();
        let found = kin(table, OWN, |entry| marked.contains(&entry.identity.pid));
        let mut pids: Vec<u32> = found.iter().map(|entry| entry.identity.pid).collect();
        pids.sort_unstable();
        pids
    }

    #[test]
    fn finds_relatives_and_nobody_else() {
        let check = |name: &str, marked: &[u32], more: &[Row], expected: &[u32]| {
            assert_eq!(kin_of(marked, more), expected, "{name}");
        };
        check("alone", &[LEADER], &[], &[40]);
        check("child and grandchild", &[LEADER], &[(41, 40, 40), (42, 41, 40)], &[40, 41, 42]);
        check("child in a session of its own", &[LEADER], &[(41, 40, 41), (42, 41, 41)], &[40, 41, 42]);
        check("orphan in the agent's session", &[LEADER], &[(41, OWN, 40)], &[40, 41]);
        check("unmarked orphan elsewhere", &[LEADER], &[(41, OWN, 41)], &[40]);
        check("marked orphan elsewhere", &[LEADER, 41], &[(41, OWN, 41), (42, 1, 41)], &[40, 41, 42]);
        check("founder of the session is dead", &[43], &[(43, OWN, 42), (44, OWN, 42)], &[43, 44]);
        check("other agents", &[LEADER], &[(50, OWN, 50), (51, 50, 50)], &[40]);
        check("tag copied into a terminal", &[61], &[(60, 1, 60), (61, 60, 60), (62, 60, 60)], &[61]);
        check("tag in our own terminal", &[31], &[], &[31]);
        check("we carry the tag ourselves", &[OWN, SHELL, 1], &[], &[]);
        check("session of the kernel", &[70], &[(70, 1, 0)], &[70]);
    }
}
