//! What the agent does to itself and to the machine, whatever it speaks.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Signal, getpid, kill_process};
use tokio::signal::unix::{SignalKind, signal};

use crate::directive::Descent;

const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

pub(crate) fn hang() -> ! {
    loop {
        thread::sleep(CENTURY);
    }
}

pub(crate) fn end_by_signal(number: i32) -> Result<()> {
    let signal = Signal::from_named_raw(number).context("there is no such signal")?;
    // The runtime of the language takes the first SIGSEGV for itself.
    for _ in 0..2 {
        kill_process(getpid(), signal)?;
        thread::sleep(Duration::from_millis(10));
    }
    hang()
}

/// A process that stays. It keeps the agent's output open, as tools of real agents do.
#[expect(clippy::disallowed_methods, reason = "that nobody ends it is what it is for")]
pub(crate) fn spawn(descent: Descent) -> Result<()> {
    let script = match descent {
        Descent::Plain => "exec sleep 1000",
        Descent::Setsid => "exec setsid sleep 1000",
        Descent::Double => "(setsid sleep 1000 &)",
    };
    let mut child = Command::new("/bin/sh").args(["-c", script]).stdin(Stdio::null()).spawn()?;
    if descent == Descent::Double {
        child.wait()?;
    }
    Ok(())
}

pub(crate) fn ignore_term() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let _inside = runtime.enter();
    // Once somebody listens for a signal, it does nothing else for as long as the process lives.
    drop(signal(SignalKind::terminate())?);
    Ok(())
}

pub(crate) fn complain(bytes: u64) -> Result<()> {
    let mut stderr = std::io::stderr().lock();
    let mut written = 0;
    while written < bytes {
        let line = format!("complaint at byte {written}\n");
        stderr.write_all(line.as_bytes())?;
        written += line.len() as u64;
    }
    Ok(())
}

/// Closes the agent's output for good.
pub(crate) fn close_output() -> Result<()> {
    let null = std::fs::OpenOptions::new().write(true).open("/dev/null")?;
    Ok(rustix::stdio::dup2_stdout(null)?)
}

/// Closes the agent's input for good.
pub(crate) fn close_input() -> Result<()> {
    let null = std::fs::File::open("/dev/null")?;
    Ok(rustix::stdio::dup2_stdin(null)?)
}
