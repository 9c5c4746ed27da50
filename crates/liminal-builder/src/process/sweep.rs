//! Owns the clean-up after an earlier life of this server that could not clean up itself.
//! May not know where the records of that life are stored.

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use super::spec::InstanceId;
use super::tree::{Killed, Tree};
use crate::platform::{self, ProcessIdentity};

const PATIENCE: Duration = Duration::from_secs(2);

/// A process as it is stored: good until the machine is started anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessRecord {
    pub boot: String,
    pub identity: ProcessIdentity,
}

/// What a sweep found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepReport {
    pub killed: usize,
    /// Processes that could not be killed: stuck in the kernel, or another user's.
    pub survivors: Vec<ProcessIdentity>,
}

/// Kills all processes that an earlier life of this instance left behind, and their descendants.
///
/// Blocks for milliseconds, at worst two seconds. The caller holds the lock of the instance, else the
/// agents of a living server would be taken for leftovers; for the same reason it comes before any
/// agent is started.
pub fn sweep_leftovers(instance: &InstanceId, recorded: &[ProcessRecord]) -> io::Result<SweepReport> {
    let boot = platform::boot_id()?;
    let of_this_boot = recorded.iter().filter(|record| record.boot == boot);
    let known: BTreeSet<ProcessIdentity> = of_this_boot.map(|record| record.identity).collect();
    let Killed { killed, survivors } = Tree::tagged(instance.variable(), known).kill(PATIENCE);
    Ok(SweepReport { killed: killed.len(), survivors })
}
