//! Owns the system calls about processes, and with them all `unsafe` of this crate.
//! May not know what an agent is; it deals in processes, identities and signals.
#![expect(unsafe_code, reason = "code between fork and exec, and one call no safe wrapper offers")]

#[cfg(not(target_os = "linux"))]
compile_error!("processes are supervised through /proc and pidfds; port src/platform.rs to this system");

mod process_table;

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, WaitOptions};

pub use process_table::ProcessIdentity;
pub(crate) use process_table::{ProcessEntry, carries_variable, process_entry, process_table};
pub(crate) use rustix::process::Signal;

/// Gives the command its own session and process group, and no descriptor beyond 0, 1 and 2.
///
/// Rust opens everything close-on-exec, but whoever started us may have left descriptors open.
pub(crate) fn detach(command: &mut Command) {
    let between_fork_and_exec = || {
        rustix::process::setsid()?;
        close_other_descriptors_on_exec();
        Ok(())
    };
    // SAFETY: the closure makes two system calls and neither allocates nor takes a lock.
    unsafe { command.pre_exec(between_fork_and_exec) };
}

/// Makes orphans among our descendants our children, so that they can be found and reaped.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

/// Signals exactly this process; one that has taken over its pid gets nothing.
pub(crate) fn signal(identity: ProcessIdentity, signal: Signal) -> io::Result<()> {
    let pid = raw_pid(identity.pid)?;
    // The pidfd pins whoever has the pid now, so the check after it cannot go stale.
    let pidfd = rustix::process::pidfd_open(pid, PidfdFlags::empty());
    if !exists(identity) {
        return Err(Errno::SRCH.into());
    }
    match pidfd {
        Ok(pidfd) => Ok(rustix::process::pidfd_send_signal(pidfd, signal)?),
        Err(Errno::NOSYS | Errno::PERM) => Ok(rustix::process::kill_process(pid, signal)?),
        Err(error) => Err(error.into()),
    }
}

/// Signals a process group. The caller has not reaped its leader, else the number may be another's.
pub(crate) fn signal_group(leader: ProcessIdentity, signal: Signal) -> io::Result<()> {
    Ok(rustix::process::kill_process_group(raw_pid(leader.pid)?, signal)?)
}

/// Takes the exit status of a dead child; the caller knows that nobody else waits for it.
pub(crate) fn reap(identity: ProcessIdentity) -> io::Result<()> {
    if !exists(identity) {
        return Err(Errno::SRCH.into());
    }
    rustix::process::waitpid(Some(raw_pid(identity.pid)?), WaitOptions::NOHANG)?;
    Ok(())
}

/// Tells whether this very process is in the table, alive or as a zombie.
pub(crate) fn exists(identity: ProcessIdentity) -> bool {
    process_entry(identity.pid).is_some_and(|entry| entry.identity == identity)
}

/// Names this start of the machine; pids and start times mean nothing beyond it.
pub(crate) fn boot_id() -> io::Result<String> {
    Ok(std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}

fn raw_pid(pid: u32) -> io::Result<Pid> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.ok_or_else(|| Errno::SRCH.into())
}

fn close_other_descriptors_on_exec() {
    // SAFETY: the call takes three integers and only sets flags in our own descriptor table.
    // A kernel too old for it leaves inherited descriptors open, which is no reason not to start.
    unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
}
